// Plays a match of every game with openapi-fetch, and tells what it saw, a line of JSON a match.

import createClient from "openapi-fetch";
import type { components, paths } from "./ludicitude.js";

type Schemas = components["schemas"];
type Api = ReturnType<typeof createClient<paths>>;

const address = process.argv[2] ?? "http://localhost:8000";

class Refused extends Error {
  constructor(readonly problem: Schemas["Problem"]) {
    super(`${problem.code}: ${problem.detail}`);
  }
}

/** The body of an answer, or an exception with the problem. */
function the<Body>(answer: { data?: Body; error?: Schemas["Problem"] }): Body {
  if (answer.error) throw new Refused(answer.error);
  return answer.data!;
}

async function join(name: string): Promise<Api> {
  const { token } = the(await createClient<paths>({ baseUrl: address }).POST("/v1/players", { body: { display_name: name } }));
  return createClient<paths>({ baseUrl: address, headers: { Authorization: `Bearer ${token}` } });
}

const at = (match_id: string) => ({ path: { match_id } });

async function seen(api: Api, id: string) {
  return the(await api.GET("/v1/matches/{match_id}", { params: at(id) }));
}

/** What happens at a match, as it happens. */
async function* frames(api: Api, id: string): AsyncGenerator<Schemas["StreamFrame"]> {
  const answer = await api.GET("/v1/matches/{match_id}/stream", { params: at(id), parseAs: "stream" });
  if (answer.error) throw new Refused(answer.error);
  const reader = answer.response.body!.pipeThrough(new TextDecoderStream()).getReader();
  for (let rest = ""; ; ) {
    const { done, value } = await reader.read();
    if (done) return;
    const messages = (rest + value).split("\n\n");
    rest = messages.pop()!;
    for (const line of messages.flatMap((message) => message.split("\n"))) {
      if (line.startsWith("data: ")) yield JSON.parse(line.slice("data: ".length));
    }
  }
}

async function follow(api: Api, id: string, began: () => void) {
  const versions: number[] = [];
  let bye = "";
  for await (const frame of frames(api, id)) {
    switch (frame.frame) {
      case "snapshot":
        versions.push(frame.view.version);
        began();
        break;
      case "event":
        versions.push(frame.item.version);
        break;
      case "bye":
        bye = frame.reason;
    }
  }
  return { versions, bye };
}

async function listed(api: Api, id: string): Promise<number[]> {
  const versions: number[] = [];
  for (;;) {
    const query = { after: versions.length, wait: 5 };
    const page = the(await api.GET("/v1/matches/{match_id}/events", { params: { ...at(id), query } }));
    versions.push(...page.items.map((item) => item.version));
    if (page.ended && versions.length === page.version) return versions;
  }
}

type Guards = { "Idempotency-Key"?: string; "If-Match"?: string };

async function send(api: Api, id: string, body: Schemas["SendCommand"], header: Guards) {
  return the(await api.POST("/v1/matches/{match_id}/commands", { params: { ...at(id), header }, body }));
}

function choice(view: Schemas["MatchView"]): Schemas["SendCommand"] {
  const { decision, choices } = view.decisions[0]!;
  return { decision, command: choices[view.version % choices.length]! };
}

/** The codes of what is refused after this view's decision was made. */
async function refusals(api: Api, view: Schemas["MatchView"]): Promise<string[]> {
  const codes: string[] = [];
  for (const header of [{ "If-Match": '"v1"' }, {}]) {
    const refused = await send(api, view.match_id, choice(view), header).catch((reason: unknown) => reason);
    if (refused instanceof Refused) codes.push(refused.problem.code);
  }
  return codes;
}

type Game = Schemas["MatchOptionsInput"]["game"];

async function play(game: Game, seats: number) {
  const apis = await Promise.all(["Ada", "Bob", "Cleo"].slice(0, seats).map(join));
  const host = apis[0]!;
  const { match_id } = the(await host.POST("/v1/matches", { body: { options: { game }, seats } }));
  const { promise: begun, resolve } = withResolvers();
  const following = follow(host, match_id, resolve);
  await begun;
  for (const api of apis.slice(1)) the(await api.POST("/v1/matches/{match_id}/seats", { params: at(match_id), body: {} }));
  let refused: string[] = [];
  while ((await seen(host, match_id)).status === "playing") {
    for (const api of apis) {
      const view = await seen(api, match_id);
      if (view.decisions.length === 0) continue;
      const header = { "Idempotency-Key": crypto.randomUUID() };
      const { version } = await send(api, match_id, choice(view), header);
      if (refused.length > 0) continue;
      const again = await send(api, match_id, choice(view), header);
      if (again.version !== version) throw new Error("The choice was made twice.");
      refused = await refusals(api, view);
    }
  }
  const end = await host.GET("/v1/matches/{match_id}", { params: at(match_id) });
  const view = the(end);
  const header = { "If-None-Match": end.response.headers.get("ETag")! };
  const unchanged = await host.GET("/v1/matches/{match_id}", { params: { ...at(match_id), header } });
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

const api = createClient<paths>({ baseUrl: address });
for (const { game, seats } of the(await api.GET("/v1/games")).items) {
  console.log(JSON.stringify(await play(game as Game, Math.min(...seats.filter((count) => count > 1)))));
}
