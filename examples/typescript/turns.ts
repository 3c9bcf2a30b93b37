// Follows what waits for a player, in all matches, whatever becomes of the connection. Stands beside `follow.ts`.

import { kept, type Line, type Options } from "./follow.js";

/**
 * What waits for the player of this token, at once and whenever it is something else: `api` is such as http://localhost:8000/v1, `Turn` the
 * `TurnOrInvitation` of your generated client. Each list stands for the one before, and has the hundred most urgent. It has no end of its
 * own. Throws `Refused`.
 */
export function followTurns<Turn>(api: string, options: Options & { token: string }): AsyncGenerator<Turn[]> {
  let tag: string | undefined;
  return kept(options, async function* (line: Line) {
    for (;;) {
      const answer = await line.ask(`${api}/players/me/turns${tag ? "?wait=25" : ""}`, tag ? { "If-None-Match": tag } : {});
      if (answer.status !== 304) {
        const page = (await line.alive(answer.json())) as { items: Turn[] };
        tag = answer.headers.get("ETag") ?? undefined;
        yield page.items;
      }
      line.holds();
    }
  });
}
