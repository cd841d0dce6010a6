import logging

import pytest

from barnabas.config.broker import BrokerConfig
from barnabas.config.topic import TopicConfig, broker_wide
from barnabas.errors import ConfigError


def test_a_topic_inherits_from_the_broker() -> None:
    broker = BrokerConfig.load({"log.segment.bytes": 2_000_000, "message.max.bytes": 5000})
    topic = TopicConfig.for_topic({"segment_bytes": "3000000"}, broker)
    assert (topic.segment_bytes, topic.max_message_bytes) == (3_000_000, 5000)
    assert topic.retention_ms == 7 * 24 * 3600 * 1000


@pytest.mark.parametrize(
    ("given", "name", "retention_ms"),
    [
        ({"log.retention.hours": 1}, "log.retention.hours", 3_600_000),
        ({"log.retention.hours": 1, "log.retention.minutes": 2}, "log.retention.minutes", 120_000),
        ({"log.retention.minutes": 2, "log.retention.ms": 5}, "log.retention.ms", 5),
        ({"log.retention.hours": -1}, "log.retention.hours", -1),
    ],
)
def test_the_finest_unit_that_was_set_counts(
    given: dict[str, object], name: str, retention_ms: int
) -> None:
    broker = BrokerConfig.load(given)
    assert broker_wide(broker) == {"retention.ms": (name, retention_ms)}
    assert TopicConfig.for_topic({}, broker).retention_ms == retention_ms


def test_every_synonym_is_a_property_of_the_broker_with_the_same_default() -> None:
    units = {"log.retention.ms", "log.roll.ms", "log.roll.jitter.ms", "log.flush.interval.ms"}
    for row in TopicConfig.settings().values():
        if not row.synonym:
            continue
        other = BrokerConfig.find(row.synonym)
        assert other is not None, row.synonym
        if row.synonym not in units:
            assert (other.default, other.kind) == (row.default, row.kind), row.name


def test_a_wrong_value_of_a_topic_is_refused() -> None:
    with pytest.raises(ConfigError, match="cleanup.policy=shred: it must be any of"):
        TopicConfig.for_topic({"cleanup.policy": "shred"}, BrokerConfig())


def test_what_changes_nothing_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    broker = BrokerConfig.load({"min.insync.replicas": 2})
    assert TopicConfig.for_topic({}, broker).min_insync_replicas == 2
    TopicConfig.for_topic({"min.insync.replicas": 3}, broker)
    assert [record.levelname for record in caplog.records] == ["WARNING", "INFO"]


@pytest.mark.parametrize(
    ("name", "opening"),
    [
        ("cleanup.policy", "This config designates the retention policy"),
        ("compression.type", "Specify the final compression type"),
        ("max.message.bytes", "The largest record batch size"),
        ("message.timestamp.type", "Define whether the timestamp"),
        ("retention.bytes", "This configuration controls the maximum size"),
        ("retention.ms", "This configuration controls the maximum time"),
        ("segment.bytes", "This configuration controls the segment file size"),
    ],
)
def test_what_a_property_is_begins_with_the_words_that_tools_look_for(
    name: str, opening: str
) -> None:
    row = TopicConfig.find(name)
    assert row is not None
    assert row.text.startswith(opening)
