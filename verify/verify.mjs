// Checks the dice and the secret choices of a match, scheme ludi-fair-v1. Needs a browser, or Node 20 or newer, and nothing else.
// Usage: curl -s https://.../v1/matches/<match_id>/record | node verify.mjs [events.json ...]
//
// The files are answers of list_events, or lists of their items, that you kept while the match went on; the record is then held
// against them as well. Of the games it knows what they draw, and what the players must be shown of it: faces, hands, who leads. What
// the rules make of these and of a choice is not checked here. The exit code is 0 when everything bears checking, 1 when something does
// not, and 2 when there is nothing to check.
//
// In a client: [...(await faults(record)), ...brokenPromises(record, seen)], a list of sentences, where `record` is what get_record
// answers and `seen` are all the items that you were told. A browser has the hashes on a page that came by https, or from localhost.

const SCHEME = "ludi-fair-v1";

const isText = (value) => typeof value === "string";
const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
const isNumber = (value, least = 0, most = Number.MAX_SAFE_INTEGER) => Number.isInteger(value) && least <= value && value <= most;

const KINDS = {
  "an object": isObject,
  "a list": Array.isArray,
  anything: () => true,
  "a text": isText,
  "a text or null": (value) => value === null || isText(value),
  "a number": (value) => isNumber(value),
  "a number or null": (value) => value === null || isNumber(value),
  "a number of dice up to 1000": (value) => isNumber(value, 0, 1000),
  "a number of sides up to 4294967296": (value) => isNumber(value, 1, 2 ** 32),
  "64 hexadecimal digits": (value) => isText(value) && /^[0-9a-f]{64}$/.test(value),
  "roll or shuffle": (value) => value === "roll" || value === "shuffle",
  "the JSON of a command": (value) => isText(value) && commandIn(value) !== undefined,
};

const ITEM = {
  version: "a number",
  seat: "a number or null",
  seal: "a text or null",
  draw: "a number or null",
  event: { type: "a text" },
};
const PROOF = {
  scheme: "a text",
  commitment: "a text",
  seed: "64 hexadecimal digits",
  entropy: ["a text"],
  draws: [{ version: "a number", number: "a number", request: { kind: "roll or shuffle" }, outcome: ["anything"] }],
  seals: [{ version: "a number", seat: "a number", command: "the JSON of a command", seal: "a text" }],
};
const EVENTS = { events: [ITEM] };
const RECORD = { match_id: "a text", ...EVENTS, proof: PROOF };
const OPENED = { scheme: "a text", commitment: "a text" };
const STARTED = { seats: [{ entropy: "a text" }] };
const REQUESTS = {
  roll: { dice: "a number of dice up to 1000", sides: "a number of sides up to 4294967296" },
  shuffle: { items: ["anything"] },
};

const FACES = ["loco", "tender", "wagon", "wagon", "choice", "cross"];
const COLOURS = ["beige", "white", "ochre", "black"];
const sheep = (least) => [...COLOURS.flatMap((colour) => [0, 1, 2, 3, 4, 5, 6].map((more) => `${colour}-${least + more}`)), ...Array(4).fill("super")];
const DECKS = {
  "pico.hand_dealt": [
    [4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 16],
    [2, 3, 4, 5, 6, 7, 8, 9, 10, 13, 16],
  ],
  "black-sheep.hand_dealt": [sheep(0), sheep(1)],
};
const HANDS = { "pico.hand_dealt": 5, "black-sheep.hand_dealt": 8 };

const DEEPEST = 30;
const MOMENT = /^([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2})(?:\.([0-9]*?)0*)?(?:Z|[+-]00:00)$/;

// The same JSON. Throws where not every language would read the same.
function plain(value, depth = 0) {
  if (depth > DEEPEST) throw new Error("it is nested too deeply");
  if (typeof value === "number" && !Number.isSafeInteger(value)) throw new Error("it has a number that is not whole, or is too large");
  if (value !== null && typeof value === "object") for (const each of Object.values(value)) plain(each, depth + 1);
  return value;
}

