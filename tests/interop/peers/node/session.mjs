// Clients written for Node behind the commands of program.py. The argument names the client's file.
import { createInterface } from 'node:readline'
import { parseRow } from './row.mjs'

const PATIENCE_MS = 40000
const client = await import(`./${process.argv[2]}.mjs`)
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]()
console.log = console.error // what a client logs is no answer

async function run([verb, address, topic, ...more]) {
  switch (verb) {
    case 'write': {
      const [codec, idempotent, count] = more
      const rows = []
      for (let left = Number(count); left > 0; left--) {
        rows.push(parseRow((await lines.next()).value))
      }
      return client.write(address, topic, codec, idempotent === 'true', rows)
    }
    case 'read':
      return client.read(address, topic, Number(more[0]), Number(more[1]))
    case 'copy':
      return client.copy(address, topic, more[0], Number(more[1]))
    case 'time':
      return client.time(address, topic, Number(more[0]))
    default:
      return client[verb](address, topic)
  }
}

function late(command) {
  return new Promise((resolve, reject) => {
    const refuse = () => reject(new Error(`nothing came of ${command}`))
    setTimeout(refuse, PATIENCE_MS).unref()
  })
}

for (let line = await lines.next(); !line.done; line = await lines.next()) {
  try {
    const answers = await Promise.race([run(line.value.split(' ')), late(line.value)])
    process.stdout.write(answers.map((each) => `${each}\n`).join('') + 'done\n')
  } catch (error) {
    console.error(error)
    process.stdout.write(`failed ${String(error.message ?? error).replaceAll('\n', ' ')}\n`)
  }
}
process.exit(0)
