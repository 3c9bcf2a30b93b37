// Follows the match at the address that it is given, and tells each step and each line lost and found, a line of JSON each.

import { follow, Refused } from "./follow.js";

type Version = { version: number };

const [match = "", token = "", version] = process.argv.slice(2);
const lost = (why: string) => console.log(JSON.stringify(`lost ${why}`));
if (process.env["NO_STREAMS"]) Reflect.deleteProperty(Response.prototype, "body"); // As in React Native.
const found = () => console.log('"found"');
const after = version === undefined ? undefined : Number(version);
try {
  for await (const { items, view } of follow<Version, Version>(match, { token, lost, found, after })) {
    console.log(JSON.stringify([items.map(({ version }) => version), view.version]));
  }
  console.log('"over"');
} catch (error) {
  if (!(error instanceof Refused)) throw error;
  console.log(JSON.stringify(error.message));
}
