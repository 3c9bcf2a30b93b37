// boardgame.io: `node boardgame.mjs PORT [DATABASE_URL]` serves a game of one move, in memory or with bgio-postgres.
import { Server } from 'boardgame.io/dist/cjs/server.js'

const [port, url] = process.argv.slice(2)
const game = {
  name: 'bench',
  setup: () => ({ cards: 0 }),
  moves: { commit: ({ G }, card) => ({ ...G, cards: G.cards + card }) },
}
let db
if (url) {
  const { PostgresStore } = await import('bgio-postgres')
  db = new PostgresStore(url, { logging: false, pool: { max: 10 } })
}
const server = Server({ games: [game], origins: [/.*/], ...(db ? { db } : {}) })
await server.run({ port: Number(port), callback: () => console.log('ready') })
