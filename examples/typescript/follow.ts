// Follows a match to its end, whatever becomes of the connection. `Item` and `View` are the types of your generated client.

/** What has happened since the last step, in order, and the match as it stands after that. */
export type Step<Item, View> = { items: Item[]; view: View };

/** Called when the server cannot be reached, and tried again in so many seconds: `reason.<why>` is a label for it, the detail is for a log. */
export type Lost = (why: string, seconds: number, detail: string) => void;

export type Options = {
  token?: string;
  /** Ends it all, as when a person leaves the screen. */
  signal?: AbortSignal;
  lost?: Lost;
  /** Called when the line is there again. */
  found?: () => void;
  /** The first step has what has happened since this version; with 0 all of it. */
  after?: number;
};

/** The server says no, and would say so again: a `problem`, unless it was not our server that spoke. */
export class Refused extends Error {
  constructor(readonly status: number, readonly problem?: { code: string; message_key: string; detail: string }) {
    super(problem?.code ?? `HTTP ${status}`);
  }
}

/** The server cannot answer now, but wants to be asked again after so many seconds. */
class Later extends Error {
  constructor(status: number, readonly seconds: number) {
    super(`HTTP ${status}`);
  }
}

type Frame<Item, View> =
  | { frame: "snapshot" | "reset"; view: View }
  | { frame: "resumed" }
  | { frame: "event"; item: Item }
  | { frame: "bye"; reason: string };

const SILENCE_MS = 45_000; // The server says something every 15 seconds: a line that is silent for so long is dead.
const PAUSE_MS = 1_000; // The pause before it is tried again; it doubles up to ten times this.

/** The steps of the match at this address, such as http://localhost:8000/v1/matches/mat_..., until it is over. */
export async function* follow<Item extends { version: number }, View extends { version: number }>(
  match: string,
  { token, signal, lost = () => {}, found = () => {}, after }: Options = {},
): AsyncGenerator<Step<Item, View>> {
  let items: Item[] = [];
  let view: View | undefined;
  let last = after; // The version that we have: the id of the last message.
  const headers = new Headers(token ? { Authorization: `Bearer ${token}` } : {});
  for (let failures = 0; !signal?.aborted; ) {
    const line = new AbortController();
    signal?.addEventListener("abort", () => line.abort(), { signal: line.signal });
    let [why, wait, detail] = ["unavailable", 0, "cut"];
    try {
      if (last !== undefined) headers.set("Last-Event-ID", String(last));
      const answer = await alive(line, ask(`${match}/stream`, headers, line.signal));
      if (failures) found();
      if (answer.status === 204) return; // It is over, and we have all of it.
      for await (const frame of frames<Item, View>(answer, line)) {
        failures = 0;
        if (frame.frame === "bye") [why, detail] = [frame.reason, "bye"];
        if (frame.frame === "bye" && frame.reason === "ended") return;
        if (frame.frame === "snapshot" || frame.frame === "reset") {
          ({ view } = frame);
          last = view.version;
          yield { items: (items = []), view };
        } else if (frame.frame === "event") {
          items.push(frame.item);
          last = frame.item.version;
        }
        if (!items.length && (view || frame.frame !== "resumed")) continue;
        // Events come one by one; a view that is as far as the last of them is what they lead to.
        if (!view || view.version < last!) view = (await (await alive(line, ask(match, headers, line.signal))).json()) as View;
        if (view.version !== last) continue;
        yield { items, view };
        items = [];
      }
    } catch (error) {
      if (error instanceof Refused) throw error;
      if (signal?.aborted) return;
      if (error instanceof Later) wait = 1000 * error.seconds;
      detail = String(error);
    } finally {
      line.abort();
    }
    if (why === "rotate") continue; // Ten minutes are up; nothing is wrong.
    wait = Math.max(wait, PAUSE_MS * Math.min(2 ** failures++, 10) * (0.8 + 0.4 * Math.random()));
    lost(why, wait / 1000, detail);
    await new Promise((done) => setTimeout(done, wait));
  }
}

async function ask(address: string, headers: Headers, signal: AbortSignal): Promise<Response> {
  const answer = await fetch(address, { headers, signal });
  if (answer.ok) return answer;
  if (answer.status >= 500 || answer.status === 408 || answer.status === 429) {
    throw new Later(answer.status, Number(answer.headers.get("Retry-After")) || 0);
  }
  throw new Refused(answer.status, await answer.json().catch(() => undefined));
}

/** What is promised; the line is cut when it takes too long. */
async function alive<T>(line: AbortController, promised: Promise<T>): Promise<T> {
  const silence = setTimeout(() => line.abort(new Error("silent")), SILENCE_MS);
  return promised.finally(() => clearTimeout(silence));
}

async function* frames<Item, View>(answer: Response, line: AbortController): AsyncGenerator<Frame<Item, View>> {
  const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
  for (let rest = ""; ; ) {
    const { done, value } = await alive(line, reader.read());
    if (done) return;
    const messages = (rest + value).split("\n\n");
    rest = messages.pop()!; // Not all of it has come yet.
    for (const text of messages.flatMap((message) => message.split("\n"))) {
      if (text.startsWith("data: ")) yield JSON.parse(text.slice("data: ".length));
    }
  }
}
