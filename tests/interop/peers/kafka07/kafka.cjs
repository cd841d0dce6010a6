// npm kafka: magic 0.
const kafka = require("kafka");

const [verb, port, topic, partition, ...rest] = process.argv.slice(2);
const place = { host: "127.0.0.1", port: Number(port) };

if (verb === "produce") {
  const producer = new kafka.Producer(place).connect();
  producer.on("connect", () => {
    producer.send(rest, topic, Number(partition));
    producer._connection.end();
  });
} else {
  const [offset, count] = rest.map(Number);
  const found = [];
  const consumer = new kafka.Consumer({ ...place, pollInterval: 50 });
  consumer.on("message", (_, message, next) => {
    found.push([message, next]);
    if (found.length < count) return;
    console.log(JSON.stringify(found));
    process.exit(0);
  });
  consumer.connect(() => {
    consumer.subscribeTopic({ name: topic, partition: Number(partition), offset });
  });
}
