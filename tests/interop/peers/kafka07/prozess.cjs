// npm prozess: magic 1, not compressed.
const { Consumer, Producer } = require("prozess");

const [verb, port, topic, partition, ...rest] = process.argv.slice(2);
const place = { host: "127.0.0.1", port: Number(port), partition: Number(partition) };

const orThrow = (then) => (error, value) => {
  if (error) throw error;
  then(value);
};

if (verb === "produce") {
  const producer = new Producer(topic, place);
  producer.on("connect", () => producer.send(rest, orThrow(() => setTimeout(() => process.exit(0), 100))));
  producer.connect();
} else {
  const [offset, count] = rest.map(Number);
  const consumer = new Consumer({ ...place, topic, offset });
  const found = [];
  const more = () => consumer.consume(orThrow((messages) => {
    for (const message of messages) {
      found.push([message.payload.toString(), Number(consumer.offset.toString())]);
    }
    if (found.length < count) {
      setTimeout(more, 20);
      return;
    }
    consumer.getLatestOffset(orThrow((latest) => {
      consumer.getEarliestOffset(orThrow((earliest) => {
        console.log(JSON.stringify([...found, [earliest.toString(), Number(latest.toString())]]));
        process.exit(0);
      }));
    }));
  }));
  consumer.connect(orThrow(more));
}
