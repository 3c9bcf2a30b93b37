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
  const key = anything();
  for (let failures = 0; ; failures++) {
    const { data, error, response } = await ask(key).catch((error: unknown): Answer<Body> => ({ error }));
    if (response && response.status < 400) return data!;
    const failure = response ? new Refused(response, error) : error;
    const pause = PAUSES_MS[failures];
    const asked = failure instanceof Refused ? 1000 * failure.seconds : 0;
    if (pause === undefined || asked > LONGEST_MS || !passes(failure)) throw failure;
    const wait = Math.max(asked, pause * (0.8 + 0.4 * Math.random()));
    lost("unavailable", wait / 1000, response ? `HTTP ${response.status}` : String(error));
    await new Promise((done) => setTimeout(done, wait));
  }
}

/** Whether another try can fare better. */
function passes(failure: any): boolean {
  if (failure instanceof Refused) return [429, 502, 503, 504].includes(failure.status) || failure.problem?.code === "key_in_flight";
  return failure instanceof TypeError || failure?.name === "TimeoutError"; // So fetch says that there was no answer.
}

/** Something unique. `crypto.randomUUID` is missing in React Native, and in pages that do not come by https. */
function anything(): string {
  return Array.from({ length: 3 }, () => Math.random().toString(36).slice(2)).join("");
}
