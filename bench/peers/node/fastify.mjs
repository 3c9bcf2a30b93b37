// fastify and pg: `node fastify.mjs PORT DATABASE_URL` stores one event with each request, and does nothing else.
import Fastify from 'fastify'
import pg from 'pg'

const [port, url] = process.argv.slice(2)
const pool = new pg.Pool({ connectionString: url, max: 10 })
const INSERT = {
  name: 'insert',
  text: "INSERT INTO bench_events (stream_id, version, type, data) VALUES (gen_random_uuid(), 1, 'pico.card_committed', $1)",
}
const app = Fastify()
app.post('/events', async (request) => {
  await pool.query({ ...INSERT, values: [request.body] })
  return { stored: true }
})
await app.listen({ port: Number(port), host: '127.0.0.1' })
console.log('ready')
