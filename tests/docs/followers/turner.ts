// Tells what waits for the player of the token that it is given, a line of JSON each time, until a rematch does, and each line lost.

import { followTurns } from "./turns.js";

const [api = "", token = ""] = process.argv.slice(2);
const lost = (why: string) => console.log(JSON.stringify(`lost ${why}`));
for await (const waiting of followTurns<{ kind: string }>(api, { token, lost, found: () => console.log('"found"') })) {
  console.log(JSON.stringify(waiting.map(({ kind }) => kind)));
  if (waiting.some(({ kind }) => kind === "invitation")) break;
}
