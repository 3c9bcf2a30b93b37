// Says a match in words: what happens, what one can choose, how the table stands. In English or in French.

export type Language = "en" | "fr";
type Labels = Record<string, Record<Language, string>>;
type Problem = { message_key?: string | undefined; message_params?: Record<string, unknown> | undefined; detail?: string | undefined };
type Seat = { seat: number; kind: string; display_name: string | null; kept_for: string | null };
type Shape = { $ref?: string; oneOf?: Shape[]; items?: Shape; format?: string; properties?: Shapes };
type Shapes = Record<string, Shape>;

const UNIONS = { event: "MatchEvent", command: "MatchCommand", table: "MatchTable" };
type Kind = keyof typeof UNIONS;

const BRACES = /\{(\w+)\}/g;
const COLON = { en: ": ", fr: " : " };
const SEMICOLON = { en: "; ", fr: " ; " };

export class Words {
  /** Of those who sit, in seat order; `sees` finds them in a view. */
  names: string[] = [];
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
    const { message_key: key, message_params, detail } = problem ?? {};
    if (key === undefined) return this.say("screen.no_answer");
    return key in this.labels ? this.say(key, message_params) : (detail ?? key);
  }

  /** Take the names from this view, as they may have changed. */
  sees({ seats }: { seats: Seat[] }): void {
    this.names = seats.map((seat) => this.who(seat));
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

  /** What one can choose. */
  choice(command: { type: string }): string {
    return this.filled("command", command) ?? command.type;
  }

  /** The table, or as much of it as is given besides its `game`, field by field with its captions. */
  picture(table: { game: string }): string[] {
    return this.parts(table, this.fields("table", table.game));
  }

  /** One field of the table, without its caption, which is `say("field.<name>")`. */
  field(table: { game: string }, name: string): string {
    return this.word(name, (table as Record<string, unknown>)[name], this.fields("table", table.game)[name] ?? {});
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

  private filled(kind: Kind, record: { type: string }): string | undefined {
    const words = this.labels[`${kind}.${record.type.replace(this.prefix, "")}`]?.[this.language];
    const [values, shapes] = [new Map<string, unknown>(Object.entries(record)), this.fields(kind, record.type)];
    return words?.replace(BRACES, (_, name: string) => this.word(name, values.get(name), shapes[name] ?? {}));
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
      return said.join(", ") || this.word(name, null, shape.items ?? {});
    }
    if (value === null || value === undefined) return this.say(shape.format === "seat" ? "seat.nobody" : "value.nothing");
    if (typeof value === "object") return this.parts(value, shape.properties ?? {}).join(SEMICOLON[this.language]);
    if (typeof value === "boolean") return this.say(`value.${value}`);
    if (shape.format === "seat") return this.names[Number(value)]!;
    const key = `${name}.${String(value)}`;
    return this.say(key in this.labels ? key : (this.pieces.get(String(value)) ?? String(value)));
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
