// Follows the talk at a match, whatever becomes of the connection. Stands beside `follow.ts`.

import { kept, type Line, type Options } from "./follow.js";

/**
 * The pages of what is said at the match at this address, such as http://localhost:8000/v1/matches/mat_..., from the beginning on;
 * `Page` is the `TalkPage` of your generated client. It has no end of its own. A page with nothing new comes now and then. Throws `Refused`.
 */
export function followTalk<Page extends { next_cursor: string | null }>(match: string, options: Options = {}): AsyncGenerator<Page> {
  let cursor: string | null = null;
  return kept(options, async function* (line: Line) {
    for (;;) {
      const page: Page = await line.json(`${match}/messages?wait=${line.patience}${cursor ? `&after=${cursor}` : ""}`);
      const before: string | null = cursor;
      cursor = page.next_cursor;
      yield page;
      if (cursor === before) await line.idle();
    }
  });
}
