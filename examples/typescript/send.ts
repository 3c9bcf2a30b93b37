// Sends a request until it is answered, with one key for all tries, so that it is carried out once. Stands beside `follow.ts`.

import { pause, Refused, type Options } from "./follow.js";

/** What a generated client gives for a request; no answer is an `error` without a `response`. */
type Given<Body> = { data?: Body; error?: unknown; response?: Response };

/** Sends the request with this `Idempotency-Key`. Give the `signal` to your client, where it takes one: it ends a try that nobody waits for. */
type Ask<Body> = (key: string, signal: AbortSignal) => Promise<Given<Body>>;

/** The body of an answer, and what came with it, such as its `headers`. */
export type Answered<Body> = { data: Body; response: Response };

/** `lost` is called before each further try, `found` when there is an answer after all; `signal` ends it at once. */
export type Sending = Pick<Options, "lost" | "found" | "signal"> & {
  /** That of an earlier request, to send it again. */
  key?: string | undefined;
  /** In seconds, for all tries and the pauses between them. */
  patience?: number;
};

/** No answer came for as long as one had patience, and nobody knows whether it was carried out. To send the same again with this `key` can do no harm. */
export class Unanswered extends Error {
  readonly key: string;

  constructor(key: string, cause: unknown) {
    super("no answer", { cause });
    this.key = key;
  }
}

/** No answer came to one try. */
class Silence extends Error {}

const PATIENCE_SECONDS = 45;
const TRY_MS = 20_000; // For one try: no answer comes any more that has not come by then.
const PAUSES_MS = [1_000, 2_000, 4_000, 10_000]; // Before the further tries; the last one before each that follows.

/**
 * The answer to what `ask` sends. Throws `Refused` when the server says no, `Unanswered` when there was no patience any more or the signal
 * was given, and what `ask` throws of its own. Who sends `If-None-Match` says `unchanged: true`: then `data` is undefined at a 304.
 */
export function send<Body>(ask: Ask<Body>, options: Sending & { unchanged: true }): Promise<Answered<NonNullable<Body> | undefined>>;
export function send<Body>(ask: Ask<Body>, options?: Sending): Promise<Answered<NonNullable<Body>>>;
export async function send<Body>(
  ask: Ask<Body>,
  { lost, found, signal, key = newKey(), patience = PATIENCE_SECONDS, unchanged }: Sending & { unchanged?: true } = {},
): Promise<Answered<Body | undefined>> {
  const end = performance.now() + 1000 * patience;
  for (let failures = 0; ; failures++) {
    if (signal?.aborted) throw new Unanswered(key, signal.reason);
    const { data, error, response } = await tried(ask, key, Math.min(TRY_MS, end - performance.now()), signal);
    const well = response && ((response.status < 300 && isJson(data)) || (unchanged && response.status === 304));
    const failure = response && !well ? new Refused(response, error) : error;
    if (failures && response && (well || !passes(failure))) found?.();
    if (response && well) return { data, response };
    if (signal?.aborted) continue;
    const asked = failure instanceof Refused ? 1000 * failure.seconds : 0;
    const wait = Math.max(asked, PAUSES_MS[Math.min(failures, PAUSES_MS.length - 1)]! * (0.8 + 0.4 * Math.random()));
    const late = performance.now() + wait > end;
    const why = failure instanceof Refused ? failure.why : "unavailable";
    if (!passes(failure) || (late && why === "rate_limited")) throw failure;
    if (late) throw new Unanswered(key, failure);
    lost?.(why, wait / 1000, response ? `HTTP ${response.status}` : String(error));
    await pause(wait, signal);
  }
}

/** A key for one request. Who keeps it can send that request again at any time. (`crypto.randomUUID` is not in every page and app.) */
export function newKey(): string {
  return Array.from({ length: 3 }, () => Math.random().toString(36).slice(2)).join("");
}

/** One try, which is cut when it takes too long, and when the person leaves. */
async function tried<Body>(ask: Ask<Body>, key: string, ms: number, signal?: AbortSignal): Promise<Given<Body>> {
  const line = new AbortController();
  const cut = () => line.abort();
  const silence = new Promise<never>((_, fail) => line.signal.addEventListener("abort", () => fail(new Silence("no answer in time"))));
  const timer = setTimeout(cut, ms);
  signal?.addEventListener("abort", cut);
  try {
    return await Promise.race([ask(key, line.signal), silence]);
  } catch (error) {
    return { error };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", cut);
  }
}

/** Whether another try can fare better. */
function passes(failure: any): boolean {
  if (failure instanceof Refused) {
    return !failure.problem || [408, 429, 502, 503, 504].includes(failure.status) || failure.problem.code === "key_in_flight";
  }
  // What a proxy says in the server's place is no JSON, on which a client fails with a `SyntaxError`.
  if (failure instanceof Silence || failure instanceof SyntaxError || failure?.name === "TimeoutError") return true;
  return failure instanceof TypeError && NO_LINE.test(failure.message);
}

/** Whether this was made of JSON, or nothing was read. What is none, a client gives as a text or as a file. */
function isJson(data: unknown): boolean {
  return data === undefined || data === null || ["[object Object]", "[object Array]"].includes(Object.prototype.toString.call(data));
}

/** So `fetch` says that there was no answer, in Node.js, Chrome, Firefox, Safari, React Native; any other `TypeError` is a mistake in a program. */
const NO_LINE =
  /^(fetch failed|terminated|failed to fetch\b.*|network ?error\b.*|error in input stream|load failed|.*connection .*(offline|lost)\.?|network request (failed|timed out))$/i;
