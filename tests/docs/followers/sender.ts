// Sends one command to the match at the address that it is given, and tells each pause and what comes of it, a line of JSON each.

import { Refused } from "./follow.js";
import { send, Unanswered } from "./send.js";

type Given = { data?: unknown; error?: unknown; response: Response };

Reflect.deleteProperty(globalThis, "crypto"); // As in a page that does not come by https, or in React Native.
const [match = "", timeout, patience, key] = process.argv.slice(2);
const leaving = new AbortController();
process.stdin.once("data", () => leaving.abort()).unref();
const lost = (why: string, seconds: number, detail: string) => console.log(JSON.stringify([why, seconds, detail.startsWith("HTTP 5")]));
const options = { lost, found: () => console.log('"found"'), key, patience: Number(patience), signal: leaving.signal };

/** As a generated client does it: what is no success is an `error`. */
async function post(key: string, signal: AbortSignal): Promise<Given> {
  if (key === "mistake") throw new TypeError("post is not a function");
  const cut = timeout === "none" ? signal : AbortSignal.timeout(1000 * Number(timeout));
  const response = await fetch(`${match}/commands`, { method: "POST", body: "{}", headers: { "Idempotency-Key": key }, signal: cut });
  const text = await response.text();
  const said: unknown = text.startsWith("{") ? JSON.parse(text) : text;
  return response.ok ? { data: said, response } : { error: said, response };
}

try {
  const { data, response } = await send(post, options);
  console.log(JSON.stringify([data, response.headers.get("ETag")]));
} catch (error) {
  if (error instanceof Refused) console.log(JSON.stringify([error.status, error.message]));
  else console.log(JSON.stringify(error instanceof Unanswered ? ["unanswered", error.key] : ["mistake"]));
}
