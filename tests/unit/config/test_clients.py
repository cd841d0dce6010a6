import re

import pytest

from barnabas.config.clients import ConsumerConfig, ProducerConfig
from barnabas.errors import ConfigError


@pytest.mark.parametrize(
    "given",
    [
        {"value_serializer": str},
        {"value.serializer": "io.confluent.kafka.serializers.KafkaAvroSerializer"},
        {"key_serializer": lambda key: key},
        {"partitioner.class": "org.apache.kafka.clients.producer.RoundRobinPartitioner"},
        {"interceptor.classes": "org.example.Masking"},
    ],
)
def test_what_would_change_the_records_is_refused(given: dict[str, object]) -> None:
    (name,) = given
    with pytest.raises(ConfigError, match=re.escape(name) + ".* is not supported"):
        ProducerConfig.load(given)


def test_what_would_change_nothing_may_stand_in_a_file_for_java() -> None:
    package = "org.apache.kafka.common.serialization"
    ProducerConfig.load(
        {"value.serializer": f"{package}.StringSerializer", "interceptor.classes": ""}
    )
    ConsumerConfig.load({"key.deserializer": f"{package}.ByteArrayDeserializer"})
    with pytest.raises(ConfigError, match="decode them yourself"):
        ConsumerConfig.load({"key.deserializer": f"{package}.StringDeserializer"})


@pytest.mark.parametrize(
    "name", ["bootstrap_server", "boostrap.servers", "bootstrap", "metadata.broker.list"]
)
def test_who_misspells_where_the_brokers_are_is_not_sent_to_localhost(name: str) -> None:
    with pytest.raises(
        ConfigError, match=rf"{name}: the property for the brokers' addresses is bootstrap\.servers"
    ):
        ProducerConfig.load({name: "elsewhere:9092"})
    ProducerConfig.load({name: "elsewhere:9092", "bootstrap_servers": "here:9092"})
