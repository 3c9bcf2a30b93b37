// Follows the match at the address that it is given, tells each step, and leaves when it is told what somebody has chosen.

import { createInterface } from "node:readline";
import { follow } from "./follow.js";

type Version = { version: number };

const leaving = new AbortController();
const lost = (why: string) => console.log(JSON.stringify(`lost ${why}`));
const terminal = createInterface({ input: process.stdin }).once("line", (chosen) => {
  console.log(JSON.stringify(`chosen ${chosen}`));
  terminal.close();
  leaving.abort();
});
for await (const { view } of follow<Version, Version>(process.argv[2]!, { token: "lud_token", lost, signal: leaving.signal })) {
  console.log(JSON.stringify(view.version));
}
console.log('"left"');
