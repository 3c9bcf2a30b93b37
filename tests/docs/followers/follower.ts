// Follows the match at the address that it is given, and tells each step, a line of JSON a step.

import { follow, Refused } from "./follow.js";

type Version = { version: number };

const [match = "", token = ""] = process.argv.slice(2);
try {
  for await (const { items, view } of follow<Version, Version>(match, { token })) {
    console.log(JSON.stringify([items.map(({ version }) => version), view.version]));
  }
  console.log('"over"');
} catch (error) {
  if (!(error instanceof Refused)) throw error;
  console.log(JSON.stringify(error.message));
}
