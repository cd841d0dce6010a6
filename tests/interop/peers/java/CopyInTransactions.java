import java.io.PrintStream;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;

/**
 * copy ADDRESS SOURCE TARGET COUNT, by kafka-clients of 0.11 and later: partition 0 of one topic to
 * another in transactions, with the positions of a group. Each third one is aborted and done again.
 * Answers with what it read back of the target, committed records only. What is not in every release
 * is looked up by name.
 */
final class CopyInTransactions implements Part {
    private static final String BYTES = "org.apache.kafka.common.serialization.ByteArray";

    @Override
    public void run(String[] command, List<Row> rows, PrintStream answer) throws Exception {
        String address = command[1];
        TopicPartition source = new TopicPartition(command[2], 0);
        TopicPartition target = new TopicPartition(command[3], 0);
        int count = Integer.parseInt(command[4]);
        KafkaConsumer<byte[], byte[]> consumer = consumer(address, source);
        KafkaProducer<byte[], byte[]> producer = producer(address, target.topic());
        producer.initTransactions();
        int round = 0;
        for (long done = 0; done < count; ) {
            List<ConsumerRecord<byte[], byte[]>> taken = take(consumer, source);
            if (taken.isEmpty()) {
                continue;
            }
            long next = taken.get(taken.size() - 1).offset() + 1;
            producer.beginTransaction();
            for (ConsumerRecord<byte[], byte[]> each : taken) {
                producer.send(new ProducerRecord<>(target.topic(), 0, each.key(), each.value()));
            }
            Map<TopicPartition, OffsetAndMetadata> positions = new HashMap<>();
            positions.put(source, new OffsetAndMetadata(next));
            sendOffsets(producer, consumer, positions, "of-" + source.topic());
            if (round++ % 3 == 0) {
                producer.flush();
                producer.abortTransaction();
                consumer.seek(source, done);
            } else {
                producer.commitTransaction();
                done = next;
            }
        }
        producer.close();
        consumer.close();
        KafkaConsumer<byte[], byte[]> reader = consumer(address, target);
        for (int read = 0; read < count; ) {
            for (ConsumerRecord<byte[], byte[]> each : take(reader, target)) {
                answer.println(new String(each.value(), "ASCII"));
                read++;
            }
        }
        reader.close();
    }

    private static KafkaConsumer<byte[], byte[]> consumer(String address, TopicPartition place) {
        Properties settings = new Properties();
        settings.put("bootstrap.servers", address);
        settings.put("key.deserializer", BYTES + "Deserializer");
        settings.put("value.deserializer", BYTES + "Deserializer");
        settings.put("group.id", "of-" + place.topic());
        settings.put("enable.auto.commit", "false");
        settings.put("isolation.level", "read_committed");
        settings.put("max.poll.records", "50");
        KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(settings);
        consumer.assign(Arrays.asList(place));
        consumer.seek(place, 0);
        return consumer;
    }

    private static KafkaProducer<byte[], byte[]> producer(String address, String name) {
        Properties settings = new Properties();
        settings.put("bootstrap.servers", address);
        settings.put("key.serializer", BYTES + "Serializer");
        settings.put("value.serializer", BYTES + "Serializer");
        settings.put("transactional.id", "to-" + name);
        return new KafkaProducer<>(settings);
    }

    /** By a time since 2.0, by a number before 4.0. */
    @SuppressWarnings("unchecked")
    private static List<ConsumerRecord<byte[], byte[]>> take(
            KafkaConsumer<byte[], byte[]> consumer, TopicPartition place) throws Exception {
        ConsumerRecords<byte[], byte[]> found;
        try {
            Method poll = KafkaConsumer.class.getMethod("poll", Duration.class);
            found = (ConsumerRecords<byte[], byte[]>) poll.invoke(consumer, Duration.ofMillis(500));
        } catch (NoSuchMethodException old) {
            Method poll = KafkaConsumer.class.getMethod("poll", long.class);
            found = (ConsumerRecords<byte[], byte[]>) poll.invoke(consumer, 500L);
        }
        return new ArrayList<>(found.records(place));
    }

    /** With the member of a group since 2.5, with its name before 4.0. */
    private static void sendOffsets(
            KafkaProducer<byte[], byte[]> producer,
            KafkaConsumer<byte[], byte[]> consumer,
            Map<TopicPartition, OffsetAndMetadata> positions,
            String group)
            throws Exception {
        Method about;
        try {
            about = KafkaConsumer.class.getMethod("groupMetadata");
        } catch (NoSuchMethodException old) {
            KafkaProducer.class
                    .getMethod("sendOffsetsToTransaction", Map.class, String.class)
                    .invoke(producer, positions, group);
            return;
        }
        KafkaProducer.class
                .getMethod("sendOffsetsToTransaction", Map.class, about.getReturnType())
                .invoke(producer, positions, about.invoke(consumer));
    }
}
