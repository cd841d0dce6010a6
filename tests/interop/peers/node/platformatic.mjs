import { Admin, Consumer, ListOffsetTimestamps, Producer } from '@platformatic/kafka'
import { showRow } from './row.mjs'

function settings(address) {
  return { clientId: 'platformatic', bootstrapBrokers: [address], retries: 2 }
}

export async function write(address, topic, codec, idempotent, rows) {
  const producer = new Producer({ ...settings(address), autocreateTopics: false, idempotent })
  const messages = rows.map((row) => ({
    topic,
    partition: 0,
    key: row.key,
    value: row.value,
    timestamp: BigInt(row.timestamp),
    headers: new Map(row.headers.map(([name, value]) => [Buffer.from(name), value]))
  }))
  try {
    const reported = await producer.send({ messages, compression: codec, acks: -1 })
    const base = Number(reported.offsets[0].offset)
    return rows.map((_, index) => base + index)
  } finally {
    await producer.close()
  }
}

export async function read(address, topic, start, count) {
  const consumer = new Consumer({ ...settings(address), groupId: 'not-joined', autocommit: false })
  const found = []
  let next = BigInt(start)
  const metadata = await consumer.metadata({ topics: [topic] })
  const { id, partitions } = metadata.topics.get(topic)
  while (found.length < count) {
    const response = await consumer.fetch({
      node: partitions[0].leader,
      topics: [{
        topicId: id,
        partitions: [{
          partition: 0,
          currentLeaderEpoch: -1,
          fetchOffset: next,
          lastFetchedEpoch: -1,
          partitionMaxBytes: 4000000
        }]
      }],
      maxWaitTime: 1000
    })
    for (const batch of response.responses[0]?.partitions[0].records ?? []) {
      for (const record of batch.records) {
        const offset = batch.firstOffset + BigInt(record.offsetDelta)
        if (offset < next) continue
        const timestamp = batch.firstTimestamp + record.timestampDelta
        found.push(`${offset} ${showRow({ ...record, timestamp, headers: headersOf(record) })}`)
        next = offset + 1n
      }
    }
  }
  await consumer.close()
  return found.slice(0, count)
}

function headersOf(record) {
  return [...(record.headers ?? [])]
}

export async function ends(address, topic) {
  return [
    ...await offsets(address, topic, ListOffsetTimestamps.EARLIEST),
    ...await offsets(address, topic, ListOffsetTimestamps.LATEST)
  ]
}

export async function time(address, topic, timestamp) {
  return offsets(address, topic, BigInt(timestamp))
}

async function offsets(address, topic, timestamp) {
  const admin = new Admin(settings(address))
  try {
    const asked = [{ name: topic, partitions: [{ partitionIndex: 0, timestamp }] }]
    const [found] = await admin.listOffsets({ topics: asked })
    return [found.partitions[0].offset]
  } finally {
    await admin.close()
  }
}

export async function topics(address, topic) {
  const admin = new Admin(settings(address))
  try {
    const configs = [{ name: 'retention.ms', value: '86400000' }]
    const [made] = await admin.createTopics({ topics: [topic], partitions: 3, replicas: 1, configs })
    const before = await admin.listTopics()
    const [described] = await admin.describeConfigs({
      resources: [{ resourceType: 2, resourceName: topic, configurationKeys: ['retention.ms'] }]
    })
    await admin.deleteTopics({ topics: [topic] })
    const after = await admin.listTopics()
    return [
      made.partitions,
      described.configs[0].value,
      before.includes(topic),
      after.includes(topic)
    ]
  } finally {
    await admin.close()
  }
}

// A transaction has at most so many records; each third one is aborted. It tells what it copied: its
// own reader gives records of all aborted transactions of a producer but the last, also from Kafka.
const AT_ONCE = 40

export async function copy(address, source, target, count) {
  const groupId = `of-${source}`
  const consumer = new Consumer({ ...settings(address), groupId, autocommit: false })
  const producer = new Producer({
    ...settings(address),
    idempotent: true,
    transactionalId: `id-${target}`
  })
  const stream = await consumer.consume({ topics: [source], mode: 'earliest', autocommit: false })
  const all = await take(stream, count)
  for (let done = 0, round = 0; done < count; round++) {
    const taken = all.slice(done, done + AT_ONCE)
    const transaction = await producer.beginTransaction()
    const messages = taken.map(({ value }) => ({ topic: target, partition: 0, value }))
    await transaction.send({ messages, acks: -1 })
    await transaction.addConsumer(consumer)
    await transaction.addOffset(taken.at(-1))
    if (round % 3 === 0) {
      await transaction.abort()
    } else {
      await transaction.commit()
      done += taken.length
    }
  }
  await stream.close()
  await consumer.close(true)
  await producer.close()
  return all.map(({ value }) => value.toString())
}

async function take(stream, count) {
  const found = []
  for await (const message of stream) {
    found.push(message)
    if (found.length === count) break
  }
  return found
}
