// Pico, with cards, or Little Train, with dice, against a bot in the terminal: a front end on the generated client.
//
//   node table.js pico http://localhost:8000
//   node table.js little-train http://localhost:8000

import { createInterface } from "node:readline";
import { follow, Refused } from "./follow.js";
import { client } from "./ludicitude/client.gen.js";
import {
  createPlayer,
  openMatch,
  sendCommand,
  type MatchCommand,
  type Decision,
  type MatchEvent,
  type EventItem,
  type MatchView,
  type MatchOptionsInput,
  type SendCommand,
  type MatchTable,
} from "./ludicitude/index.js";
import { send, Unanswered } from "./send.js";

const GAMES: Record<string, MatchOptionsInput> = {
  pico: { game: "pico" },
  "little-train": { game: "little-train", games: 1 },
};

const NAMES = ["You", "The bot"];

/** What an event says, if it is worth a line. */
function sentence(event: MatchEvent): string | undefined {
  switch (event.type) {
    case "pico.cards_revealed":
      return `You lay the ${event.cards[0]}, the bot the ${event.cards[1]}.`;
    case "pico.trick_resolved":
      return `${NAMES[event.winner]} won the trick with the ${event.card}.`;
    case "little-train.dice_rolled":
      return `${NAMES[event.seat]} rolled ${event.faces.join(", ")}.`;
    case "little-train.sheet_marked":
      return `${NAMES[event.seat]} marked ${event.count} ${event.column}.`;
    case "little-train.turn_scored":
      return `${NAMES[event.seat]} scored ${event.points}.\n`;
  }
}

/** The table as it stands, from seat 0. */
function picture(table: MatchTable): string {
  switch (table.game) {
    case "pico": {
      const [hand, other] = table.hands.map((cards) => cards.join("  "));
      const points = `Round ${table.round}. Points ${table.totals[0]} to ${table.totals[1]}.`;
      return `${points}\n  the bot holds ${other}\n  you hold      ${hand}`;
    }
    case "little-train": {
      const { loco, tender, wagon } = table.sheets[0]!;
      const worth = table.train ? `, worth ${table.train.points}` : "";
      return `Your train: ${loco} loco, ${tender} tender, ${wagon} wagon${worth}. Dice left: ${table.dice}.`;
    }
    default:
      return "";
  }
}

/** A choice in words. */
function words(command: MatchCommand): string {
  switch (command.type) {
    case "pico.commit_card":
      return `lay the ${command.card}`;
    case "little-train.roll":
      return "roll";
    case "little-train.mark":
      return `mark ${command.count} ${command.column}`;
    case "little-train.stop":
      return "stop and score";
    default:
      return JSON.stringify(command);
  }
}

const terminal = createInterface({ input: process.stdin });
const answers = terminal[Symbol.asyncIterator]();

/** Ask at the terminal until the answer is the number of a choice; nothing is the first one. */
async function choose({ decision, choices }: Decision): Promise<SendCommand> {
  choices.forEach((choice, index) => console.log(`  ${index + 1}  ${words(choice)}`));
  for (;;) {
    process.stdout.write("Your choice: ");
    const { value, done } = await answers.next();
    if (done) process.exit();
    const command = choices[Number(value || "1") - 1];
    if (command) return { decision, command };
  }
}

const lost = (why: string, seconds: number) => console.log(`The server cannot be reached (${why}), trying again in ${seconds.toFixed()} s.`);
const found = () => console.log("There it is again.");

async function play(baseUrl: string, options: MatchOptionsInput): Promise<void> {
  client.setConfig({ baseUrl });
  const { token } = (await send(() => createPlayer({ body: { display_name: "Ada" } }), { lost, found })).data;
  client.setConfig({ auth: token });
  const terms = { options, bots: ["normal"] };
  const opened = await send((key) => openMatch({ headers: { "Idempotency-Key": key }, body: terms }), { lost, found });
  const { match_id } = opened.data;

  async function answer(decision: Decision): Promise<void> {
    const body = await choose(decision);
    try {
      await send((key) => sendCommand({ path: { match_id }, headers: { "Idempotency-Key": key }, body })); // `follow` tells of the line.
    } catch (error) {
      if (error instanceof Unanswered) return answer(decision); // No harm if it has been made: a decision is made once.
      if (!(error instanceof Refused)) throw error;
      console.log(error.problem?.detail ?? error.message);
    }
  }

  const known = new Set<string>();
  let asking = Promise.resolve(); // One question after the other; the loop goes on while somebody thinks.
  for await (const { items, view } of follow<EventItem, MatchView>(`${baseUrl}/v1/matches/${match_id}`, { token, lost, found })) {
    for (const { event } of items) {
      const line = sentence(event);
      if (line) console.log(line);
    }
    for (const decision of view.decisions) {
      if (known.has(decision.decision)) continue;
      known.add(decision.decision);
      asking = asking.then(() => {
        console.log(picture(view.table!));
        return answer(decision);
      });
    }
    for (const { rank, seat, score } of view.result?.ranking ?? []) console.log(`${rank}. ${NAMES[seat]}, ${score} points`);
  }
  terminal.close();
  process.stdin.destroy(); // Else Node.js waits for one more line.
}

const [game = "", address = "http://localhost:8000"] = process.argv.slice(2);
const options = GAMES[game];
if (!options) throw new Error(`Say which game: ${Object.keys(GAMES).join(" or ")}.`);
await play(address, options).catch((error) => {
  if (!(error instanceof Unanswered)) throw error;
  console.error(`No answer from ${address}.`);
  process.exit(1);
});
