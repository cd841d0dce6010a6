import pytest

from barnabas.spark.errors import OptionError
from barnabas.spark.write_options import write_options

BASE = {"kafka.bootstrap.servers": "127.0.0.1:9092"}


def test_topic_and_properties_of_the_producer() -> None:
    options = write_options(BASE | {"topic": " dogs ", "kafka.linger.ms": "5"})
    assert options.topic == "dogs"
    assert options.kafka["linger.ms"] == "5"
    assert write_options(BASE | {"checkpointlocation": "/somewhere"}).topic is None


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"subscribe": "dogs"}, "subscribe"),
        ({"topic": ""}, "topic"),
        ({"kafka.acks": "0"}, "kafka.acks"),
        ({"kafka.key.serializer": "x"}, "kafka.key.serializer"),
        ({"kafka.bootstrap.servers": " "}, "kafka.bootstrap.servers"),
        ({"tpoic": "dogs"}, "tpoic"),
    ],
)
def test_mistakes_name_the_option(given: dict[str, str], named: str) -> None:
    with pytest.raises(OptionError) as caught:
        write_options(BASE | given)
    assert caught.value.option == named