// What this JSON says. Throws, and says why, where there is none, or not all languages would read the same.
function read(text) {
  let value;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error("it is no JSON");
  }
  return plain(value);
}

function commandIn(text) {
  try {
    const command = read(text);
    return isObject(command) && Object.hasOwn(command, "type") && isText(command.type) ? command : undefined;
  } catch {
    return undefined;
  }
}

// Where the value has another shape, in sentences.
function* misfits(value, shape, where) {
  const kind = Array.isArray(shape) ? "a list" : isObject(shape) ? "an object" : shape;
  if (!KINDS[kind](value)) yield `${where} is not ${kind}`;
  else if (Array.isArray(shape)) for (const [index, each] of value.entries()) yield* misfits(each, shape[0], `${where}[${index}]`);
  else if (isObject(shape))
    for (const [field, inner] of Object.entries(shape)) {
      const path = where === "the record" ? field : `${where}.${field}`;
      if (Object.hasOwn(value, field)) yield* misfits(value[field], inner, path);
      else yield `${path} is missing`;
    }
}

// The same, for what depends on the type of an event, and on the kind of a draw.
function* misfitsOfKinds({ events, proof }) {
  if (events.length) yield* misfits(events[0].event, OPENED, "events[0].event");
  for (const [index, { event }] of events.entries()) if (event.type === "match.started") yield* misfits(event, STARTED, `events[${index}].event`);
  for (const [index, { request }] of proof.draws.entries())
    yield* misfits(request, REQUESTS[request.kind], `proof.draws[${index}].request`);
}

