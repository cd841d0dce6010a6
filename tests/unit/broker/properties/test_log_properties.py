"""What the logs of a topic obey where its properties and those of its broker exclude each other."""

import pytest

from barnabas.broker.properties.log_properties import config_of_kept, log_config
from barnabas.config.broker import BrokerConfig
from barnabas.errors import ConfigError
from barnabas.log.segments.log_config import MAGIC_07

OLD = {"message.format.version": "0.10.0", "segment.bytes": "7340032"}
OF_07 = {"message.format.version": "0.7"}


def test_what_has_no_place_in_the_format_of_a_topic_is_logged_and_not_obeyed() -> None:
    broker = BrokerConfig.load({"compression.type": "zstd", "log.cleanup.policy": "compact"})
    with pytest.raises(ConfigError, match="no place"):
        log_config(OLD, broker)
    received: list[ConfigError] = []
    config = config_of_kept(OLD, broker, received.append)
    assert (config.stored, config.magic, config.segment_bytes) == (None, 1, 7_340_032)
    assert config.cleanup_policy == {"compact"}
    assert [str(one) for one in received] == [
        "compression.type=zstd: message.format.version 0.10.0 has no place for it"
    ]


def test_where_messages_have_no_keys_nothing_is_thrown_away() -> None:
    broker = BrokerConfig.load(
        {"log.cleanup.policy": "compact", "log.retention.ms": "5", "compression.type": "lz4"}
    )
    config = config_of_kept(OF_07, broker)
    assert (config.magic, config.stored) == (MAGIC_07, None)
    assert config.cleanup_policy == {"delete"}
    assert config.retention_ms == -1


def test_what_is_right_is_obeyed_and_not_logged() -> None:
    broker = BrokerConfig.load({"compression.type": "gzip"})
    received: list[ConfigError] = []
    assert config_of_kept(OLD, broker, received.append) == log_config(OLD, broker)
    assert received == []


def test_what_could_not_be_on_any_broker_is_an_error() -> None:
    with pytest.raises(ConfigError, match=r"segment\.bytes"):
        config_of_kept({"segment.bytes": "few"}, BrokerConfig.load({}))


def test_a_segment_may_be_as_small_as_the_release_let_it_that_the_topic_is_of() -> None:
    """Kafka 4 continues with such a topic, and refuses the property for a new one."""
    config = config_of_kept({"segment.bytes": "14"}, BrokerConfig.load({}))
    assert config.segment_bytes == 14
    with pytest.raises(ConfigError, match=r"segment\.bytes=13: it must be at least 14"):
        config_of_kept({"segment.bytes": "13"}, BrokerConfig.load({}))
    with pytest.raises(ConfigError, match=r"segment\.bytes=14: it must be at least 1048576"):
        log_config({"segment.bytes": "14"}, BrokerConfig.load({}))


def test_what_kafka_tests_its_segments_with_stands_in_for_the_property_that_users_have() -> None:
    own = {"internal.segment.bytes": "1000", "segment.bytes": "2000000"}
    assert log_config(own, BrokerConfig.load({})).segment_bytes == 1000


@pytest.mark.parametrize(("asked", "obeyed"), [("0", 0), ("4096", 4096), ("2147483647", 1 << 20)])
def test_an_index_has_an_entry_for_each_mebibyte_at_least(asked: str, obeyed: int) -> None:
    """A segment of 1 GB without an entry takes seconds to look through, for each fetch."""
    config = log_config({"index.interval.bytes": asked}, BrokerConfig.load({}))
    assert config.index_interval_bytes == obeyed
