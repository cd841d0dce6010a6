import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import kafka.api.FetchRequestBuilder;
import kafka.api.PartitionOffsetRequestInfo;
import kafka.common.TopicAndPartition;
import kafka.javaapi.FetchResponse;
import kafka.javaapi.OffsetRequest;
import kafka.javaapi.consumer.SimpleConsumer;
import kafka.message.Message;
import kafka.message.MessageAndOffset;

/**
 * By the SimpleConsumer of 0.8.0 to 1.1.
 *
 * <p>read ADDRESS TOPIC START COUNT: offset and row of each record. ends ADDRESS TOPIC: the first
 * offset and the next.
 */
final class ReadBySimpleConsumer implements Part {
    private static final int BYTES = 4_000_000;
    private static final int TRIES = 30;

    @Override
    public void run(String[] command, List<Row> rows, PrintStream answer) throws Exception {
        String[] place = command[1].split(":");
        SimpleConsumer consumer =
                new SimpleConsumer(place[0], Integer.parseInt(place[1]), 30_000, 65_536, "simple");
        try {
            if (command[0].equals("read")) {
                long start = Long.parseLong(command[3]);
                read(consumer, command[2], start, Integer.parseInt(command[4]), answer);
            } else {
                answer.println(end(consumer, command[2], -2));
                answer.println(end(consumer, command[2], -1));
            }
        } finally {
            consumer.close();
        }
    }

    private static void read(
            SimpleConsumer consumer, String topic, long start, int count, PrintStream answer) {
        List<String> found = new ArrayList<>();
        long next = start;
        for (int tries = 0; found.size() < count; tries++) {
            FetchResponse fetched =
                    consumer.fetch(
                            new FetchRequestBuilder()
                                    .clientId("simple")
                                    .maxWait(1000)
                                    .minBytes(1)
                                    .addFetch(topic, 0, next, BYTES)
                                    .build());
            if (fetched.hasError() || tries > TRIES) {
                throw new IllegalStateException(
                        found.size() + " records, then error " + fetched.errorCode(topic, 0));
            }
            for (MessageAndOffset each : fetched.messageSet(topic, 0)) {
                if (each.offset() >= next) { // a compressed set may begin before
                    found.add(each.offset() + " " + row(each.message()));
                    next = each.nextOffset();
                }
            }
        }
        found.subList(0, count).forEach(answer::println);
    }

    private static Row row(Message message) {
        message.ensureValid();
        return new Row(bytes(message.key()), bytes(message.payload()), -1, "-");
    }

    private static byte[] bytes(ByteBuffer buffer) {
        if (buffer == null) {
            return null;
        }
        byte[] bytes = new byte[buffer.remaining()];
        buffer.get(bytes);
        return bytes;
    }

    private static long end(SimpleConsumer consumer, String topic, long which) {
        TopicAndPartition place = new TopicAndPartition(topic, 0);
        OffsetRequest asked =
                new OffsetRequest(
                        Collections.singletonMap(place, new PartitionOffsetRequestInfo(which, 1)),
                        (short) 0,
                        "simple");
        return consumer.getOffsetsBefore(asked).offsets(topic, 0)[0];
    }
}
