// A match in the terminal, for a person: what happens, what is said, what one can choose and what one types, all at the same time.
//
//   node terminal.js pico http://localhost:8000            a new match against bots
//   node terminal.js mat_... http://localhost:8000         back at a match, or the same in another window
//
// A number chooses, q leaves, anything else is said to all at the match. The account is kept in the file `token.txt`. It needs
// `follow.ts`, `send.ts`, `talk.ts` and `words.ts`, and knows the rules of no game.

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
  result: { reason: string; ranking: { rank: number; seat: number; score: number | null }[] } | null;
};
type Message = Parameters<Words["message"]>[0];
type Page = { next_cursor: string | null; items: Message[]; settled: Message[] };

const [what = "pico", address = "http://localhost:8000"] = process.argv.slice(2);
const ACCOUNT = "token.txt";
const leaving = new AbortController();
const { signal } = leaving;
let token: string | undefined;
let begun = false;

process.on("uncaughtException", (error) => {
  if (error instanceof Unanswered) console.error(`No answer from ${address}.`);
  else console.error(error instanceof Refused ? error.problem?.detail : error);
  process.exit(1);
});

function lostAtFirst(_: string, seconds: number, detail: string): void {
  if (begun) return; // Then `follow` tells of the line.
  console.log(`${address} does not answer (${detail}), trying again in ${seconds.toFixed()} s.`);
}

async function call<Body>(method: string, path: string, body?: object, key?: string): Promise<Body> {
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
    { signal, key, lost: lostAtFirst },
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

/** A new match, at the smallest table that has others at it. */
async function open(): Promise<View> {
  const { seats } = await call<{ seats: number[] }>("GET", `/games/${what}`);
  const smallest = Math.min(...seats.filter((each) => each > 1));
  const bots = Array.from({ length: smallest - 1 }, () => "normal");
  return call("POST", "/matches", { options: { game: what }, seats: smallest, bots });
}

let view = await (what.startsWith("mat_") ? call<View>("GET", `/matches/${what}`) : open());
const match = `/matches/${view.match_id}`;
console.log(view.match_id);
const document = await call<{ components: { schemas: unknown } }>("GET", "/openapi.json");
const game = await call<ConstructorParameters<typeof Words>[0]>("GET", `/games/${view.options.game}`);
const words = new Words(game, await call<ConstructorParameters<typeof Words>[1]>("GET", "/labels"), document.components.schemas, "en");
words.sees(view); // Talk may be here before the first step.
begun = true;

let asked: Decision | undefined; // What the person is asked now.
const sent = new Set<string>(); // Decisions that are made, as far as we know.
/** The keys of what was sent and not answered: who tries the same again is told that it was done, and it is not done twice. */
const unanswered = new Map<string, string>();

/** Asks for what is open and is not made yet; and takes back what is open no more, since the clock or another window was faster. */
function offer(): void {
  if (asked && !view.decisions.some(({ decision }) => decision === asked?.decision)) {
    if (!view.result) console.log(words.say("problem.decision_closed"));
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
  const said = JSON.stringify(body);
  const key = unanswered.get(said);
  unanswered.delete(said);
  try {
    await call("POST", match + path, body, key);
    return true;
  } catch (error) {
    if (signal.aborted) return false;
    if (!(error instanceof Refused || error instanceof Unanswered)) throw error;
    if (error instanceof Unanswered) unanswered.set(said, error.key);
    const problem = error instanceof Refused ? error.problem : undefined;
    console.log(words.problem(problem));
    return problem?.code === "decision_closed";
  }
}

async function choose(number: number): Promise<void> {
  const command = asked?.choices[number - 1];
  if (view.result) return;
  if (!asked) return console.log(words.say(view.decisions.length > 0 ? "problem.decision_closed" : "problem.not_your_turn"));
  if (!command) return console.log(words.say("screen.number"));
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
  if (!view.table || !view.result) return;
  console.log([...words.picture(view.table), words.say(`end.${view.result.reason}`)].join("\n"));
  for (const { rank, seat, score } of view.result.ranking) console.log(`${rank}. ${words.names[seat]}: ${score}`);
}

async function listen(): Promise<void> {
  for await (const { items, settled } of followTalk<Page>(`${address}/v1${match}`, { token, signal })) {
    // Of the line `watch` tells. A pledge that was settled is told again, with what became of it.
    for (const message of [...items, ...settled]) console.log(words.message(message));
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
