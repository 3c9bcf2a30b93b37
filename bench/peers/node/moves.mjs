// Makes moves at a boardgame.io server as its clients do: `node moves.mjs PORT CONNECTIONS SECONDS` prints how many a second.
import { io } from 'socket.io-client'

const [port, connections, seconds] = process.argv.slice(2).map(Number)
const MOVES = 40 // A match; its log is written anew with each move, so longer ones would be slower.
let counting = false
let moves = 0

function play(number) {
  return new Promise((ready, fail) => {
    const socket = io(`http://localhost:${port}/bench`, { transports: ['websocket'] })
    let match = 0
    const id = () => `${process.pid}-${number}-${match}`
    const sit = () => socket.emit('sync', id(), '0', undefined, 2)
    const move = (state) => {
      if (state.ctx.numMoves >= MOVES) {
        match += 1
        return sit()
      }
      const action = { type: 'MAKE_MOVE', payload: { type: 'commit', args: [1], playerID: '0', credentials: undefined } }
      socket.emit('update', action, state._stateID, id(), '0')
    }
    socket.on('connect_error', fail)
    socket.on('connect', sit)
    socket.on('sync', (_, { state }) => { ready(); move(state) })
    socket.on('update', (_, state) => { moves += counting; move(state) })
  })
}

await Promise.all(Array.from({ length: connections }, (_, number) => play(number)))
await new Promise((done) => setTimeout(done, 300))
counting = true
const began = performance.now()
await new Promise((done) => setTimeout(done, seconds * 1000))
console.log(moves / ((performance.now() - began) / 1000))
process.exit(0)
