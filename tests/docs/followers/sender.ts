// Sends one command to the match at the address that it is given, and tells each pause and what comes of it, a line of JSON each.

import { Refused } from "./follow.js";
import { send } from "./send.js";

Reflect.deleteProperty(globalThis, "crypto"); // As in a page that does not come by https, or in React Native.
const lost = (why: string, seconds: number, detail: string) => console.log(JSON.stringify([why, seconds, detail.startsWith("HTTP 5")]));

/** As a generated client does it: what is no success is an `error`. */
async function post(key: string): Promise<{ data?: unknown; error?: unknown; response: Response }> {
  const signal = AbortSignal.timeout(1000 * Number(process.argv[3]));
  const response = await fetch(`${process.argv[2]}/commands`, { method: "POST", body: "{}", headers: { "Idempotency-Key": key }, signal });
  const text = await response.text();
  const said: unknown = /^{.*}$/.test(text) ? JSON.parse(text) : text;
  return response.ok ? { data: said, response } : { error: said, response };
}

try {
  console.log(JSON.stringify(await send(post, lost)));
} catch (error) {
  console.log(error instanceof Refused ? JSON.stringify([error.status, error.message]) : '"no answer"');
}
