// Says in words all that it is given: events, choices and tables, a line of JSON each.

import { readFileSync } from "node:fs";
import { Words } from "./words.js";

const { game, shared, schemas, language, names, events, choices, tables, seats } = JSON.parse(readFileSync(0, "utf-8"));
const words = new Words(game, shared, schemas, language);
words.names = names;
console.log(JSON.stringify(events.map((each: { type: string }) => words.sentence(each) ?? null)));
console.log(JSON.stringify(choices.map((each: { type: string }) => words.choice(each))));
console.log(JSON.stringify(tables.map((each: { game: string }) => words.picture(each))));
console.log(JSON.stringify(seats.map((each: Parameters<Words["who"]>[0]) => words.who(each))));
