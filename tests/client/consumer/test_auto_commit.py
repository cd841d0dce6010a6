"""Positions that are saved by themselves: beside the polls, the newest last, with a word where it fails."""

import logging
from collections.abc import Iterator
from typing import Any

import pytest

from barnabas import Consumer, ErrorCode, KafkaError, Producer
from barnabas.protocol.api_keys import ApiKey
from barnabas.testing.embedded_broker import EmbeddedBroker
from tests.client.groups.scripted_group import ScriptedGroup, refuse_commit
from tests.client.scripted_broker import TOPIC, Misdeed, say_nothing

COUNT = 20
WHERE = (TOPIC, 0)
OUTSIDE = -1


def group_with(*misdeeds: Misdeed) -> ScriptedGroup:
    """A broker with records and a coordinator that does these to commits first."""
    return ScriptedGroup({ApiKey.OFFSET_COMMIT: list(misdeeds)}, member_epoch=OUTSIDE)


def reader_of(broker: ScriptedGroup, **more: object) -> Consumer:
    """One that saves positions as often as it can."""
    with Producer(bootstrap_servers=broker.address, linger_ms=0) as producer:
        for number in range(COUNT):
            producer.send(TOPIC, b"%d" % number).result(20)
    quick: dict[str, Any] = {"auto_commit_interval_ms": 0, "retry_backoff_ms": 1, **more}
    reader = Consumer(
        bootstrap_servers=broker.address, group_id="g", auto_offset_reset="earliest", **quick
    )
    reader.assign([WHERE])
    return reader


def saved(broker: ScriptedGroup) -> list[int]:
    """The positions of all commits, in order."""
    return [
        row.committed_offset
        for message in broker.asked(ApiKey.OFFSET_COMMIT)
        for topic in message.topics
        for row in topic.partitions
    ]


def read_all(reader: Consumer) -> None:
    count = 0
    while count < COUNT:
        count += len(reader.poll(20, max_records=1))


def test_no_poll_waits_for_a_coordinator_that_is_silent() -> None:
    with group_with(say_nothing) as broker:
        reader = reader_of(broker)
        read_all(reader)
        assert len(saved(broker)) == 1, "somebody waited until it was given up"
        with pytest.raises(KafkaError, match=r"committing: not done within 0 s \(timeout_s\)"):
            reader.close(0)


def test_after_a_refusal_the_next_commit_has_what_was_read_since() -> None:
    refused = [refuse_commit(ErrorCode.COORDINATOR_LOAD_IN_PROGRESS)] * 3
    with group_with(*refused) as broker:
        with reader_of(broker) as reader:
            read_all(reader)
        reported = saved(broker)
    assert reported == sorted(reported)
    assert len(reported) > len(refused)
    assert reported[-1] == COUNT


def test_what_fails_is_logged_and_not_raised_by_a_poll(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    refused = [refuse_commit(ErrorCode.GROUP_AUTHORIZATION_FAILED)]
    with group_with(*refused) as broker, reader_of(broker) as reader:
        read_all(reader)
    assert "automatic commit failed: GROUP_AUTHORIZATION_FAILED: group g" in caplog.text


@pytest.fixture(scope="module")
def servers() -> Iterator[str]:
    with EmbeddedBroker({"num.partitions": "1"}) as broker:
        yield broker.bootstrap_servers


@pytest.mark.parametrize("how", ["assigned", "member"])
def test_what_the_user_saves_is_never_undone(servers: str, how: str) -> None:
    topic = f"often-{how}"
    with Producer(bootstrap_servers=servers) as producer:
        for number in range(500):
            producer.send(topic, b"%d" % number)
    with Consumer(
        bootstrap_servers=servers,
        group_id=topic,
        auto_offset_reset="earliest",
        auto_commit_interval_ms=0,
    ) as reader:
        if how == "member":
            reader.subscribe([topic])
        else:
            reader.assign([(topic, 0)])
        for _ in range(100):
            records = reader.poll(60, max_records=5)
            reader.commit({(topic, 0): records[0].offset})
            assert reader.committed([(topic, 0)]) == {(topic, 0): records[0].offset}
