import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import kafka.javaapi.producer.Producer;
import kafka.producer.KeyedMessage;
import kafka.producer.ProducerConfig;

/**
 * write ADDRESS TOPIC CODEC IDEMPOTENT COUNT, by the first producer, which 0.8.0 to 0.10 have: it
 * tells no offsets.
 */
final class WriteByScalaProducer implements Part {
    @Override
    public void run(String[] command, List<Row> rows, PrintStream answer) throws Exception {
        Properties settings = new Properties();
        settings.put("metadata.broker.list", command[1]);
        settings.put("serializer.class", "kafka.serializer.DefaultEncoder");
        settings.put("compression.codec", command[3]);
        settings.put("request.required.acks", "-1");
        settings.put("producer.type", "sync");
        Producer<byte[], byte[]> producer = new Producer<>(new ProducerConfig(settings));
        List<KeyedMessage<byte[], byte[]>> messages = new ArrayList<>();
        for (Row row : rows) {
            messages.add(new KeyedMessage<>(command[2], row.key(), row.value()));
        }
        producer.send(messages);
        producer.close();
    }
}
