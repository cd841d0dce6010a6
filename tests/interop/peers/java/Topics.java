import java.io.PrintStream;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.clients.admin.AdminClient;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.config.ConfigResource;

/**
 * topics ADDRESS TOPIC, by the AdminClient of 0.11 and later: makes the topic with 3 partitions and a
 * property, looks at it and removes it. Answers: how many partitions, the property's value, and
 * whether it was listed before and after.
 */
final class Topics implements Part {
    @Override
    public void run(String[] command, List<Row> rows, PrintStream answer) throws Exception {
        Properties settings = new Properties();
        settings.put("bootstrap.servers", command[1]);
        String name = command[2];
        AdminClient admin = AdminClient.create(settings);
        try {
            NewTopic wanted = new NewTopic(name, 3, (short) 1);
            wanted.configs(Map.of("retention.ms", "86400000"));
            admin.createTopics(List.of(wanted)).all().get();
            answer.println(described(admin, name).partitions().size());
            ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, name);
            Config config = admin.describeConfigs(List.of(resource)).all().get().get(resource);
            answer.println(config.get("retention.ms").value());
            answer.println(admin.listTopics().names().get().contains(name));
            admin.deleteTopics(Collections.singletonList(name)).all().get();
            answer.println(admin.listTopics().names().get().contains(name));
        } finally {
            admin.close();
        }
    }

    /** all() of old is allTopicNames() since 3.1. */
    private static TopicDescription described(AdminClient admin, String name) throws Exception {
        Object result = admin.describeTopics(List.of(name));
        java.lang.reflect.Method values;
        try {
            values = result.getClass().getMethod("topicNameValues");
        } catch (NoSuchMethodException old) {
            values = result.getClass().getMethod("values");
        }
        Map<?, ?> futures = (Map<?, ?>) values.invoke(result);
        Object future = futures.get(name);
        return (TopicDescription)
                Class.forName("org.apache.kafka.common.KafkaFuture").getMethod("get").invoke(future);
    }
}
