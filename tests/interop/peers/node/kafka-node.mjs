import kafka from 'kafka-node'
import { showRow } from './row.mjs'

const CODECS = { none: 0, gzip: 1, snappy: 2 }

export function write(address, topic, codec, idempotent, rows) {
  const client = new kafka.KafkaClient({ kafkaHost: address })
  const producer = new kafka.Producer(client, { requireAcks: -1 })
  const messages = rows.map((row) => new kafka.KeyedMessage(row.key, row.value))
  const payload = {
    topic,
    partition: 0,
    messages,
    attributes: CODECS[codec],
    timestamp: rows[0].timestamp
  }
  return new Promise((resolve, reject) => {
    producer.on('error', reject)
    producer.on('ready', () => {
      producer.send([payload], (error, reported) => {
        producer.close(() => (error ? reject(error) : resolve([])))
      })
    })
  })
}

export function read(address, topic, start, count) {
  const client = new kafka.KafkaClient({ kafkaHost: address })
  const consumer = new kafka.Consumer(client, [{ topic, partition: 0, offset: start }], {
    autoCommit: false,
    fromOffset: true,
    encoding: 'buffer',
    keyEncoding: 'buffer',
    fetchMaxBytes: 4000000
  })
  const found = []
  return new Promise((resolve, reject) => {
    consumer.on('error', reject)
    consumer.on('message', ({ offset, key, value }) => {
      found.push(`${offset} ${showRow({ key, value, timestamp: -1, headers: [] })}`)
      if (found.length === count) {
        consumer.close(true, () => resolve(found))
      }
    })
  })
}

export async function ends(address, topic) {
  return [await offset(address, topic, -2), await offset(address, topic, -1)]
}

function offset(address, topic, time) {
  const client = new kafka.KafkaClient({ kafkaHost: address })
  return new Promise((resolve, reject) => {
    client.on('error', reject)
    const asked = [{ topic, partition: 0, time, maxNum: 1 }]
    new kafka.Offset(client).fetch(asked, (error, found) => {
      client.close(() => (error ? reject(error) : resolve(found[topic][0][0])))
    })
  })
}
