import pytest

from barnabas.broker.properties.broker_settings import EVERY, BrokerSettings, is_changeable
from barnabas.broker.properties.config_entries import broker_entries
from barnabas.broker.properties.config_source import ValueSource
from barnabas.config.broker import BrokerConfig
from barnabas.errors import BrokerError, ErrorCode, StorageError
from tests.unit.broker.in_memory import MemoryRegistry


def settings(**given: object) -> BrokerSettings:
    return BrokerSettings(BrokerConfig(node_id=1, **given))  # type: ignore[arg-type]


def change(made: BrokerSettings, registry: MemoryRegistry, scope: str, **config: str) -> None:
    changes = {name.replace("_", "."): value for name, value in config.items()}
    made.check(scope, changes)
    made.write(registry, scope, changes)
    made.take(scope, changes)


def test_a_change_for_one_broker_comes_before_one_for_every_broker() -> None:
    registry, made = MemoryRegistry(), settings(log_retention_hours=2)
    change(made, registry, EVERY, log_retention_ms="5000", message_max_bytes="1000")
    change(made, registry, "1", log_retention_ms="7000")
    assert made.current.log_retention_ms == 7000
    assert made.current.message_max_bytes == 1000
    assert made.current.log_retention_hours == 2
    change(made, registry, "1")
    assert made.current.log_retention_ms == 5000


def test_changes_are_there_again_after_a_restart() -> None:
    registry = MemoryRegistry()
    change(settings(), registry, EVERY, num_io_threads="9", log_segment_bytes="7340032")
    again = settings()
    again.load(again.read(registry))
    assert again.current.log_segment_bytes == 7_340_032
    entries = {entry.row.name: entry for entry in broker_entries(again.layers)}
    assert entries["num.io.threads"].origins[0] == (
        "num.io.threads",
        "9",
        ValueSource.EVERY_BROKER,
    )


def test_listeners_are_called_after_each_change() -> None:
    registry, made = MemoryRegistry(), settings()
    received: list[BrokerConfig] = []
    made.on_change.append(received.append)
    change(made, registry, "1", max_connections="3")
    assert [config.max_connections for config in received] == [3]


def test_all_listeners_are_called_in_their_order_also_where_one_of_them_fails() -> None:
    registry, made = MemoryRegistry(), settings()
    received: list[str] = []

    def fail(_config: BrokerConfig) -> None:
        received.append("first")
        raise StorageError("a mistake of somebody else's")

    made.on_change.append(fail)
    made.on_change.append(lambda _config: received.append("second"))
    with pytest.raises(StorageError, match="somebody else"):
        change(made, registry, "1", max_connections="3")
    assert received == ["first", "second"]


def test_a_check_returns_what_all_would_come_to() -> None:
    made = settings(message_max_bytes=1000)
    coming = made.check(EVERY, {"max.connections": "3"})
    assert (coming.max_connections, coming.message_max_bytes) == (3, 1000)
    assert made.current.max_connections != 3


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("num.partitions", "2"),
        ("no.such", "1"),
        ("ssl.keystore.location", "/keys"),
        ("log.segment.bytes", "1"),
        ("log.retention.ms", "soon"),
        ("num.io.threads", "many"),
    ],
)
def test_what_cannot_be_changed_is_refused(name: str, value: str) -> None:
    with pytest.raises(BrokerError) as refused:
        settings().check(EVERY, {name: value})
    assert refused.value.code is ErrorCode.INVALID_REQUEST


def test_a_misspelt_name_is_reported_with_its_neighbour() -> None:
    with pytest.raises(BrokerError, match=r"log\.retention\.ms"):
        settings().check(EVERY, {"log.retetion.ms": "1"})


def test_all_that_can_be_changed_is_a_property() -> None:
    names = {entry.row.name for entry in broker_entries(settings().layers)}
    changeable = {name for name in names if is_changeable(name, "")}
    assert {"log.retention.ms", "num.io.threads"} <= changeable
    assert not is_changeable("no.such", "")
    assert is_changeable("log.retention.ms", "1.1")
    assert not is_changeable("log.retention.ms", "1.0")


def test_what_the_registry_holds_must_be_possible() -> None:
    registry = MemoryRegistry()
    registry.set("/config/brokers/1", b'{"config":{"log.segment.bytes":"few"}}')
    with pytest.raises(StorageError, match=r"/config/brokers"):
        settings().load(settings().read(registry))
