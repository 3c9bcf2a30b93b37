// A match in the terminal, for a person: what happens, what is said, what one can choose and what one types, all at the same time.
//
//   node terminal.js pico            a new match against a bot
//   node terminal.js mat_...         back at a match, or the same in another window
//
// A number chooses, q leaves, anything else is said to all at the match. The account is kept in the file `token.txt`; a second argument
// is the address of the server. It needs `follow.ts`, `send.ts`, `talk.ts` and `words.ts`, and knows the rules of no game.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { follow, Refused } from "./follow.js";
import { send, Unanswered } from "./send.js";
import { followTalk } from "./talk.js";
import { Words } from "./words.js";

// Of what a generated client has types for, no more than what is needed here.
type Decision = { decision: string; choices: { type: string }[] };
type Item = { version: number; event: { type: string } };
type View = Parameters<Words["sees"]>[0] & {
  match_id: string;
  options: { game: string };
  version: number;
  table: { game: string } | null;
  decisions: Decision[];
  result: { reason: string } | null;
};
type Page = { next_cursor: string | null; items: { kind: string; seat: number | null; text: string }[] };

const [what = "pico", address = "http://localhost:8000"] = process.argv.slice(2);
const ACCOUNT = "token.txt";
const leaving = new AbortController();
const { signal } = leaving;
let token: string | undefined;

process.on("uncaughtException", (error) => {
  console.error(error instanceof Refused || error instanceof Unanswered ? error.message : error);
  process.exit(1);
});

async function call<Body>(method: string, path: string, body?: object): Promise<Body> {
  const headers = { "Content-Type": "application/json", ...(token && { Authorization: `Bearer ${token}` }) };
  const { data } = await send<Body>(
    async (key, cut) => {
      const sent = { method, headers: { ...headers, "Idempotency-Key": key }, signal: cut, ...(body && { body: JSON.stringify(body) }) };
      const response = await fetch(`${address}/v1${path}`, sent);
      const said = await response.json().catch((error) => {
        if (response.ok) throw error;
      });
      return response.ok ? { data: said as Body, response } : { error: said, response };
    },
    { signal },
  );
  return data;
}

/** Whether the server knows this token: it may be another server's, or have been revoked. */
async function isGood(kept: string): Promise<boolean> {
  token = kept;
  try {
    await call("GET", "/players/me");
    return true;
  } catch (error) {
    if (!(error instanceof Refused && error.status === 401)) throw error;
    token = undefined;
    return false;
  }
}

if (!existsSync(ACCOUNT) || !(await isGood(readFileSync(ACCOUNT, "utf-8")))) {
  const made = await call<{ token: string }>("POST", "/players", { display_name: process.env["USER"] ?? "Ada" });
  writeFileSync(ACCOUNT, made.token, { mode: 0o600 });
}
token = readFileSync(ACCOUNT, "utf-8");
const terms = { options: { game: what }, bots: ["normal"] };
let view = await (what.startsWith("mat_") ? call<View>("GET", `/matches/${what}`) : call<View>("POST", "/matches", terms));
const match = `/matches/${view.match_id}`;
console.log(view.match_id);
const document = await call<{ components: { schemas: unknown } }>("GET", "/openapi.json");
const game = await call<ConstructorParameters<typeof Words>[0]>("GET", `/games/${view.options.game}`);
const words = new Words(game, await call<ConstructorParameters<typeof Words>[1]>("GET", "/labels"), document.components.schemas, "en");
words.sees(view); // Talk may be here before the first step.

let asked: Decision | undefined; // What the person is asked now.
const sent = new Set<string>(); // Decisions that are made, as far as we know.

/** Asks for what is open and is not made yet; and takes back what is open no more, since the clock or another window was faster. */
function offer(): void {
  if (asked && !view.decisions.some(({ decision }) => decision === asked?.decision)) {
    console.log(words.say("problem.decision_closed"));
    asked = undefined;
  }
  if (asked) return;
  asked = view.decisions.find(({ decision }) => !sent.has(decision));
  if (!asked) return;
  console.log(words.picture(view.table!).join("\n"));
  asked.choices.forEach((choice, index) => console.log(`  ${index + 1}  ${words.choice(choice)}`));
}

/** Whether it is done; if not, the person is told. */
async function attempt(path: string, body: object): Promise<boolean> {
  try {
    await call("POST", match + path, body);
    return true;
  } catch (error) {
    if (signal.aborted) return false;
    if (!(error instanceof Refused || error instanceof Unanswered)) throw error;
    const problem = error instanceof Refused ? error.problem : undefined;
    console.log(words.problem(problem));
    return problem?.code === "decision_closed";
  }
}

async function choose(number: number): Promise<void> {
  const command = asked?.choices[number - 1];
  if (!asked || !command) return console.log(words.say(asked ? "screen.number" : "problem.decision_closed"));
  const { decision } = asked;
  asked = undefined;
  sent.add(decision);
  if (await attempt("/commands", { decision, command })) return;
  sent.delete(decision); // It is asked again, if it is still open as far as we know.
  if (!signal.aborted) offer();
}

async function watch(): Promise<void> {
  const lost = (why: string) => console.log(words.say(`reason.${why}`));
  const found = () => console.log(words.say("screen.reconnected"));
  for await (const step of follow<Item, View>(`${address}/v1${match}`, { token, signal, lost, found, after: 0 })) {
    ({ view } = step);
    words.sees(view);
    for (const { event } of step.items) {
      const line = words.sentence(event);
      if (line) console.log(line);
    }
    offer();
  }
  if (view.table && view.result) console.log([...words.picture(view.table), words.say(`end.${view.result.reason}`)].join("\n"));
}

async function listen(): Promise<void> {
  for await (const { items } of followTalk<Page>(`${address}/v1${match}`, { token, signal })) {
    // Of the line `watch` tells.
    for (const { kind, seat, text } of items) {
      if (kind === "text") console.log(`${seat === null ? words.say("seat.nobody") : words.names[seat]}: ${text}`);
    }
  }
}

const terminal = createInterface({ input: process.stdin });
terminal.on("line", (typed) => {
  const line = typed.trim();
  if (line === "q") terminal.close();
  else if (/^\d+$/.test(line)) void choose(Number(line));
  else if (line) void attempt("/messages", { text: line });
});
terminal.on("close", () => {
  process.stdin.destroy(); // Else Node.js waits for one more line at the end.
  leaving.abort();
});
await Promise.all([watch().finally(() => terminal.close()), listen()]);
