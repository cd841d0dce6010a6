import pytest

from barnabas.config.broker import BrokerConfig
from barnabas.config.releases import RELEASES, is_before, magic_of, release_line
from barnabas.config.topic import TopicConfig
from barnabas.errors import ConfigError


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("0.8.2", "0.8.2"), ("0.8.2.2", "0.8.2"), ("0.9", "0.9.0"), ("0.11", "0.11.0"),
        ("0.10.2.1", "0.10.2"), ("2.8", "2.8"), ("2.8.2", "2.8"), ("4.3.0", "4.3"),
    ],
)  # fmt: skip
def test_a_release_belongs_to_a_line(text: str, line: str) -> None:
    assert release_line(text) == line


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        ("0.10", "0.10.0, 0.10.1, 0.10.2$"),
        ("5.0", "0.8.0, .* 4.3$"),
        ("2.8.2.1", "0.8.0"),
        ("", "0.8"),
    ],
)
def test_what_is_no_line_is_refused_with_those_it_may_mean(text: str, reported: str) -> None:
    with pytest.raises(ConfigError, match=reported):
        release_line(text)


def test_lines_are_in_order() -> None:
    assert is_before("0.9.0", "0.10.0")
    assert not is_before("2.8", "2.8")
    assert list(RELEASES) == sorted(
        RELEASES, key=lambda one: [int(part) for part in one.split(".")]
    )


@pytest.mark.parametrize(
    ("version", "magic"),
    [
        ("0.8.2", 0),
        ("0.9.0", 0),
        ("0.10.0-IV0", 1),
        ("0.10.2", 1),
        ("0.11.0-IV2", 2),
        ("2.8-IV1", 2),
    ],
)
def test_a_record_format_has_the_name_of_a_release(version: str, magic: int) -> None:
    assert magic_of(version) == magic


def test_defaults_are_those_of_the_release() -> None:
    old, new = (BrokerConfig.load({}, release=release) for release in ("0.10.2", "2.8"))
    assert (old.message_max_bytes, new.message_max_bytes) == (1_000_012, 1_048_588)
    assert (old.delete_topic_enable, new.delete_topic_enable) == (False, True)
    assert old.log_message_format_version == "0.10.2-IV0"
    assert TopicConfig.for_topic({}, old).max_message_bytes == 1_000_012
    given = BrokerConfig.load({"message.max.bytes": 7}, release="0.10.2")
    assert given.message_max_bytes == TopicConfig.for_topic({}, given).max_message_bytes == 7
    assert not old.given
    assert BrokerConfig.load({}).message_max_bytes == 1_048_588


def test_segments_could_be_small_before_4_0() -> None:
    small = {"log.segment.bytes": 1000}
    assert BrokerConfig.load(small, release="3.9").log_segment_bytes == 1000
    with pytest.raises(ConfigError, match="at least 14"):
        BrokerConfig.load({"log.segment.bytes": 13}, release="3.9")
    for release in ("4.0", ""):
        with pytest.raises(ConfigError, match="at least 1048576"):
            BrokerConfig.load(small, release=release)
    old = BrokerConfig.load({}, release="2.8")
    assert TopicConfig.for_topic({"segment.bytes": "1000"}, old).segment_bytes == 1000
