"""Consumers of ours whose broker shares partitions out (KIP-848), in one process with that broker."""

import re
from collections.abc import Iterator

import pytest

from barnabas import (
    Admin,
    BrokerError,
    ConfigError,
    Consumer,
    ErrorCode,
    NewTopic,
)
from barnabas.testing.embedded_broker import EmbeddedBroker
from tests.client.groups import test_groups
from tests.client.groups.test_groups import (
    PARTITIONS,
    SECONDS,
    RecordedRebalances,
    fill,
    goes_on_alone,
    numbers,
    poll_until,
    shared,
    topic,
    wait_until,
)

__all__ = ["topic"]

QUICK = {
    "group.initial.rebalance.delay.ms": "0",
    "group.consumer.min.heartbeat.interval.ms": "50",
    "group.consumer.heartbeat.interval.ms": "50",
    "group.consumer.assignment.interval.ms": "0",
}


@pytest.fixture(scope="module")
def servers() -> Iterator[str]:
    with EmbeddedBroker(QUICK) as broker:
        yield broker.bootstrap_servers


def settings_of(servers: str, topic: str, **more: object) -> dict[str, object]:
    return {
        "bootstrap_servers": servers,
        "group_id": f"of-{topic}",
        "group_protocol": "consumer",
        "auto_offset_reset": "earliest",
        "retry_backoff_ms": 20,
        **more,
    }


def member(
    servers: str, topic: str, listener: RecordedRebalances | None = None, **more: object
) -> Consumer:
    made = Consumer(**settings_of(servers, topic, **more))
    made.subscribe([topic], listener=listener)
    return made


@pytest.mark.parametrize("assignor", ["uniform", "range"])
def test_members_share_and_what_one_leaves_goes_on_with_another(
    servers: str, topic: str, assignor: str
) -> None:
    first, second = RecordedRebalances(), RecordedRebalances()
    sent = fill(servers, topic)
    one = member(servers, topic, first, group_remote_assignor=assignor)
    read = set(poll_until([one], lambda: shared([one])))
    while read != sent:
        read |= {record.value for record in one.poll(SECONDS)}
    two = member(servers, topic, second, group_remote_assignor=assignor)

    def done() -> bool:
        reported = ("assigned", numbers(two.assignment())) in second.words
        return reported and shared([one, two])

    assert poll_until([one, two], done) == [], "read twice"
    kept = numbers(one.assignment())
    assert first.words[0] == ("assigned", [0, 1, 2, 3])
    moved = sorted({0, 1, 2, 3} - set(kept))
    assert first.words[1] == ("revoked", moved)
    assert ("assigned", moved) in second.words
    goes_on_alone(two, one, first)


def test_a_member_that_stays_away_too_long_loses_what_it_had(servers: str, topic: str) -> None:
    reported = RecordedRebalances()
    with member(servers, topic, reported, max_poll_interval_ms=300) as one:
        poll_until([one], lambda: bool(reported.words))
        wait_until(lambda: one.group_metadata().generation < 0)
        with pytest.raises(BrokerError) as raised:
            one.commit({(topic, 0): 1})
        assert raised.value.code is ErrorCode.UNKNOWN_MEMBER_ID
        poll_until([one], lambda: len(reported.words) >= 3)
        assert [word for word, _ in reported.words[:3]] == ["assigned", "lost", "assigned"]


def test_a_pattern_takes_topics_that_come_later(servers: str, topic: str) -> None:
    with Consumer(settings_of(servers, topic)) as one, Admin(bootstrap_servers=servers) as admin:
        one.subscribe(re.compile(f"{topic.upper()}.*", re.IGNORECASE))
        poll_until([one], lambda: shared([one]))
        admin.create_partitions({topic: PARTITIONS + 2})
        poll_until([one], lambda: shared([one], PARTITIONS + 2))
        admin.create_topics([NewTopic(f"{topic}-more", 1, 1)])
        poll_until([one], lambda: shared([one], PARTITIONS + 3))
        assert one.subscription() == [topic, f"{topic}-more"]
        one.subscribe([topic])
        poll_until([one], lambda: shared([one], PARTITIONS + 2))


