import java.io.PrintStream;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;

/**
 * write ADDRESS TOPIC CODEC IDEMPOTENT COUNT, by the producer of kafka-clients, 0.8.2 and later: the
 * offsets. What came after 0.8.2 is looked up by name.
 */
final class WriteByProducer implements Part {
    @Override
    public void run(String[] command, List<Row> rows, PrintStream answer) throws Exception {
        Properties settings = new Properties();
        String bytes = "org.apache.kafka.common.serialization.ByteArraySerializer";
        settings.put("bootstrap.servers", command[1]);
        settings.put("key.serializer", bytes);
        settings.put("value.serializer", bytes);
        settings.put("compression.type", command[3]);
        settings.put("acks", "all");
        settings.put("linger.ms", "50");
        if (timed() != null && headed() != null) {
            settings.put("enable.idempotence", command[4]);
        }
        KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(settings);
        List<Future<RecordMetadata>> sent = new ArrayList<>();
        for (Row row : rows) {
            sent.add(producer.send(made(command[2], row)));
        }
        for (Future<RecordMetadata> each : sent) {
            answer.println(each.get().offset());
        }
        producer.close();
    }

    @SuppressWarnings("unchecked")
    private static ProducerRecord<byte[], byte[]> made(String topic, Row row) throws Exception {
        if (timed() == null) {
            return new ProducerRecord<>(topic, 0, row.key(), row.value());
        }
        ProducerRecord<byte[], byte[]> made =
                (ProducerRecord<byte[], byte[]>)
                        timed().newInstance(topic, 0, row.timestamp(), row.key(), row.value());
        if (headed() != null && !row.headers().equals("-")) {
            Object headers = headed().invoke(made);
            Class<?> kind = Class.forName("org.apache.kafka.common.header.Headers");
            Method add = kind.getMethod("add", String.class, byte[].class);
            for (String each : row.headers().split(",")) {
                String[] pair = each.split(":");
                add.invoke(headers, new String(Row.bytes(pair[0]), "UTF-8"), Row.bytes(pair[1]));
            }
        }
        return made;
    }

    /** The constructor with a time, since 0.10. */
    private static Constructor<?> timed() {
        for (Constructor<?> each : ProducerRecord.class.getConstructors()) {
            Class<?>[] types = each.getParameterTypes();
            if (types.length == 5 && types[2] == Long.class) {
                return each;
            }
        }
        return null;
    }

    /** Since 0.11. */
    private static Method headed() {
        try {
            return ProducerRecord.class.getMethod("headers");
        } catch (NoSuchMethodException none) {
            return null;
        }
    }
}
