// Follows a match to its end, whatever becomes of the connection. `Item` and `View` are `EventItem` and `MatchView` of a generated client.

/** What has happened since the last step, in order, and the match as it stands after that. */
export type Step<Item, View> = { items: Item[]; view: View };

/** Called when the server cannot be reached, and tried again in so many seconds: `reason.<why>` is a label for it, the detail is for a log. */
export type Lost = (why: string, seconds: number, detail: string) => void;

export type Options = {
  token?: string | undefined;
  /** Ends it all, as when a person leaves the screen. */
  signal?: AbortSignal | undefined;
  lost?: Lost;
  /** Called when the line is there again. */
  found?: () => void;
  /** The first step has what has happened since this version; with 0 all of it. */
  after?: number | undefined;
  /** Ask again and again, and keep no stream open: for where `fetch` waits for the end of an answer, as that of React Native. */
  poll?: boolean;
};

/**
 * The server says no, with a `problem`. It may have asked to come back in so many seconds. There is no problem where it was not our server
 * that spoke, whatever the status; that is tried again like a line that was cut.
 */
export class Refused extends Error {
  readonly status: number;
  readonly problem: { code: string; message_key: string; message_params: Record<string, string>; detail: string } | undefined;
  readonly seconds: number;

  constructor(answer: Response, problem: unknown) {
    const told = problem as Refused["problem"] | null;
    const ours = typeof told?.code === "string" ? told : undefined;
    super(ours?.code ?? `HTTP ${answer.status}`);
    this.status = answer.status;
    this.problem = ours;
    this.seconds = Number(answer.headers.get("Retry-After")) || 0;
  }

  /** What `lost` is told when it is tried again: nothing is wrong with the line for who is too fast. */
  get why(): string {
    return this.problem && this.status === 429 ? "rate_limited" : "unavailable";
  }
}

/** The server ends a stream, and says why. */
class Bye extends Error {}

type Frame<Item, View> =
  | { frame: "snapshot" | "reset"; view: View }
  | { frame: "resumed" }
  | { frame: "event"; item: Item }
  | { frame: "bye"; reason: string };
type Page<Item> = { items: Item[]; version: number; ended: boolean };

const SILENCE_MS = 45_000; // The server says something every 15 seconds: a line that is silent for so long is dead.
const PAUSE_MS = 1_000; // The pause before it is tried again; it doubles up to ten times this.

/** A line to the server, how often it has failed, and what one asks over it. */
export class Line {
  failures = 0;
  private asked = 0;
  private hasty = 0;
  private cutter = new AbortController();
  private readonly options: Options;

  constructor(options: Options) {
    this.options = options;
  }

  /** Begins anew. */
  open(): void {
    this.cutter = new AbortController();
  }

  cut(): void {
    this.cutter.abort();
  }

  /** For how many seconds the server is to wait for news: not at all when we do not know yet whether it is there again. */
  get patience(): number {
    return this.failures ? 0 : 25;
  }

  /** To be called whenever the server has said something. */
  holds(): void {
    if (this.failures) this.options.found?.();
    this.failures = 0;
  }

  /** What is promised; the line is cut when it takes too long. */
  async alive<T>(promised: Promise<T>): Promise<T> {
    const silence = setTimeout(() => this.cut(), SILENCE_MS);
    return promised.finally(() => clearTimeout(silence));
  }

  /** An answer that is no problem; at 304 nothing has changed. */
  async ask(address: string, headers: Record<string, string> = {}): Promise<Response> {
    this.asked = performance.now();
    if (this.options.token) headers["Authorization"] = `Bearer ${this.options.token}`;
    const answer = await this.alive(fetch(address, { headers, signal: this.cutter.signal }));
    if (answer.ok || answer.status === 304) return answer;
    throw new Refused(answer, await this.alive(answer.json().catch(() => undefined)));
  }

  /** The body of an answer. */
  async json<Body>(address: string): Promise<Body> {
    const answer = await this.ask(address);
    const body = (await this.alive(answer.json())) as Body;
    this.holds();
    return body;
  }

  /**
   * To be called when an answer has brought nothing new. One that did not wait for news, as where a server stops, is none to ask for again
   * at once.
   */
  async idle(): Promise<void> {
    this.hasty = performance.now() - this.asked < PAUSE_MS ? this.hasty + 1 : 0;
    if (this.hasty) await pause(backoff(this.hasty - 1), this.cutter.signal);
  }
}

/** The milliseconds until the next try. */
function backoff(failures: number): number {
  return PAUSE_MS * Math.min(2 ** failures, 10) * (0.8 + 0.4 * Math.random());
}