def test_what_re2_does_not_know_is_an_error(servers: str, topic: str) -> None:
    with Consumer(settings_of(servers, topic)) as one:
        with pytest.raises(ValueError, match="VERBOSE"):
            one.subscribe(re.compile(topic, re.VERBOSE))
        one.assign([])
        one.subscribe(re.compile(f"(?!x){topic}"))
        with pytest.raises(BrokerError) as raised:
            one.poll(SECONDS)
        assert raised.value.code is ErrorCode.INVALID_REGULAR_EXPRESSION
        one.subscribe([topic])
        poll_until([one], lambda: shared([one]))


def test_who_leaves_may_assign_and_come_back(servers: str, topic: str) -> None:
    reported = RecordedRebalances()
    with member(servers, topic, reported) as one:
        poll_until([one], lambda: bool(reported.words))
        one.unsubscribe()
        assert reported.words[-1] == ("revoked", [0, 1, 2, 3])
        assert (one.subscription(), one.assignment()) == ([], [])
        one.assign([(topic, 0)])
        one.assign([])
        one.subscribe([topic], listener=reported)
        poll_until([one], lambda: shared([one]))


def test_the_listener_can_seek_and_commit(servers: str, topic: str) -> None:
    test_groups.a_listener_seeks_and_commits(servers, topic, member)


def test_static_members_come_back_to_what_they_had(servers: str, topic: str) -> None:
    one, two = (member(servers, topic, group_instance_id=name) for name in ("first", "second"))

    def settled() -> bool:
        # What one gave up may be here before it received the epoch that it reached by that.
        epochs = {each.group_metadata().generation for each in (one, two)}
        return shared([one, two]) and len(epochs) == 1

    poll_until([one, two], settled)
    was, had = two.group_metadata().generation, two.assignment()
    two.close()
    two = member(servers, topic, group_instance_id="second")
    poll_until([two], lambda: bool(two.assignment()))
    assert (two.assignment(), two.group_metadata().generation) == (had, was)
    for each in (one, two):
        each.close()


def test_a_live_group_goes_over_to_the_broker_and_back(servers: str, topic: str) -> None:
    fill(servers, topic)
    old = test_groups.member(servers, topic, enable_auto_commit=False)
    poll_until([old], lambda: shared([old]))
    new = member(servers, topic)
    poll_until([old, new], lambda: shared([old, new]))
    with Admin(bootstrap_servers=servers) as admin:
        group = f"of-{topic}"
        assert [one.kind for one in admin.list_groups() if one.group_id == group] == ["consumer"]
        old.commit()
        new.close()
        poll_until([old], lambda: shared([old]))
        assert [one.kind for one in admin.list_groups() if one.group_id == group] == ["classic"]
    old.close()


def test_a_rebalance_that_is_forced_does_nothing(
    servers: str, topic: str, caplog: pytest.LogCaptureFixture
) -> None:
    with member(servers, topic) as one:
        poll_until([one], lambda: shared([one]))
        was = one.group_metadata()
        one.enforce_rebalance()
        assert "the broker of the group decides that" in caplog.text
        one.poll(0)
        assert one.group_metadata() == was


@pytest.mark.parametrize(
    "more",
    [
        {"partition.assignment.strategy": "range"},
        {"heartbeat.interval.ms": 50, "session.timeout.ms": 1000},
        {"group.protocol": "classic", "group.remote.assignor": "range"},
    ],
)
def test_what_kafka_refuses_with_the_protocol_is_refused(more: dict[str, object]) -> None:
    settings = {"group.id": "g", "group.protocol": "consumer", **more}
    given = ", ".join(name for name in more if name != "group.protocol")
    protocol = str(settings["group.protocol"]).upper()
    with pytest.raises(ConfigError) as raised:
        Consumer(settings)
    assert str(raised.value) == f"{given} cannot be set when group.protocol={protocol}"


def test_asyncio_members_share(servers: str, topic: str) -> None:
    test_groups.asyncio_members(servers, topic, RecordedRebalances(), settings_of(servers, topic))
