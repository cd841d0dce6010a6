"""Broker properties for the dialects of listeners, and for clients of Kafka 0.7."""

from barnabas.config.configuration import Configuration
from barnabas.config.definition import LOW, MEDIUM, words
from barnabas.errors import ConfigError


class DialectConfig(Configuration):
    """Properties that Kafka does not have, or no longer has."""

    listener_dialect_map: tuple[str, ...] = words(
        (),
        MEDIUM,
        "The dialect of each listener, as NAME:DIALECT: kafka is Kafka 0.8 to 4.x, kafka-0.7 is "
        "Kafka 0.6 and 0.7, proposal was planned between the two. Listeners that are not named "
        "speak kafka. Not a Kafka property.",
    )
    topic_partition_count_map: tuple[str, ...] = words(
        (),
        LOW,
        "The number of partitions of topics that clients of Kafka 0.7 create by writing to them, "
        "as TOPIC:NUMBER; num.partitions applies to other topics. Kafka 0.7's property.",
    )

    def partitions_of_new(self, topic: str, default: int) -> int:
        """Return the number of partitions for a topic that a Kafka 0.7 client creates.

        Raises:
            ConfigError: an entry of the map is not TOPIC:NUMBER.
        """
        found = default
        for text in self.topic_partition_count_map:
            name, _, number = (part.strip() for part in text.rpartition(":"))
            if not name or not number.isdecimal() or not int(number):
                raise ConfigError(f"topic.partition.count.map={text}: expected TOPIC:NUMBER")
            if name == topic:
                found = int(number)
        return found
