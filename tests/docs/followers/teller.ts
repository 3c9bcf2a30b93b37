// Says in words all that it is given: events, choices and tables, a line of JSON each.

import { readFileSync } from "node:fs";
import { Words } from "./words.js";

const { game, shared, schemas, language, names, events, choices, tables, seats, ...given } = JSON.parse(readFileSync(0, "utf-8"));
const words = new Words(game, shared, schemas, language);
words.names = names;
console.log(JSON.stringify(events.map((each: { type: string }) => words.sentence(each) ?? null)));
console.log(JSON.stringify(choices.map((each: { type: string }) => words.choice(each))));
console.log(JSON.stringify(tables.map((each: { game: string }) => words.picture(each))));
console.log(JSON.stringify(seats.map((each: Parameters<Words["who"]>[0]) => words.who(each))));
const fields = (table: { game: string }) => Object.keys(table).filter((name) => name !== "game");
console.log(JSON.stringify(tables.map((table: { game: string }) => fields(table).map((name) => words.field(table, name)))));
console.log(JSON.stringify(given.pieces.map((each: string) => words.piece(each))));
console.log(JSON.stringify(given.problems.map((each: Parameters<Words["problem"]>[0]) => words.problem(each))));
console.log(JSON.stringify(given.times.map((each: number) => words.timeLeft(each))));
for (const view of given.views) words.sees(view);
console.log(JSON.stringify(given.left.map((each: { type: string }) => words.sentence(each) ?? null)));
console.log(JSON.stringify(given.messages.map((each: Parameters<Words["message"]>[0]) => words.message(each))));
console.log(JSON.stringify(given.results.map((each: Parameters<Words["winner"]>[0]) => words.winner(each) ?? null)));
console.log(JSON.stringify(words.terms(given.options)));
