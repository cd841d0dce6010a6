import pytest

from barnabas.broker.properties.log_properties import log_config
from barnabas.broker.topics.topic_rules import check_properties
from barnabas.config.broker import BrokerConfig
from barnabas.errors import BrokerError, ConfigError

HOUR_MS = 3_600_000
FOREVER = 2**63 - 1


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("no.such", "1"),
        ("compression.gzip.level", "0"),
        ("remote.storage.enable", "true"),
        ("leader.replication.throttled.replicas", "abc"),
        ("follower.replication.throttled.replicas", "0:1,1"),
        ("leader.replication.throttled.replicas", "*,0:1"),
    ],
)
def test_what_no_topic_may_have(name: str, value: str) -> None:
    with pytest.raises(
        (BrokerError, ConfigError), match=r"no property|must be|no remote storage|throttled"
    ):
        check_properties({name: value}, {}, "")


@pytest.mark.parametrize("replicas", ["*", "", "0:1", "0:1,1:2"])
def test_throttled_replicas_are_all_or_some(replicas: str) -> None:
    check_properties({"leader.replication.throttled.replicas": replicas}, {}, "")


def test_the_lags_of_compaction_leave_time_between_them() -> None:
    lags = {"min.compaction.lag.ms": "20", "max.compaction.lag.ms": "20"}
    check_properties(lags, {}, "")
    with pytest.raises((BrokerError, ConfigError), match=r"min.compaction.lag.ms=20 is more than"):
        check_properties(lags | {"max.compaction.lag.ms": "10"}, {}, "")


@pytest.mark.parametrize(
    ("name", "value", "without", "having"),
    [
        ("message.format.version", "0.10.0", "4.3", "3.9"),
        ("message.timestamp.difference.max.ms", "5", "4.0", "0.10.0"),
        ("message.timestamp.after.max.ms", "5", "3.5", "3.6"),
        ("max.compaction.lag.ms", "5", "2.2", "2.3"),
        ("compression.zstd.level", "5", "3.7", "3.8"),
        ("compression.type", "zstd", "2.0", "2.1"),
    ],
)
def test_a_topic_has_the_properties_of_the_release(
    name: str, value: str, without: str, having: str
) -> None:
    for release in (having, ""):
        check_properties({name: value}, {}, release)
    with pytest.raises((BrokerError, ConfigError), match=r"in Kafka"):
        check_properties({name: value}, {}, without)


def test_beside_0_7_topics_may_have_what_any_release_has() -> None:
    check_properties({"message.format.version": "0.7", "max.compaction.lag.ms": "5"}, {}, "0.7")


def test_what_a_topic_has_of_another_release_may_stay() -> None:
    own = {"message.format.version": "0.10.0", "segment.bytes": "5000"}
    check_properties(own, own, "4.3")
    check_properties({**own, "retention.ms": "5"}, own, "")
    with pytest.raises(ConfigError, match=r"segment\.bytes=4000: it must be at least 1048576"):
        check_properties({**own, "segment.bytes": "4000"}, own, "")


@pytest.mark.parametrize(
    ("release", "own", "limits"),
    [
        ("", {}, (FOREVER, HOUR_MS)),
        ("", {"message.timestamp.difference.max.ms": "7"}, (7, 7)),
        (
            "3.9",
            {"message.timestamp.difference.max.ms": "7", "message.timestamp.after.max.ms": "9"},
            (7, 9),
        ),
        ("1.1", {}, (FOREVER, FOREVER)),
    ],
)
def test_the_older_limit_of_timestamps_stands_in_for_both(
    release: str, own: dict[str, str], limits: tuple[int, int]
) -> None:
    config = log_config(own, BrokerConfig.load({}, release=release))
    found = (config.message_timestamp_before_max_ms, config.message_timestamp_after_max_ms)
    assert found == limits


def test_a_broker_may_give_the_older_limit() -> None:
    broker = BrokerConfig.load({"log.message.timestamp.difference.max.ms": 7}, release="2.8")
    config = log_config({}, broker)
    assert config.message_timestamp_before_max_ms == config.message_timestamp_after_max_ms == 7