/** What `once` gives, begun again whenever the line is cut, until the server says that it is over. */
export async function* kept<Each>(options: Options, once: (line: Line) => AsyncGenerator<Each>): AsyncGenerator<Each> {
  const { signal, lost } = options;
  const line = new Line(options);
  const cut = () => line.cut();
  while (!signal?.aborted) {
    line.open();
    signal?.addEventListener("abort", cut);
    let [why, wait, detail] = ["unavailable", 0, "cut"];
    try {
      yield* once(line);
    } catch (error) {
      if (signal?.aborted) return;
      if (error instanceof Refused && error.problem && error.status < 500 && ![408, 429].includes(error.status)) throw error;
      detail = String(error);
      if (error instanceof Refused) [why, wait, detail] = [error.why, 1000 * error.seconds, `HTTP ${error.status}`];
      if (error instanceof Bye) [why, detail] = [error.message, "bye"];
    } finally {
      signal?.removeEventListener("abort", cut);
      line.cut();
    }
    if (why === "ended") return;
    if (why === "rotate" || why === "gone") continue; // Ten minutes are up, or we may not see it any more, which the server says when asked.
    wait = Math.max(wait, backoff(line.failures++));
    lost?.(why, wait / 1000, detail);
    await pause(wait, signal);
  }
}

/** Waits for so many milliseconds, or until the signal is given. */
export async function pause(wait: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) return;
  let over = () => {};
  const ended = new Promise<void>((done) => (over = done));
  const timer = setTimeout(over, wait);
  signal?.addEventListener("abort", over);
  await ended;
  clearTimeout(timer);
  signal?.removeEventListener("abort", over);
}

/** The steps of the match at this address, such as http://localhost:8000/v1/matches/mat_..., until it is over. Throws `Refused`. */
export function follow<Item extends { version: number }, View extends { version: number }>(
  match: string,
  options: Options = {},
): AsyncGenerator<Step<Item, View>> {
  let items: Item[] = [];
  let view: View | undefined;
  let last = options.after; // The version that we have: the id of the last message.

  /** Events come one by one; a view that is as far as the last of them is what they lead to. */
  async function* step(line: Line): AsyncGenerator<Step<Item, View>> {
    if (!view || view.version < last!) view = await line.json<View>(match);
    if (view.version !== last) return;
    yield { items, view };
    items = [];
  }

  async function* streamed(line: Line): AsyncGenerator<Step<Item, View>> {
    const answer = await line.ask(`${match}/stream`, last === undefined ? {} : { "Last-Event-ID": String(last) });
    for await (const frame of frames<Item, View>(answer, line)) {
      line.holds();
      if (frame.frame === "snapshot" || frame.frame === "reset") {
        ({ view } = frame);
        last = view.version;
        yield { items: (items = []), view };
      } else if (frame.frame === "event") {
        items.push(frame.item);
        last = frame.item.version;
      }
      if (items.length || (!view && frame.frame === "resumed")) yield* step(line);
      if (frame.frame === "bye") throw new Bye(frame.reason);
    }
  }

  async function* polled(line: Line): AsyncGenerator<Step<Item, View>> {
    if (last === undefined) {
      view = await line.json<View>(match);
      last = view.version;
      yield { items, view };
    }
    for (;;) {
      const page: Page<Item> = await line.json(`${match}/events?after=${last}&wait=${line.patience}`);
      items.push(...page.items);
      last = items.at(-1)?.version ?? last;
      if (items.length || !view) yield* step(line);
      if (page.ended && page.version === last) throw new Bye("ended");
      if (!page.items.length) await line.idle();
    }
  }

  return kept(options, options.poll ?? !("body" in Response.prototype) ? polled : streamed);
}

/** What a stream says; when the match is over and we have all of it, that is bye. */
async function* frames<Item, View>(answer: Response, line: Line): AsyncGenerator<Frame<Item, View>> {
  if (answer.status === 204) yield { frame: "bye", reason: "ended" };
  if (!answer.body) return;
  const [reader, decoder] = [answer.body.getReader(), new TextDecoder()];
  for (let rest = ""; ; ) {
    const { done, value } = await line.alive(reader.read());
    if (done) return;
    const messages = (rest + decoder.decode(value, { stream: true })).split("\n\n");
    rest = messages.pop()!; // Not all of it has come yet.
    for (const text of messages.flatMap((message) => message.split("\n"))) {
      if (text.startsWith("data: ")) yield JSON.parse(text.slice("data: ".length));
    }
  }
}
