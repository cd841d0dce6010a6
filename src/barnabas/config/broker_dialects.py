"""What a broker's listeners speak, and what it means to clients of Kafka 0.7."""

from barnabas.config.configuration import Configuration
from barnabas.config.definition import LOW, MEDIUM, words
from barnabas.errors import ConfigError


class DialectConfig(Configuration):
    """Properties that Kafka has not, or has no longer."""

    listener_dialect_map: tuple[str, ...] = words(
        (),
        MEDIUM,
        "What the clients of a listener speak, as NAME:DIALECT: kafka is Kafka 0.8 to 4.x, kafka-0.7 "
        "what was before, proposal what was planned between the two. Listeners that are not named "
        "speak kafka. Not one of Kafka's properties.",
    )
    topic_partition_count_map: tuple[str, ...] = words(
        (),
        LOW,
        "The partitions of single topics that clients of Kafka 0.7 make by writing to them, as "
        "TOPIC:NUMBER; num.partitions is for the others. Kafka 0.7's property.",
    )

    def partitions_of_new(self, topic: str, default: int) -> int:
        """How many partitions a topic gets that a client of Kafka 0.7 makes.

        Raises:
            ConfigError: the map has something else than TOPIC:NUMBER.
        """
        found = default
        for text in self.topic_partition_count_map:
            name, _, number = (part.strip() for part in text.rpartition(":"))
            if not name or not number.isdecimal() or not int(number):
                raise ConfigError(
                    f"topic.partition.count.map={text}: it must look like TOPIC:NUMBER"
                )
            if name == topic:
                found = int(number)
        return found
