import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;

/**
 * By the consumer of kafka-clients, 0.9 and later, assigned partition 0 and in no group. What came
 * after 0.9 is looked up by name.
 *
 * <p>read ADDRESS TOPIC START COUNT: offset and row of each record. ends ADDRESS TOPIC: the first
 * offset and the next. time ADDRESS TOPIC MS: the offset found, or -1.
 */
final class ReadByConsumer implements Part {
    private static final long SECONDS = 30;

    @Override
    public void run(String[] command, List<Row> rows, PrintStream answer) throws Exception {
        KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(settings(command[1]));
        TopicPartition place = new TopicPartition(command[2], 0);
        try {
            consumer.assign(Collections.singletonList(place));
            switch (command[0]) {
                case "read" -> {
                    consumer.seek(place, Long.parseLong(command[3]));
                    read(consumer, Integer.parseInt(command[4]), answer);
                }
                case "ends" -> {
                    move(consumer, "seekToBeginning", place);
                    answer.println(consumer.position(place));
                    move(consumer, "seekToEnd", place);
                    answer.println(consumer.position(place));
                }
                case "time" -> answer.println(at(consumer, place, Long.parseLong(command[3])));
                default -> throw new IllegalArgumentException(command[0]);
            }
        } finally {
            consumer.close();
        }
    }

    private static Properties settings(String address) {
        Properties settings = new Properties();
        String bytes = "org.apache.kafka.common.serialization.ByteArrayDeserializer";
        settings.put("bootstrap.servers", address);
        settings.put("key.deserializer", bytes);
        settings.put("value.deserializer", bytes);
        settings.put("group.id", "not-joined");
        settings.put("enable.auto.commit", "false");
        settings.put("auto.offset.reset", "none");
        return settings;
    }

    private static void read(KafkaConsumer<byte[], byte[]> consumer, int count, PrintStream answer)
            throws Exception {
        List<String> found = new ArrayList<>();
        long until = System.nanoTime() + SECONDS * 1_000_000_000L;
        while (found.size() < count) {
            for (ConsumerRecord<byte[], byte[]> each : poll(consumer)) {
                found.add(each.offset() + " " + row(each));
            }
            if (System.nanoTime() > until) {
                throw new IllegalStateException(found.size() + " of " + count + " records");
            }
        }
        found.subList(0, count).forEach(answer::println);
    }

    @SuppressWarnings("unchecked")
    private static ConsumerRecords<byte[], byte[]> poll(KafkaConsumer<byte[], byte[]> consumer)
            throws Exception {
        Method poll;
        Object patience;
        try {
            poll = KafkaConsumer.class.getMethod("poll", java.time.Duration.class);
            patience = java.time.Duration.ofMillis(200);
        } catch (NoSuchMethodException beforeTwo) {
            poll = KafkaConsumer.class.getMethod("poll", long.class);
            patience = 200L;
        }
        try {
            return (ConsumerRecords<byte[], byte[]>) poll.invoke(consumer, patience);
        } catch (InvocationTargetException failed) {
            throw (Exception) failed.getCause();
        }
    }

    private static Row row(ConsumerRecord<byte[], byte[]> record) throws Exception {
        long time = -1;
        String headers = "-";
        for (Method each : ConsumerRecord.class.getMethods()) {
            if (each.getName().equals("timestamp")) {
                time = (Long) each.invoke(record);
            } else if (each.getName().equals("headers")) {
                headers = headers((Iterable<?>) each.invoke(record));
            }
        }
        return new Row(record.key(), record.value(), time, headers);
    }

    private static String headers(Iterable<?> headers) throws Exception {
        List<String> words = new ArrayList<>();
        Class<?> kind = Class.forName("org.apache.kafka.common.header.Header");
        for (Object each : headers) {
            String name = (String) kind.getMethod("key").invoke(each);
            byte[] value = (byte[]) kind.getMethod("value").invoke(each);
            words.add(Row.word(name.getBytes("UTF-8")) + ":" + Row.word(value));
        }
        return words.isEmpty() ? "-" : String.join(",", words);
    }

    /** A list of places in 0.9 was an array, and is a collection since. */
    private static void move(KafkaConsumer<?, ?> consumer, String name, TopicPartition place)
            throws Exception {
        for (Method each : KafkaConsumer.class.getMethods()) {
            if (each.getName().equals(name)) {
                boolean array = each.getParameterTypes()[0].isArray();
                Object places =
                        array
                                ? new TopicPartition[] {place}
                                : Collections.singletonList(place);
                each.invoke(consumer, places);
                return;
            }
        }
        throw new NoSuchMethodException(name);
    }

    /** Since 0.10.1. */
    private static Object at(KafkaConsumer<?, ?> consumer, TopicPartition place, long time)
            throws Exception {
        Method search = KafkaConsumer.class.getMethod("offsetsForTimes", Map.class);
        Map<?, ?> found =
                (Map<?, ?>) search.invoke(consumer, Collections.singletonMap(place, time));
        Object one = found.get(place);
        return one == null ? "-1" : one.getClass().getMethod("offset").invoke(one);
    }
}
