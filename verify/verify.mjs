// Checks the dice and the secret choices of a match, scheme ludi-fair-v1. Needs Node 18 or newer and nothing else.
// Usage: curl -s https://.../v1/matches/<match_id>/record | node verify.mjs [events.json ...]
//
// The files are answers of list_events, or lists of their items, that you kept while the match went on; the record is then held
// against them as well. What the rules make of a roll, a shuffle or a choice is not checked here: for that a program has to know the
// game. The exit code is 0 when everything bears checking, 1 when something does not, and 2 when there is nothing to check.

import { createHash, createHmac } from "node:crypto";
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { fileURLToPath } from "node:url";

const SCHEME = "ludi-fair-v1";

function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value !== null && typeof value === "object")
    return `{${Object.keys(value).sort().map((key) => `${canonical(key)}:${canonical(value[key])}`).join(",")}}`;
  return JSON.stringify(value).replace(/[\u007f-\uffff]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
const sha = (...value) => createHash("sha256").update(canonical([SCHEME, ...value])).digest("hex");
const mac = (key, ...value) => createHmac("sha256", key).update(canonical([SCHEME, ...value])).digest();
const same = (a, b) => canonical(a) === canonical(b);

function* words(key, number) {
  for (let block = 0; ; block++) {
    const digest = mac(key, "draw", number, block);
    for (let at = 0; at < 32; at += 4) yield digest.readUInt32BE(at);
  }
}

function below(stream, limit) {
  const fair = 2 ** 32 - (2 ** 32 % limit);
  for (;;) {
    const word = stream.next().value;
    if (word < fair) return word % limit;
  }
}

function drawn(key, number, request) {
  const stream = words(key, number);
  if (request.kind === "roll") return Array.from({ length: request.dice }, () => 1 + below(stream, request.sides));
  const items = [...request.items];
  for (let last = items.length - 1; last > 0; last--) {
    const other = below(stream, last + 1);
    [items[last], items[other]] = [items[other], items[last]];
  }
  return items;
}

// Everything in the record of a match that does not bear checking.
export function faults(record) {
  const { proof, match_id: match } = record;
  const events = new Map(record.events.map((item) => [item.version, item]));
  if (record.events.some((item, index) => item.version !== index + 1) || record.events.at(-1)?.event.type !== "match.ended")
    return ["the record is not whole"];
  const opened = events.get(1).event;
  if (proof.scheme !== SCHEME || opened.scheme !== SCHEME) return ["the scheme is another one"];
  const key = mac(Buffer.from(proof.seed, "hex"), "key", match, proof.entropy);
  const found = [];
  const commitment = sha("commit", match, proof.seed);
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
    if (!forATest && !same(drawn(key, draw.number, draw.request), draw.outcome)) found.push(`draw ${draw.number} came out otherwise`);
  const sealed = record.events.filter((item) => item.seal).map((item) => item.version);
  if (!same(proof.seals.map((seal) => seal.version), sealed)) found.push("the seals are not those of the events");
  for (const { version, seat, command, seal } of proof.seals) {
    const [item, choice] = [events.get(version), JSON.parse(command)];
    const right = sha("seal", match, version, seat, choice, mac(key, "salt", version).toString("hex"));
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

function main(names) {
  let record, seen;
  try {
    record = given(readFileSync(0, "utf8"), ["match_id", "events", "proof"], "the record of a match");
    seen = names.map((name) => given(readFileSync(name, "utf8"), ["items"], `a list of events (${name})`).items);
  } catch (why) {
    console.error(`Nothing was checked. ${why.message}`);
    return 2;
  }
  const wrong = [...faults(record), ...seen.flatMap((items) => brokenPromises(record, items))];
  console.log(wrong.join("\n") || "Everything bears checking: the seed, every draw, every secret choice.");
  return wrong.length ? 1 : 0;
}

const [, program = ""] = process.argv;
if (existsSync(program) && realpathSync(program) === fileURLToPath(import.meta.url)) process.exitCode = main(process.argv.slice(2));
