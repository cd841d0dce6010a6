import java.time.Duration;
import java.util.Properties;
import java.util.TreeSet;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.TaskMetadata;
import org.apache.kafka.streams.ThreadMetadata;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.state.Stores;

/**
 * An application of Kafka Streams that counts the words of a topic. It prints a line whenever its
 * state or its tasks have changed: state, active tasks, standby tasks.
 *
 * <p>Arguments: topic to read, topic to write, and properties as NAME=VALUE.
 */
final class CountWords {
    private static final int LOOK_MS = 100;

    public static void main(String[] arguments) throws Exception {
        Properties properties = new Properties();
        for (int i = 2; i < arguments.length; i++) {
            String[] pair = arguments[i].split("=", 2);
            properties.put(pair[0], pair[1]);
        }
        properties.put(StreamsConfig.DEFAULT_KEY_SERDE_CLASS_CONFIG, Serdes.StringSerde.class);
        properties.put(StreamsConfig.DEFAULT_VALUE_SERDE_CLASS_CONFIG, Serdes.StringSerde.class);
        StreamsBuilder builder = new StreamsBuilder();
        builder.<String, String>stream(arguments[0])
                .selectKey((key, word) -> word)
                .groupByKey()
                .count(Materialized.as(Stores.inMemoryKeyValueStore("counts")))
                .toStream()
                .mapValues(String::valueOf)
                .to(arguments[1], Produced.with(Serdes.String(), Serdes.String()));
        KafkaStreams streams = new KafkaStreams(builder.build(), properties);
        Runtime.getRuntime()
                .addShutdownHook(new Thread(() -> streams.close(Duration.ofSeconds(10))));
        streams.start();
        for (String last = ""; ; Thread.sleep(LOOK_MS)) {
            String now = look(streams);
            if (!now.equals(last)) {
                System.out.println(now);
                last = now;
            }
        }
    }

    private static String look(KafkaStreams streams) {
        TreeSet<String> active = new TreeSet<>();
        TreeSet<String> standby = new TreeSet<>();
        for (ThreadMetadata thread : streams.metadataForLocalThreads()) {
            for (TaskMetadata task : thread.activeTasks()) {
                active.add(task.taskId().toString());
            }
            for (TaskMetadata task : thread.standbyTasks()) {
                standby.add(task.taskId().toString());
            }
        }
        return streams.state() + " " + String.join(",", active) + " " + String.join(",", standby);
    }
}
