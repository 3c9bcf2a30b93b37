// Plays a match of every game with the client that @hey-api/openapi-ts generates, and tells what it saw, a line of JSON a match.

import {
  createPlayer,
  getMatch,
  listEvents,
  listGames,
  openMatch,
  sendCommand,
  streamEvents,
  takeSeat,
  type MatchView,
  type MatchOptionsInput,
  type Problem,
  type SendCommand,
} from "./ludicitude/index.js";
import { createClient, type Client } from "./ludicitude/client/index.js";

const address = process.argv[2] ?? "http://localhost:8000";

class Refused extends Error {
  constructor(readonly problem: Problem) {
    super(`${problem.code}: ${problem.detail}`);
  }
}

/** The body of an answer, or an exception with the problem. */
function the<Body>(answer: { data?: Body; error?: Problem }): Exclude<Body, undefined> {
  if (answer.error) throw new Refused(answer.error);
  return answer.data as Exclude<Body, undefined>;
}

async function join(name: string): Promise<Client> {
  const nobody = createClient({ baseUrl: address });
  const { token } = the(await createPlayer({ client: nobody, body: { display_name: name } }));
  return createClient({ baseUrl: address, auth: token });
}

async function seen(client: Client, match_id: string) {
  return the(await getMatch({ client, path: { match_id } }));
}

async function follow(client: Client, match_id: string, began: () => void) {
  const versions: number[] = [];
  const { stream } = await streamEvents({ client, path: { match_id } });
  for await (const frame of stream) {
    switch (frame?.frame) {
      case "snapshot":
        versions.push(frame.view.version);
        began();
        break;
      case "event":
        versions.push(frame.item.version);
        break;
      case "bye":
        return { versions, bye: frame.reason };
    }
  }
  return { versions, bye: "" };
}

async function listed(client: Client, match_id: string): Promise<number[]> {
  const versions: number[] = [];
  for (;;) {
    const page = the(await listEvents({ client, path: { match_id }, query: { after: versions.length, wait: 5 } }));
    versions.push(...page.items.map((item) => item.version));
    if (page.ended && versions.length === page.version) return versions;
  }
}

function choice(view: MatchView): SendCommand {
  const { decision, choices } = view.decisions[0]!;
  return { decision, command: choices[view.version % choices.length]! };
}

/** The codes of what is refused after this view's decision was made. */
async function refusals(client: Client, view: MatchView): Promise<string[]> {
  const codes: string[] = [];
  for (const headers of [{ "If-Match": '"v1"' }, {}]) {
    const { error } = await sendCommand({ client, path: view, headers, body: choice(view) });
    if (error) codes.push(error.code);
  }
  return codes;
}

async function play(game: MatchOptionsInput["game"], seats: number) {
  const clients = await Promise.all(["Ada", "Bob", "Cleo"].slice(0, seats).map(join));
  const host = clients[0]!;
  const { match_id } = the(await openMatch({ client: host, body: { options: { game }, seats } }));
  const { promise: begun, resolve } = withResolvers();
  const following = follow(host, match_id, resolve);
  await begun;
  for (const client of clients.slice(1)) the(await takeSeat({ client, path: { match_id }, body: {} }));
  let refused: string[] = [];
  while ((await seen(host, match_id)).status === "playing") {
    for (const client of clients) {
      const view = await seen(client, match_id);
      if (view.decisions.length === 0) continue;
      const request = { client, path: view, headers: { "Idempotency-Key": crypto.randomUUID() }, body: choice(view) };
      const { version } = the(await sendCommand(request));
      if (refused.length > 0) continue;
      if (the(await sendCommand(request)).version !== version) throw new Error("The choice was made twice.");
      refused = await refusals(client, view);
    }
  }
  const end = await getMatch({ client: host, path: { match_id } });
  const view = the(end);
  const headers = { "If-None-Match": end.response.headers.get("ETag")! };
  const unchanged = await getMatch({ client: host, path: { match_id }, headers });
  const { versions, bye } = await following;
  return {
    game,
    match_id,
    version: view.version,
    table: view.table?.game,
    ranked: view.result?.ranking.length,
    listed: await listed(host, match_id),
    followed: versions,
    bye,
    refused,
    unchanged: unchanged.response.status,
  };
}

function withResolvers(): { promise: Promise<void>; resolve: () => void } {
  let resolve!: () => void;
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve };
}

const { items } = the(await listGames({ client: createClient({ baseUrl: address }) }));
for (const { game, seats } of items) {
  console.log(JSON.stringify(await play(game as MatchOptionsInput["game"], Math.min(...seats.filter((count) => count > 1)))));
}
