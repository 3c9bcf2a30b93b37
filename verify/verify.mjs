// Checks the dice and the secret choices of a match, scheme ludi-fair-v1. Needs a browser, or Node 20 or newer, and nothing else.
// Usage: curl -s https://.../v1/matches/<match_id>/record | node verify.mjs [events.json ...]
//
// The files are answers of list_events, or lists of their items, that you kept while the match went on; the record is then held
// against them as well. What the rules make of a roll, a shuffle or a choice is not checked here: for that a program has to know the
// game. The exit code is 0 when everything bears checking, 1 when something does not, and 2 when there is nothing to check.
//
// In a client: [...(await faults(record)), ...brokenPromises(record, seen)], a list of sentences, where `record` is what get_record
// answers and `seen` are all the items that you were told. A browser has the hashes on a page that came by https, or from localhost.

const SCHEME = "ludi-fair-v1";

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
  const [faces, items] = [[], [...(request.items ?? [])]];
  if (request.kind === "roll") {
    while (faces.length < request.dice) faces.push(1 + (await below(stream, request.sides)));
    return faces;
  }
  for (let last = items.length - 1; last > 0; last--) {
    const other = await below(stream, last + 1);
    [items[last], items[other]] = [items[other], items[last]];
  }
  return items;
}

// Everything in the record of a match that does not bear checking.
export async function faults(record) {
  const { proof, match_id: match } = record;
  const events = new Map(record.events.map((item) => [item.version, item]));
  if (record.events.some((item, index) => item.version !== index + 1) || record.events.at(-1)?.event.type !== "match.ended")
    return ["the record is not whole"];
  const opened = events.get(1).event;
  if (proof.scheme !== SCHEME || opened.scheme !== SCHEME) return ["the scheme is another one"];
  const key = await mac(unhex(proof.seed), "key", match, proof.entropy);
  const found = [];
  const commitment = await sha("commit", match, proof.seed);
  if (opened.commitment !== commitment || proof.commitment !== commitment) found.push("the seed is not the one committed to");
  const forATest = record.events.some((item) => item.event.type === "match.draws_fixed");
  if (forATest) found.push("the draws were set beforehand, for a test");
  const started = record.events.filter((item) => item.event.type === "match.started");
  const published = started.flatMap((item) => item.event.seats.map((seat) => seat.entropy));
  if (!same(proof.entropy, published)) found.push("the entropy is not the one published at the start");
  const shown = record.events.filter((item) => item.draw).map((item) => [item.version, item.draw]);
  if (!same(proof.draws.map((draw) => [draw.version, draw.number]), shown)) found.push("the draws are not those of the events");
  if (!proof.draws.every((draw, index) => draw.number === index + 1)) found.push("the draws are not numbered from 1");
  for (const draw of proof.draws)
    if (!forATest && !same(await drawn(key, draw.number, draw.request), draw.outcome)) found.push(`draw ${draw.number} came out otherwise`);
  const sealed = record.events.filter((item) => item.seal).map((item) => item.version);
  if (!same(proof.seals.map((seal) => seal.version), sealed)) found.push("the seals are not those of the events");
  for (const { version, seat, command, seal } of proof.seals) {
    const [item, choice] = [events.get(version), JSON.parse(command)];
    const right = await sha("seal", match, version, seat, choice, hex(await mac(key, "salt", version)));
    if (right !== seal || item?.seal !== seal || item?.seat !== seat)
      found.push(`the choice of event ${version} was changed after it was made`);
    else if (Object.entries(choice).some(([field, value]) => field !== "type" && !same(item.event[field] ?? null, value)))
      found.push(`event ${version} is not of the choice that was sealed`);
  }
  return found;
}

// Everything in these events, as they were told during the match, that the record tells otherwise now.
export function brokenPromises(record, seen) {
  const events = new Map(record.events.map((item) => [item.version, item]));
  return seen.filter((item) => !kept(item, events.get(item.version))).map((item) => `event ${item.version} was another one when you saw it`);
}

function kept(item, now) {
  const told = Object.entries(item.event).filter(([, value]) => value !== null);
  const inNow = now && told.every(([field, value]) => field in now.event && same(now.event[field], value));
  return Boolean(inNow) && same({ ...item, event: null }, { ...now, event: null });
}

// The JSON of this text, which holds these fields. Throws, in words for whoever handed us something else.
function given(text, fields, what) {
  let value;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error(`This is not ${what}: it is no JSON.`);
  }
  if (Array.isArray(value)) value = { items: value };
  if (value === null || typeof value !== "object" || !fields.every((field) => field in value))
    throw new Error(`This is not ${what}.${value?.detail ? ` The server said: ${value.detail}` : ""}`);
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
