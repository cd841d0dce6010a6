import pytest

from barnabas.spark.errors import OptionError
from barnabas.spark.options.write_options import write_options

BASE = {"kafka.bootstrap.servers": "127.0.0.1:9092"}


def test_topic_and_properties_of_the_producer() -> None:
    options = write_options(BASE | {"topic": " dogs ", "kafka.linger.ms": "5"})
    assert options.topic == "dogs"
    assert options.kafka["linger.ms"] == "5"
    sparks_own = {"checkpointlocation": "/somewhere", "queryname": "flow"}
    assert write_options(BASE | sparks_own).topic is None


def test_exactly_once_is_chosen_by_name() -> None:
    assert not write_options(BASE | {"deliveryguarantee": "at-least-once"}).exactly_once
    given = {"deliveryguarantee": "Exactly-Once", "transactionalidprefix": "x", "batchid": "3"}
    options = write_options(BASE | given)
    assert options.exactly_once
    assert (options.transactional_id_prefix, options.batch_id) == ("x", 3)


def test_a_table_that_was_given_no_options_says_where_they_belong() -> None:
    with pytest.raises(OptionError, match=r"INSERT INTO name WITH \(.*temporary view"):
        write_options({})


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"subscribe": "dogs"}, "subscribe"),
        ({"topic": ""}, "topic"),
        ({"kafka.acks": "0"}, "kafka.acks"),
        ({"kafka.key.serializer": "x"}, "kafka.key.serializer"),
        ({"kafka.bootstrap.servers": " "}, "kafka.bootstrap.servers"),
        ({"tpoic": "dogs"}, "tpoic"),
        ({"deliveryguarantee": "once"}, "deliveryGuarantee"),
        ({"batchid": "3"}, "batchId"),
        ({"transactionalidprefix": "x"}, "transactionalIdPrefix"),
        ({"kafka.transactional.id": "x"}, "kafka.transactional.id"),
        ({"deliveryguarantee": "exactly-once", "kafka.acks": "1"}, "kafka.acks"),
        ({"kafka.bootstrap.servers": "localhost"}, "kafka.bootstrap.servers"),
        ({"kafka.partitioner.class": "x"}, "kafka.partitioner.class"),
        ({"kafka.enable.idempotence": "true", "kafka.acks": "1"}, "kafka.*"),
        ({"kafka.delivery.timeout.ms": "1"}, "kafka.*"),
        ({"deliveryguarantee": "exactly-once", "kafka.enable.idempotence": "false"}, "kafka.*"),
    ],
)
def test_mistakes_name_the_option(given: dict[str, str], named: str) -> None:
    with pytest.raises(OptionError) as caught:
        write_options(BASE | given)
    assert caught.value.option == named
