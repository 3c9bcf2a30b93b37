// Follows what waits for a player, in all matches, whatever becomes of the connection. Stands beside `follow.ts`.

import { kept, type Line, type Options } from "./follow.js";

/**
 * What waits for the player of this token, at once and whenever it is something else: `api` is such as http://localhost:8000/v1, `Turn` the
 * `TurnOrInvitation` of your generated client. Each list stands for the one before, and has the hundred most urgent. It has no end of its
 * own. Throws `Refused`.
 */
export function followTurns<Turn>(api: string, options: Options & { token: string }): AsyncGenerator<Turn[]> {
  let [tag, list] = ["", ""];
  return kept(options, async function* (line: Line) {
    for (;;) {
      const answer = await line.ask(`${api}/players/me/turns${tag && `?wait=${line.patience}`}`, tag ? { "If-None-Match": tag } : {});
      const said = answer.status === 304 ? list : await line.alive(answer.text());
      const { items } = JSON.parse(said) as { items: Turn[] };
      const before = list;
      [tag, list] = [answer.headers.get("ETag") ?? "", said];
      line.holds();
      if (list !== before) yield items;
      else await line.idle();
    }
  });
}
