// Says a match in words: what happens, what one can choose, how the table stands. In English or in French.

export type Language = "en" | "fr";
type Labels = Record<string, Record<Language, string>>;
type Fault = { pointer: string; least?: number | null | undefined; most?: number | null | undefined };
type Problem = {
  message_key?: string | undefined;
  message_params?: Record<string, unknown> | undefined;
  detail?: string | undefined;
  errors?: Fault[] | undefined;
};
type Seat = { seat: number; kind: string; display_name: string | null; kept_for: string | null; player_id?: string | null | undefined };
type Result = { ranking: { seat: number; rank: number }[]; reason: string };
type Pledge = { phase: string; face: number; kept: boolean | null };
type Message = { player_id: string; seat: number; to_seat: number | null; text: string | null; pledge: Pledge | null };
type Shape = { $ref?: string; oneOf?: Shape[]; items?: Shape; format?: string; properties?: Shapes; "x-hidden-in"?: string };
type Shapes = Record<string, Shape>;

const UNIONS = { event: "MatchEvent", command: "MatchCommand", table: "MatchTable" };
type Kind = keyof typeof UNIONS;

const BRACES = /\{(\w+)\}/g;
const COLON = { en: ": ", fr: " : " };
const SEMICOLON = { en: "; ", fr: " ; " };

export class Words {
  /** Of those who sit, in seat order; `sees` finds them in a view. */
  names: string[] = [];
  /** The names of all players who were seen, also of those who have left, by their ids. */
  readonly players = new Map<string, string>();
  readonly language: Language;
  private readonly prefix: string;
  private readonly labels: Labels;
  private readonly pieces: Map<string, string>;
  private readonly schemas: any;

  /**
   * The words for one game: `game` is what `get_game` answers, `shared` what `get_labels` does. `schemas` stand in the OpenAPI document,
   * among its `components`; of them this reads `MatchEvent`, `MatchCommand`, `MatchTable` and what they refer to.
   */
  constructor(
    game: { game: string; labels: Labels; components: { id: string; label: string }[] },
    shared: { labels: Labels },
    schemas: unknown,
    language: Language,
  ) {
    this.labels = { ...shared.labels, ...game.labels };
    this.pieces = new Map(game.components.map(({ id, label }) => [id, label]));
    [this.prefix, this.schemas, this.language] = [`${game.game}.`, schemas, language];
  }

  /** The words for a key; the key itself where there are none. */
  say(key: string, params: Record<string, unknown> = {}): string {
    const words = this.labels[key]?.[this.language] ?? key;
    return words.replace(BRACES, (whole, name: string) => String(params[name] ?? whole));
  }

  /** Why the server said no; what a proxy says in its place is no problem of ours, and is told as no answer. */
  problem(problem: Problem | null | undefined): string {
    const { message_key: key, message_params, detail, errors } = problem ?? {};
    if (key === undefined) return this.say("screen.no_answer");
    const wrong = key === "problem.invalid_body" ? this.wrong(errors ?? []) : undefined;
    if (wrong !== undefined) return wrong;
    return key in this.labels ? this.say(key, message_params) : (detail ?? key);
  }

  /** Take the names from this view, as they may have changed. */
  sees({ seats }: { seats: Seat[] }): void {
    this.names = seats.map((seat) => this.who(seat));
    for (const { player_id, kept_for, display_name } of seats) {
      const player = player_id || kept_for;
      if (player) this.players.set(player, display_name || this.say("player.erased"));
    }
  }

  /** Who sits there; people count seats from 1. */
  who({ seat, kind, display_name, kept_for }: Seat): string {
    const name = display_name || this.say("player.erased");
    if (kind === "player") return name;
    if (kept_for) return this.say("seat.kept", { display_name: name });
    return this.say(kind === "bot" ? "seat.bot" : "seat.numbered", { number: seat + 1 });
  }

  /** What has happened, if there are words for it. */
  sentence(event: { type: string }): string | undefined {
    return this.filled("event", event);
  }

  /** Who has won, one or several; nothing where nobody has, or nobody else played. */
  winner({ ranking, reason }: Result): string | undefined {
    const first = ranking.filter(({ rank }) => rank === 1).map(({ seat }) => this.names[seat]);
    if (ranking.length < 2 || reason === "abandoned") return undefined;
    return first.length === 1 ? this.say("screen.wins", { seat: first[0] }) : this.say("screen.win_together", { seats: first.join(", ") });
  }

  /** What was said at the match, by whom and to whom; of a pledge also what became of it. A text in it is plain text, never markup. */
  message(message: Message): string {
    const { to_seat, pledge } = message;
    let [seat, text] = [this.speaker(message), message.text];
    if (pledge !== null) {
      const said = { seat, phase: this.say(`pledge.${pledge.phase}`), face: this.piece(pledge.face) };
      text = `${this.say("screen.pledges", said)} (${this.word("kept", pledge.kept, {})})`;
    }
    if (to_seat !== null) seat = this.say("screen.whispers", { seat, to_seat: this.names[to_seat] });
    else if (pledge !== null) return text!;
    return this.say("screen.says", { seat, text });
  }

  /** What the players agree on, or as much of it as is given, option by option with its caption. */
  terms(options: object): string[] {
    const agreed = Object.entries(options).filter(([name]) => name !== "game");
    return agreed.map(([name, value]) => {
      return `${this.say(`option.${name}`)}${COLON[this.language]}${this.spelt(`option.${name}`, value) ?? String(value)}`;
    });
  }

  /** What one can choose. */
  choice(command: { type: string }): string {
    return this.filled("command", command) ?? command.type;
  }

