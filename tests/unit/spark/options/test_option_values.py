import pytest

from barnabas.spark.errors import OptionError
from barnabas.spark.options.option_values import Options


@pytest.mark.parametrize(
    ("text", "milliseconds"),
    [
        ("15m", 900_000),
        ("500ms", 500),
        ("30s", 30_000),
        ("2h", 7_200_000),
        ("7", 7),
        ("1 d", 86_400_000),
    ],
)
def test_durations_are_read_as_spark_writes_them(text: str, milliseconds: int) -> None:
    assert (
        Options({"maxtriggerdelay": text}).duration_ms("maxTriggerDelay", default=0) == milliseconds
    )


def test_a_misspelt_name_is_refused_with_the_nearest_one() -> None:
    with pytest.raises(OptionError, match=r"startingofset.*did you mean 'startingOffsets'"):
        Options({"startingofset": "x"}).check_names(["startingOffsets", "columns"], {})


def test_properties_of_any_of_kafkas_clients_pass() -> None:
    given = {"bootstrap.servers": "h:1", "fetch.max.bytes": "5", "acks": "1", "ssl.protocol": "x"}
    options = Options({f"kafka.{name}": value for name, value in given.items()})
    options.check_names([], {})
    assert options.kafka(refused={}) == given


def test_a_misspelt_property_of_kafka_is_refused_with_the_nearest_one() -> None:
    options = Options({"kafka.bootstrap.servers": "h:1", "kafka.isolation.levl": "read_committed"})
    with pytest.raises(OptionError, match=r"isolation\.levl.*mean 'kafka\.isolation\.level'"):
        options.kafka(refused={})


@pytest.mark.parametrize(
    ("name", "value"),
    [("security.protocol", "SSL"), ("acks", "2"), ("fetch.max.bytes", "many")],
)
def test_a_value_that_no_client_takes_is_refused_with_its_option(name: str, value: str) -> None:
    options = Options({"kafka.bootstrap.servers": "h:1", f"kafka.{name}": value})
    with pytest.raises(
        OptionError, match=rf"^\[BARNABAS_OPTION\] option 'kafka\.{name}': .*{value}"
    ):
        options.kafka(refused={})


@pytest.mark.parametrize("value", ["yes", "1", ""])
def test_a_flag_is_true_or_false(value: str) -> None:
    with pytest.raises(OptionError, match="failOnDataLoss.*true or false"):
        Options({"failondataloss": value}).flag("failOnDataLoss", default=True)


@pytest.mark.parametrize("value", ["0", "-3", "many", "9223372036854775808"])
def test_a_number_is_whole_and_in_range(value: str) -> None:
    with pytest.raises(OptionError, match="minPartitions"):
        Options({"minpartitions": value}).integer("minPartitions", least=1)
