import pytest

from barnabas.spark.errors import OptionError
from barnabas.spark.options.offsets import (
    EARLIEST,
    LATEST,
    AllPartitions,
    AtOffsets,
    AtTime,
    AtTimes,
)
from barnabas.spark.options.read_options import Mode, read_options
from barnabas.spark.options.selection import Partitions, Pattern, Topics
from barnabas.types import TopicPartition

BASE = {"kafka.bootstrap.servers": "127.0.0.1:9092", "subscribe": "dogs, cats"}


def test_defaults_are_sparks() -> None:
    batch, stream = read_options(BASE, "batch"), read_options(BASE, "stream")
    assert batch.selection == Topics(frozenset({"dogs", "cats"}))
    assert batch.starting == AllPartitions(EARLIEST)
    assert batch.ending == AllPartitions(LATEST)
    assert stream.starting == AllPartitions(LATEST)
    assert batch.fail_on_data_loss
    assert not batch.include_headers
    assert (batch.batch_rows, batch.fetch_bytes) == (20_000, 4 << 20)


def test_every_way_to_select_and_to_start() -> None:
    servers = {"kafka.bootstrap.servers": "h:1"}
    assigned = read_options(servers | {"assign": '{"t":[0,2]}'}, "batch")
    assert assigned.selection == Partitions(
        frozenset({TopicPartition("t", 0), TopicPartition("t", 2)})
    )
    pattern = {"subscribepattern": "t.*", "startingtimestamp": "17"}
    assert read_options(servers | pattern, "batch").selection == Pattern("t.*")
    assert read_options(servers | pattern, "batch").starting == AtTime(17)
    offsets = read_options(BASE | {"startingoffsets": '{"dogs":{"0":-2,"1":9}}'}, "batch")
    assert offsets.starting == AtOffsets(
        {TopicPartition("dogs", 0): -2, TopicPartition("dogs", 1): 9}
    )
    times = read_options(BASE | {"endingoffsetsbytimestamp": '{"dogs":{"0":5}}'}, "batch")
    assert times.ending == AtTimes({TopicPartition("dogs", 0): 5})


def test_of_several_starts_the_first_counts_as_with_sparks_own() -> None:
    given = {"startingoffsets": "latest", "startingoffsetsbytimestamp": '{"dogs":{"0":5}}'}
    each = AtTimes({TopicPartition("dogs", 0): 5})
    assert read_options(BASE | given, "batch").starting == each
    assert read_options(BASE | given | {"startingtimestamp": "7"}, "batch").starting == AtTime(7)


@pytest.mark.parametrize(
    ("mode", "given", "named", "says"),
    [
        ("batch", {"subscribe": " , "}, "subscribe", "names no topic"),
        ("batch", {"assign": '{"t":[0]}'}, "assign", "only one"),
        ("batch", {"startingoffsets": "latest"}, "startingOffsets", "earliest or offsets"),
        ("batch", {"startingoffsets": '{"t":{"0":-1}}'}, "startingOffsets", "t-0"),
        ("batch", {"startingoffsets": '{"t":{"0":-3}}'}, "startingOffsets", "must be like"),
        ("batch", {"startingoffsets": '{"t":{"0":true}}'}, "startingOffsets", "must be like"),
        ("batch", {"startingoffsets": '{"t":{"0":5,"0":0}}'}, "startingOffsets", "has '0' twice"),
        ("batch", {"startingoffsets": '{"t":{"0":5,"00":0}}'}, "startingOffsets", "0 of t twice"),
        ("batch", {"startingoffsets": '{"t":{"0":1},"t":{"1":1}}'}, "startingOffsets", "'t' twice"),
        (
            "batch",
            {"startingoffsets": '{"t":{"0":9223372036854775808}}'},
            "startingOffsets",
            "like",
        ),
        ("batch", {"endingoffsets": "earliest"}, "endingOffsets", "latest or offsets"),
        ("batch", {"endingoffsets": '{"t":{"0":-2}}'}, "endingOffsets", "t-0"),
        ("stream", {"endingoffsets": "latest"}, "endingOffsets", "no end"),
        ("stream", {"endingtimestamp": "1"}, "endingTimestamp", "no end"),
        (
            "stream",
            {"minoffsetspertrigger": "9", "maxoffsetspertrigger": "8"},
            "minOffsetsPerTrigger",
            "lower it",
        ),
        (
            "stream",
            {"kafka.auto.offset.reset": "latest"},
            "kafka.auto.offset.reset",
            "startingOffsets",
        ),
        ("stream", {"kafka.enable.auto.commit": "true"}, "kafka.enable.auto.commit", "remove"),
        ("stream", {"kafka.bootstrap.servers": ""}, "kafka.bootstrap.servers", "host:port"),
        ("batch", {"topic": "dogs"}, "topic", "subscribe"),
        ("batch", {"path": "dogs"}, "path", "subscribe"),
        ("batch", {"subscribe": "", "subscribepattern": "("}, "subscribePattern", "only one"),
        (
            "batch",
            {"startingoffsetsbytimestampstrategy": "first"},
            "startingOffsetsByTimestampStrategy",
            "error or latest",
        ),
        ("batch", {"columns": ","}, "columns", "no column"),
        ("batch", {"valueformat": "avro"}, "valueSchema", "is missing"),
        ("batch", {"valueschema": "{}"}, "valueSchema", "needs 'valueFormat'"),
        ("batch", {"valueformat": "avro", "valueschema": "{"}, "valueSchema", "no JSON"),
        (
            "batch",
            {"valueformat": "avro", "valueschema": '{"type":"map"}'},
            "valueSchema",
            "no 'values'",
        ),
        ("batch", {"valueformat": "json"}, "valueFormat", "binary, text, avro or protobuf"),
    ],
)
def test_mistakes_name_the_option_and_say_what_to_do(
    mode: Mode, given: dict[str, str], named: str, says: str
) -> None:
    with pytest.raises(OptionError, match=rf"\[BARNABAS_OPTION\].*{says}") as caught:
        read_options(BASE | given, mode)
    assert caught.value.option == named


def test_a_topic_that_is_assigned_twice_is_refused() -> None:
    with pytest.raises(OptionError, match="option 'assign': has 't' twice"):
        read_options({"kafka.bootstrap.servers": "h:1", "assign": '{"t":[0],"t":[1]}'}, "batch")


def test_nothing_selected_is_refused() -> None:
    with pytest.raises(OptionError, match="exactly one of"):
        read_options({"kafka.bootstrap.servers": "h:1"}, "batch")


def test_a_bad_pattern_is_refused() -> None:
    with pytest.raises(OptionError, match="subscribePattern.*not a pattern"):
        read_options({"kafka.bootstrap.servers": "h:1", "subscribepattern": "("}, "batch")
