// Sends a request until it is answered, with one key for all tries, so that it is carried out once. Stands beside `follow.ts`.

import { Refused, type Lost } from "./follow.js";

/** What a generated client gives for a request; no answer is an `error` without a `response`. */
type Answer<Body> = { data?: Body; error?: unknown; response?: Response };

const PAUSES_MS = [1_000, 2_000, 4_000, 10_000, 10_000, 10_000, 10_000]; // Before each further try; when all have failed, it is over.
const LONGEST_MS = 60_000; // Who is to come back later than that does not wait here.

/**
 * The body of the answer to what `ask` sends with this `Idempotency-Key`. `lost` is called before each further try. Throws `Refused`
 * when the server says no, and what the client threw when it does not answer to the end.
 */
export async function send<Body>(ask: (key: string) => Promise<Answer<Body>>, lost: Lost = () => {}): Promise<NonNullable<Body>> {
  const key = crypto.randomUUID();
  for (let failures = 0; ; failures++) {
    const { data, error, response } = await ask(key).catch((error: unknown): Answer<Body> => ({ error }));
    if (response && response.status < 400) return data!;
    const pause = PAUSES_MS[failures];
    const asked = 1000 * (Number(response?.headers.get("Retry-After")) || 0);
    if (pause === undefined || asked > LONGEST_MS || !passes(error, response)) {
      throw response ? new Refused(response.status, typeof error === "object" ? (error as Refused["problem"]) : undefined) : error;
    }
    const wait = Math.max(asked, pause * (0.8 + 0.4 * Math.random()));
    lost("unavailable", wait / 1000, response ? `HTTP ${response.status}` : String(error));
    await new Promise((done) => setTimeout(done, wait));
  }
}

/** Whether another try can fare better. */
function passes(error: any, response?: Response): boolean {
  if (!response) return error instanceof TypeError || error?.name === "TimeoutError"; // So fetch says that there was no answer.
  return [429, 502, 503, 504].includes(response.status) || error?.code === "key_in_flight";
}