  /** The table, or as much of it as is given besides its `game`, field by field with its captions. */
  picture(table: { game: string }): string[] {
    const shapes = this.fields("table", table.game);
    return this.parts(Object.fromEntries(Object.keys(table).map((name) => [name, this.shown(table, name, shapes[name] ?? {})])), shapes);
  }

  /** One field of the table, without its caption, which is `say("field.<name>")`. */
  field(table: { game: string }, name: string): string {
    const shape = this.fields("table", table.game)[name] ?? {};
    return this.word(name, this.shown(table, name, shape), shape);
  }

  /** One card, or one face of a die. */
  piece(piece: string | number): string {
    return this.say(this.pieces.get(String(piece)) ?? String(piece));
  }

  /** How long still: minutes and seconds, hours before them when there are any, and from a day on days and hours. */
  timeLeft(seconds: number): string {
    const whole = Math.max(0, Math.floor(seconds));
    const two = (number: number) => String(number).padStart(2, "0");
    const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, two(whole % 60)];
    const days = this.say("screen.days", { days: Math.floor(hours / 24), hours: hours % 24 });
    const time = hours >= 24 ? days : hours > 0 ? `${hours}:${two(minutes)}:${rest}` : `${minutes}:${rest}`;
    return this.say("screen.time_left", { time });
  }

  /** What is wrong in a form, by the name that the field has there. */
  private wrong(faults: Fault[]): string | undefined {
    for (const { pointer, least, most } of faults) {
      const name = pointer.slice(pointer.lastIndexOf("/") + 1);
      const caption = [`option.${name}`, `field.${name}`].find((key) => key in this.labels);
      if (caption === undefined) continue;
      const field = this.say(caption);
      if (typeof least === "number") return this.say("screen.at_least", { field, number: least });
      if (typeof most === "number") return this.say("screen.at_most", { field, number: most });
      return this.say("screen.check", { field });
    }
    return undefined;
  }

  private filled(kind: Kind, record: { type: string }): string | undefined {
    const key = `${kind}.${record.type.replace(this.prefix, "")}`;
    const [values, shapes] = [new Map<string, unknown>(Object.entries(record)), this.fields(kind, record.type)];
    const holds = (value: unknown) => (Array.isArray(value) ? value.length > 0 : Boolean(value));
    // A field of an event that holds something may have a sentence of its own to say so.
    const own = [...values.keys()].find((name) => kind === "event" && `${key}.${name}` in this.labels && holds(values.get(name)));
    const words = this.labels[own === undefined ? key : `${key}.${own}`]?.[this.language];
    return words?.replace(BRACES, (_, name: string) => {
      const value = values.get(name);
      if (name === "seat") return this.speaker({ seat: Number(value), player_id: values.get("player_id") });
      return this.word(name, value, shapes[name] ?? {});
    });
  }

  /** Whose seat it is, or was then: who is named beside it may have left since. */
  private speaker({ seat, player_id }: { seat: number; player_id: unknown }): string {
    return this.players.get(String(player_id)) ?? this.names[seat]!;
  }

  /** What a field of the table holds, where it is `hidden` for those who have chosen in secret. */
  private shown(table: object, name: string, shape: Shape): unknown {
    const { [name]: value, phase, committed } = table as Record<string, unknown>;
    if (phase === undefined || shape["x-hidden-in"] !== phase || !Array.isArray(committed) || committed.length === 0) return value;
    const held = Array.isArray(value) && value.length > 0 ? value : this.names.map(() => null);
    return held.map((shown, seat) => (shown === null && committed.includes(seat) ? "value.hidden" : shown));
  }

  /** The words of this field, or option, for this value of it, if it has some of its own. */
  private spelt(name: string, value: unknown): string | undefined {
    const key = `${name}.${value === null || value === undefined ? "none" : String(value)}`;
    return key in this.labels ? this.say(key) : undefined;
  }

  private parts(record: object, shapes: Shapes): string[] {
    const known = Object.entries(record).filter(([name]) => name !== "game" && name in shapes);
    return known.map(([name, value]) => `${this.say(`field.${name}`)}${COLON[this.language]}${this.word(name, value, shapes[name]!)}`);
  }

  /** A value becomes a word by what it is: a seat is who sits there, a card the label of its component, a list its items. */
  private word(name: string, value: unknown, given: Shape): string {
    const shape = this.resolved(given);
    if (Array.isArray(value)) {
      const each = value.map((item) => this.word(name, item, shape.items ?? {}));
      const said = "x-seat-order" in shape ? each.map((words, seat) => `${this.names[seat]} (${words})`) : each; // One for each seat.
      return said.join(", ") || this.word("", null, shape.items ?? {});
    }
    const own = typeof value === "object" && value !== null ? undefined : this.spelt(name, value);
    if (own !== undefined) return own;
    if (value === null || value === undefined) return this.say(shape.format === "seat" ? "seat.nobody" : "value.nothing");
    if (typeof value === "object") return this.parts(value, shape.properties ?? {}).join(SEMICOLON[this.language]);
    if (typeof value === "boolean") return this.say(`value.${value}`);
    if (shape.format === "seat") return this.names[Number(value)]!;
    return this.say(this.pieces.get(String(value)) ?? String(value));
  }

  /** What the fields hold of the record that this tag names; nothing is known of what is newer than the document. */
  private fields(kind: Kind, tag: string): Shapes {
    const $ref = this.schemas[UNIONS[kind]].discriminator.mapping[tag];
    return $ref ? this.resolved({ $ref }).properties! : {};
  }

  /** What a field's shape refers to, and what it is when it is not null. */
  private resolved(given: Shape): Shape {
    const shape = given.oneOf?.[0] ?? given;
    return shape.$ref ? this.schemas[shape.$ref.split("/").at(-1)!] : shape;
  }
}