function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value !== null && typeof value === "object")
    return `{${Object.keys(value).sort().map((key) => `${canonical(key)}:${canonical(value[key])}`).join(",")}}`;
  return JSON.stringify(value).replace(/[\u007f-\uffff]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

const bytes = (...value) => new TextEncoder().encode(canonical([SCHEME, ...value]));
const hex = (digest) => [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
const unhex = (text) => Uint8Array.from(text.match(/../g) ?? [], (byte) => parseInt(byte, 16));
const sha = async (...value) => hex(await crypto.subtle.digest("SHA-256", bytes(...value)));
const same = (a, b) => canonical(a) === canonical(b);

async function mac(key, ...value) {
  const imported = await crypto.subtle.importKey("raw", key, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return crypto.subtle.sign("HMAC", imported, bytes(...value));
}

async function* words(key, number) {
  for (let block = 0; ; block++) {
    const digest = new DataView(await mac(key, "draw", number, block));
    for (let at = 0; at < 32; at += 4) yield digest.getUint32(at);
  }
}

async function below(stream, limit) {
  const fair = 2 ** 32 - (2 ** 32 % limit);
  for (;;) {
    const { value: word } = await stream.next();
    if (word < fair) return word % limit;
  }
}

async function drawn(key, number, request) {
  const stream = words(key, number);
  if (request.kind === "roll") {
    const faces = [];
    while (faces.length < request.dice) faces.push(1 + (await below(stream, request.sides)));
    return faces;
  }
  const items = [...request.items];
  for (let last = items.length - 1; last > 0; last--) {
    const other = await below(stream, last + 1);
    [items[last], items[other]] = [items[other], items[last]];
  }
  return items;
}

// Everything in the record of a match that does not bear checking. Of what is no record it is said what is wrong first.
export async function faults(record) {
  if (!globalThis.crypto?.subtle) throw new Error("a browser has the hashes only on a page that came by https, or from localhost");
  let wrong;
  try {
    wrong = misfits(plain(record), RECORD, "the record").next().value ?? misfitsOfKinds(record).next().value;
  } catch (why) {
    wrong = why.message;
  }
  return wrong ? [`this is no record: ${wrong}`] : faultsOfARecord(record);
}

async function faultsOfARecord({ proof, events, match_id: match }) {
  if (events.some((item, index) => item.version !== index + 1) || events.at(-1)?.event.type !== "match.ended")
    return ["the record is not whole"];
  const opened = events[0].event;
  if (proof.scheme !== SCHEME || opened.scheme !== SCHEME) return ["the scheme is another one"];
  const key = await mac(unhex(proof.seed), "key", match, proof.entropy);
  const found = [];
  const commitment = await sha("commit", match, proof.seed);
  if (opened.commitment !== commitment || proof.commitment !== commitment) found.push("the seed is not the one committed to");
  const forATest = events.some((item) => item.event.type === "match.draws_fixed");
  if (forATest) found.push("the draws were set beforehand, for a test");
  const started = events.filter((item) => item.event.type === "match.started");
  const published = started.flatMap((item) => item.event.seats.map((seat) => seat.entropy));
  if (!same(proof.entropy, published)) found.push("the entropy is not the one published at the start");
  const shown = events.filter((item) => item.draw).map((item) => [item.version, item.draw]);
  if (!same(proof.draws.map((draw) => [draw.version, draw.number]), shown)) found.push("the draws are not those of the events");
  if (!proof.draws.every((draw, index) => draw.number === index + 1)) found.push("the draws are not numbered from 1");
  if (!forATest) {
    const told = events.map((item) => item.event);
    for (const draw of proof.draws) found.push(...(await faultsOfADraw(draw, key, told, proof.entropy.length)));
    const undrawn = events.filter((item) => !item.draw && asked(told.slice(0, item.version), 0).length);
    found.push(...undrawn.map((item) => `event ${item.version} tells of a draw that there was not`));
  }
  const sealed = events.filter((item) => item.seal).map((item) => item.version);
  if (!same(proof.seals.map((seal) => seal.version), sealed)) found.push("the seals are not those of the events");
  for (const seal of proof.seals) found.push(...(await faultsOfASeal(seal, key, match, events[seal.version - 1])));
  return found;
}

async function faultsOfADraw({ number, version, request, outcome }, key, events, seats) {
  if (!same(await drawn(key, number, request), outcome)) return [`draw ${number} came out otherwise`];
  const right = asked(events.slice(0, version), seats);
  if (!right.length || version > events.length) return [];
  if (!right.some((one) => same(request, one))) return [`draw ${number} is not of what the rules ask for`];
  const here = events.slice(version - 1);
  const due = shown(here[0].type, request.items, outcome, seats);
  const asDue = (one, index) => here[index] && Object.entries(one).every(([field, value]) => same(fieldOf(here[index], field), value));
  return due.every(asDue) ? [] : [`event ${version} shows another thing than draw ${number}`];
}

const fieldOf = (event, field) => (Object.hasOwn(event, field) ? event[field] : null);

// The draws of which the last of these events may tell by the rules of its game; none where it does not tell of any.
function asked(events, seats) {
  const [before, event] = [{}, {}, ...events].slice(-2);
  switch (event.type) {
    case "little-train.dice_rolled":
      return [{ kind: "roll", dice: fieldOf(before, "dice"), sides: FACES.length }];
    case "black-sheep.leader_chosen":
      return same(fieldOf(event, "game_number"), 1) ? [{ kind: "roll", dice: 1, sides: seats }] : [];
    case "pico.hand_dealt":
    case "black-sheep.hand_dealt":
      return same(fieldOf(event, "seat"), 0) ? DECKS[event.type].map((items) => ({ kind: "shuffle", items })) : [];
  }
  return [];
}

// What the event that tells of a draw, and those after it, must show of what came out.
function shown(first, deck, outcome, seats) {
  if (first === "little-train.dice_rolled") return [{ faces: outcome.map((number) => FACES[number - 1]) }];
  if (first === "black-sheep.leader_chosen") return [{ leader: outcome[0] - 1 }];
  const hand = HANDS[first];
  const pile = (from, to) => outcome.slice(from, to).sort((one, other) => deck.indexOf(one) - deck.indexOf(other));
  const due = Array.from({ length: seats }, (_, seat) => ({ type: first, seat, cards: pile(hand * seat, hand * (seat + 1)) }));
  const rest = pile(hand * seats);
  if (rest.length === 1) due.push({ type: "pico.face_up_card_placed", card: rest[0] });
  else if (rest.length) due.push({ type: "black-sheep.cards_set_aside", cards: rest });
  return due;
}

async function faultsOfASeal({ version, seat, command, seal }, key, match, item) {
  const choice = read(command);
  const right = await sha("seal", match, version, seat, choice, hex(await mac(key, "salt", version)));
  if (right !== seal || item?.seal !== seal || item.seat !== seat) return [`the choice of event ${version} was changed after it was made`];
  if (Object.entries(choice).some(([field, value]) => field !== "type" && !same(fieldOf(item.event, field), value)))
    return [`event ${version} is not of the choice that was sealed`];
  return [];
}

// Everything in these events, as they were told during the match, that the record tells otherwise now.
export function brokenPromises(record, seen) {
  let wrong;
  try {
    wrong = misfits(plain(record), EVENTS, "the record").next().value ?? misfits(plain(seen), [ITEM], "seen").next().value;
  } catch (why) {
    wrong = why.message;
  }
  if (wrong) return [`this cannot be compared: ${wrong}`];
  const events = new Map(record.events.map((item) => [item.version, even(item)]));
  const other = seen.filter((item) => !kept(even(item), events.get(item.version)));
  return other.map(({ version }) => `event ${version} was another one when you saw it`);
}

// The same JSON with each moment, in UTC, written one way: a client that reads it, and writes it again, has another.
function even(value) {
  if (Array.isArray(value)) return value.map(even);
  if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, even(each)]));
  const [, moment, fraction] = (isText(value) && MOMENT.exec(value)) || [];
  return moment === undefined ? value : `${moment}.${fraction ?? ""}Z`;
}

