import kafkajs from 'kafkajs'
import snappy from 'kafkajs-snappy'
import { showRow } from './row.mjs'

const { CompressionCodecs, CompressionTypes, Kafka, logLevel } = kafkajs
CompressionCodecs[CompressionTypes.Snappy] = snappy

const CODECS = { none: 0, gzip: 1, snappy: 2 }

function connect(address) {
  return new Kafka({ brokers: [address], logLevel: logLevel.ERROR })
}

export async function write(address, topic, codec, idempotent, rows) {
  const producer = connect(address).producer({ idempotent, maxInFlightRequests: 1 })
  await producer.connect()
  const messages = rows.map((row) => ({
    key: row.key,
    value: row.value,
    partition: 0,
    timestamp: String(row.timestamp),
    headers: headersOf(row)
  }))
  const [reported] = await producer.send({ topic, acks: -1, compression: CODECS[codec], messages })
  await producer.disconnect()
  return messages.map((_, index) => Number(reported.baseOffset) + index)
}

// It reads only as a member of a group.
export async function read(address, topic, start, count) {
  const groupId = `reads-${topic}-${start}`
  const consumer = connect(address).consumer({ groupId, maxWaitTimeInMs: 500 })
  const found = []
  await consumer.connect()
  try {
    await consumer.subscribe({ topics: [topic], fromBeginning: true })
    await new Promise((resolve, reject) => {
      const eachMessage = async ({ message }) => {
        if (found.length === count) return
        const headers = listOf(message.headers)
        found.push(`${message.offset} ${showRow({ ...message, headers })}`)
        if (found.length === count) resolve()
      }
      consumer.run({ eachMessage }).catch(reject)
      consumer.seek({ topic, partition: 0, offset: String(start) })
    })
  } finally {
    await consumer.disconnect()
  }
  return found
}

function listOf(headers) {
  return Object.entries(headers).flatMap(([name, value]) =>
    [value].flat().map((one) => [name, one])
  )
}

// A name that stands twice has a list of values.
function headersOf(row) {
  const headers = {}
  for (const [name, value] of row.headers) {
    headers[name] = name in headers ? [headers[name], value].flat() : value
  }
  return headers
}

export async function ends(address, topic) {
  return withAdmin(address, async (admin) => {
    const [found] = await admin.fetchTopicOffsets(topic)
    return [found.low, found.high]
  })
}

export async function time(address, topic, timestamp) {
  return withAdmin(address, async (admin) => {
    const [found] = await admin.fetchTopicOffsetsByTimestamp(topic, timestamp)
    return [found.offset]
  })
}

export async function topics(address, topic) {
  return withAdmin(address, async (admin) => {
    const configEntries = [{ name: 'retention.ms', value: '86400000' }]
    await admin.createTopics({
      topics: [{ topic, numPartitions: 3, replicationFactor: 1, configEntries }]
    })
    const before = await admin.listTopics()
    const metadata = await admin.fetchTopicMetadata({ topics: [topic] })
    const described = await admin.describeConfigs({
      includeSynonyms: false,
      resources: [{ type: 2, name: topic, configNames: ['retention.ms'] }]
    })
    await admin.deleteTopics({ topics: [topic] })
    const after = await admin.listTopics()
    return [
      metadata.topics[0].partitions.length,
      described.resources[0].configEntries[0].configValue,
      before.includes(topic),
      after.includes(topic)
    ]
  })
}

async function withAdmin(address, work) {
  const admin = connect(address).admin()
  await admin.connect()
  try {
    return await work(admin)
  } finally {
    await admin.disconnect()
  }
}

// A transaction has at most so many records; each third one is aborted.
const AT_ONCE = 40

export async function copy(address, source, target, count) {
  const client = connect(address)
  const groupId = `of-${source}`
  const consumer = client.consumer({ groupId, readUncommitted: false, maxWaitTimeInMs: 200 })
  const producer = client.producer({
    transactionalId: `id-${target}`,
    idempotent: true,
    maxInFlightRequests: 1
  })
  await Promise.all([consumer.connect(), producer.connect()])
  try {
    await consumer.subscribe({ topics: [source], fromBeginning: true })
    let done = 0
    let round = 0
    await new Promise((resolve, reject) => {
      const eachBatch = async ({ batch, resolveOffset }) => {
        for (let first = 0; first < batch.messages.length;) {
          const taken = batch.messages.slice(first, first + AT_ONCE)
          const commits = round++ % 3 !== 0
          const last = taken.at(-1).offset
          const transaction = await producer.transaction()
          const messages = taken.map(({ value }) => ({ value, partition: 0 }))
          await transaction.send({ topic: target, messages })
          const partitions = [{ partition: 0, offset: String(BigInt(last) + 1n) }]
          const topics = [{ topic: source, partitions }]
          await transaction.sendOffsets({ consumerGroupId: groupId, topics })
          if (!commits) {
            await transaction.abort()
            continue
          }
          await transaction.commit()
          resolveOffset(last)
          first += taken.length
          done += taken.length
        }
        if (done >= count) resolve()
      }
      consumer.run({ autoCommit: false, eachBatch }).catch(reject)
    })
  } finally {
    await Promise.all([consumer.disconnect(), producer.disconnect()])
  }
  const rows = await read(address, target, 0, count)
  return rows.map((row) => Buffer.from(row.split(' ')[2].slice(1), 'hex').toString())
}
