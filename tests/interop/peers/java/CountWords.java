import java.lang.reflect.Method;
import java.util.Collection;
import java.util.Properties;
import java.util.TreeSet;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.state.Stores;

/**
 * An application of Kafka Streams that counts the words of a topic. It prints a line whenever its
 * state or its tasks have changed: state, active tasks, standby tasks. What goes by another name in
 * some releases from 1.1 to 4.3 is looked up by it.
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
        Runtime.getRuntime().addShutdownHook(new Thread(streams::close));
        streams.start();
        for (String last = ""; ; Thread.sleep(LOOK_MS)) {
            String now = look(streams);
            if (!now.equals(last)) {
                System.out.println(now);
                last = now;
            }
        }
    }

    private static String look(KafkaStreams streams) throws ReflectiveOperationException {
        TreeSet<String> active = new TreeSet<>();
        TreeSet<String> standby = new TreeSet<>();
        for (Object thread : threads(streams)) {
            for (Object task : (Collection<?>) ask(thread, "activeTasks")) {
                active.add(ask(task, "taskId").toString());
            }
            for (Object task : (Collection<?>) ask(thread, "standbyTasks")) {
                standby.add(ask(task, "taskId").toString());
            }
        }
        return streams.state() + " " + String.join(",", active) + " " + String.join(",", standby);
    }

    /** The second name until 3.0. */
    private static Collection<?> threads(KafkaStreams streams) throws ReflectiveOperationException {
        try {
            return (Collection<?>) ask(streams, "metadataForLocalThreads");
        } catch (NoSuchMethodException old) {
            return (Collection<?>) ask(streams, "localThreadsMetadata");
        }
    }

    private static Object ask(Object whom, String what) throws ReflectiveOperationException {
        Method method = whom.getClass().getMethod(what);
        method.setAccessible(true); // The classes of some answers are not public.
        return method.invoke(whom);
    }
}
