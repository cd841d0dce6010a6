"""Names of topics in the target, and what new ones get of the properties of the source."""

import logging

import pytest

from barnabas import Admin, NewTopic
from barnabas.pipelines.errors import PipelineRefused
from barnabas.pipelines.target_topics import copied_properties, ensure_topics, target_names
from barnabas.testing import EmbeddedBroker


def test_a_topic_keeps_its_name_unless_it_gets_another() -> None:
    assert target_names(["b", "a"], {"a": "c"}) == {"a": "c", "b": "b"}


@pytest.mark.parametrize(
    ("names", "why"),
    [({"x": "y"}, "x was given another name"), ({"a": "b"}, "a and b would both be b")],
)
def test_names_that_cannot_be_are_refused(names: dict[str, str], why: str) -> None:
    with pytest.raises(PipelineRefused, match=why):
        target_names(["a", "b"], names)


def test_a_new_topic_keeps_records_as_long_as_the_source_does() -> None:
    brokers = {"log.retention.ms": "1234567", "log.segment.bytes": "1048577"}
    with (
        EmbeddedBroker(brokers) as source,
        Admin(bootstrap_servers=source.bootstrap_servers) as admin,
    ):
        admin.create_topics(
            [NewTopic("own", 1, configs={"retention.ms": "-1"}), NewTopic("usual", 1)]
        )
        assert copied_properties(admin, ["own", "usual"]) == {
            "own": {"retention.ms": "-1", "message.timestamp.type": "CreateTime"},
            "usual": {"retention.ms": "1234567", "message.timestamp.type": "CreateTime"},
        }


def test_a_source_that_does_not_report_its_retention_makes_a_topic_that_deletes_nothing(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with (
        EmbeddedBroker(profile="0.10.2") as source,
        Admin(bootstrap_servers=source.bootstrap_servers) as admin,
        caplog.at_level(logging.WARNING),
    ):
        source.create_topic("old")
        assert copied_properties(admin, ["old"])["old"]["retention.ms"] == "-1"
    assert caplog.messages[-1].startswith("old: the source does not report its properties")


def test_a_topic_that_would_change_timestamps_is_refused() -> None:
    keep = {"message.timestamp.type": "CreateTime"}
    with (
        EmbeddedBroker() as target,
        Admin(bootstrap_servers=target.bootstrap_servers) as admin,
    ):
        stamping = {"message.timestamp.type": "LogAppendTime"}
        admin.create_topics([NewTopic("stamps", 1, configs=stamping), NewTopic("keeps", 1)])
        with pytest.raises(PipelineRefused, match="stamps gives records the time of the copy"):
            ensure_topics(admin, {"stamps": 1, "new": 1}, {"stamps": keep, "new": keep})
        assert "new" not in admin.list_topics()
        assert ensure_topics(admin, {"stamps": 1, "keeps": 1}, {"stamps": {}, "keeps": keep}) == {
            "keeps": 1,
            "stamps": 1,
        }
