// npm franz-kafka: magic 1, plain or gzip. Reads and writes as streams.
const Kafka = require("franz-kafka");

const [verb, port, name, partition, ...rest] = process.argv.slice(2);
const kafka = new Kafka({
  brokers: [{ id: 0, host: "127.0.0.1", port: Number(port) }],
  compression: verb === "gzip" ? "gzip" : "none",
  queueTime: 50,
  minFetchDelay: 10,
  maxFetchDelay: 50,
});

kafka.connect(() => {
  const place = `0-${partition}`;
  if (verb === "consume") {
    const found = [];
    const topic = kafka.topic(name, { partitions: { consume: [place], produce: [] } });
    topic.on("data", (data) => {
      found.push([data.toString(), 0]);
      if (found.length < Number(rest[1])) return;
      console.log(JSON.stringify(found));
      process.exit(0);
    });
    topic.resume();
    return;
  }
  const topic = kafka.topic(name, { partitions: { produce: [`0:${Number(partition) + 1}`], consume: [] } });
  topic.on("error", (error) => { throw error; });
  for (const text of rest) topic.write(text);
  setTimeout(() => process.exit(0), 500);
});
