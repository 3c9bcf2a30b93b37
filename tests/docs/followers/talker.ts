// Reads the talk at the match at the address that it is given until somebody says "bye", and tells each text, and each line lost.

import { followTalk } from "./talk.js";

type Page = { next_cursor: string | null; items: { text: string }[] };

const [match = "", token = ""] = process.argv.slice(2);
const lost = (why: string) => console.log(JSON.stringify(`lost ${why}`));
for await (const { items } of followTalk<Page>(match, { token, lost, found: () => console.log('"found"') })) {
  for (const { text } of items) console.log(JSON.stringify([text]));
  if (items.some(({ text }) => text === "bye")) break;
}
