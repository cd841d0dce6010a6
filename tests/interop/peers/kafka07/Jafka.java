// Jafka's Java client: magic 1, plain or gzip; the verbs of kafka07.py.

import io.jafka.api.FetchRequest;
import io.jafka.api.MultiFetchResponse;
import io.jafka.api.ProducerRequest;
import io.jafka.consumer.SimpleConsumer;
import io.jafka.message.ByteBufferMessageSet;
import io.jafka.message.CompressionCodec;
import io.jafka.message.Message;
import io.jafka.message.MessageAndOffset;
import io.jafka.producer.SyncProducer;
import io.jafka.producer.SyncProducerConfig;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Properties;

public class Jafka {
  public static void main(String[] words) throws Exception {
    String verb = words[0];
    int port = Integer.parseInt(words[1]);
    String topic = words[2];
    int partition = Integer.parseInt(words[3]);
    String[] rest = Arrays.copyOfRange(words, 4, words.length);
    if (verb.equals("consume")) {
      consume(port, topic, partition, Long.parseLong(rest[0]), Integer.parseInt(rest[1]));
      return;
    }
    Message[] messages = Arrays.stream(rest)
        .map(text -> new Message(text.getBytes(StandardCharsets.UTF_8))).toArray(Message[]::new);
    Properties place = new Properties();
    place.put("host", "127.0.0.1");
    place.put("port", String.valueOf(port));
    try (SyncProducer producer = new SyncProducer(new SyncProducerConfig(place))) {
      if (verb.equals("gzip")) {
        producer.send(topic, partition,
            new ByteBufferMessageSet(CompressionCodec.GZIPCompressionCodec, messages));
      } else if (verb.equals("multiproduce")) {
        List<ProducerRequest> requests = new ArrayList<>();
        for (Message message : messages) {
          requests.add(new ProducerRequest(topic, partition, new ByteBufferMessageSet(message)));
        }
        producer.multiSend(requests);
      } else {
        producer.send(topic, partition, new ByteBufferMessageSet(messages));
      }
    }
  }

  static void consume(int port, String topic, int partition, long offset, int count)
      throws Exception {
    List<String> found = new ArrayList<>();
    try (SimpleConsumer consumer = new SimpleConsumer("127.0.0.1", port)) {
      long start = offset;
      while (found.size() < count) {
        for (MessageAndOffset one : consumer.fetch(new FetchRequest(topic, partition, offset))) {
          found.add("[\"" + text(one.message) + "\", " + one.offset + "]");
          offset = one.offset;
        }
      }
      int several = 0;
      MultiFetchResponse parts = consumer.multifetch(List.of(
          new FetchRequest(topic, partition, start), new FetchRequest(topic, partition, offset)));
      for (ByteBufferMessageSet part : parts) {
        for (MessageAndOffset ignored : part) {
          several++;
        }
      }
      found.add("[\"" + several + "\", " + consumer.getLatestOffset(topic, partition) + "]");
    }
    System.out.println(found);
  }

  static String text(Message message) {
    byte[] bytes = new byte[message.payload().remaining()];
    message.payload().duplicate().get(bytes);
    return new String(bytes, StandardCharsets.UTF_8);
  }
}
