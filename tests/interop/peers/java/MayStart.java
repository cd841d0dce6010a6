import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.util.List;
import java.util.Properties;

/**
 * maystart NAME=VALUE ..., by the broker of Kafka 4: reads its properties as it does at its start, and
 * answers with "yes", or with why it would not start.
 */
final class MayStart implements Part {
    @Override
    public void run(String[] command, List<Row> rows, PrintStream answer) throws Exception {
        Properties settings = new Properties();
        settings.put("process.roles", "broker,controller");
        settings.put("node.id", "1");
        settings.put("controller.quorum.voters", "1@localhost:9093");
        settings.put("listeners", "PLAINTEXT://localhost:9092,CONTROLLER://localhost:9093");
        settings.put("controller.listener.names", "CONTROLLER");
        for (int index = 1; index < command.length; index++) {
            String[] pair = command[index].split("=");
            settings.put(pair[0], pair[1]);
        }
        Class<?> config = Class.forName("kafka.server.KafkaConfig");
        try {
            config.getMethod("fromProps", Properties.class).invoke(null, settings);
            answer.println("yes");
        } catch (InvocationTargetException refused) {
            answer.println(refused.getCause().getMessage().replace('\n', ' '));
        }
    }
}