function kept(item, now) {
  if (!now || !same({ ...item, event: null }, { ...now, event: null })) return false;
  const told = Object.entries(item.event).filter(([, value]) => value !== null);
  return told.every(([field, value]) => Object.hasOwn(now.event, field) && same(now.event[field], value));
}

// The JSON of this text, which holds these fields. Throws, in words for whoever handed us something else.
function given(text, fields, what) {
  let value;
  try {
    value = read(text);
  } catch (why) {
    throw new Error(`This is not ${what}: ${why.message}.`);
  }
  if (Array.isArray(value)) value = { items: value };
  if (value === null || typeof value !== "object" || !fields.every((field) => Object.hasOwn(value, field)))
    throw new Error(`This is not ${what}.${isText(value?.detail) ? ` The server said: ${value.detail}` : ""}`);
  return value;
}

async function main(names, { readFileSync }) {
  let record, seen;
  try {
    record = given(readFileSync(0, "utf8"), ["match_id", "events", "proof"], "the record of a match");
    seen = names.map((name) => given(readFileSync(name, "utf8"), ["items"], `a list of events (${name})`).items);
  } catch (why) {
    console.error(`Nothing was checked. ${why.message}`);
    return 2;
  }
  const wrong = [...(await faults(record)), ...seen.flatMap((items) => brokenPromises(record, items))];
  console.log(wrong.join("\n") || "Everything bears checking: the seed, every draw, every secret choice.");
  return wrong.length ? 1 : 0;
}

async function runIfThisIsTheProgram([, program = "", ...names]) {
  const ofNode = (name) => import(/* @vite-ignore */ /* webpackIgnore: true */ `node:${name}`); // Unknown to what bundles for browsers.
  const [files, addresses] = [await ofNode("fs"), await ofNode("url")];
  const here = addresses.fileURLToPath(import.meta.url); // Another name where a bundler has made us part of another program.
  if (here.endsWith("verify.mjs") && files.existsSync(program) && files.realpathSync(program) === here)
    process.exitCode = await main(names, files);
}

if (globalThis.process?.versions?.node) runIfThisIsTheProgram(process.argv);
