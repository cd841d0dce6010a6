"""Consumers of ours that share partitions: assignments, calls of listeners, what is saved; in one process."""

import asyncio
import itertools
import re
import time
from collections.abc import Callable, Iterator, Sequence

import pytest

from barnabas import (
    Admin,
    BrokerError,
    ConfigError,
    Consumer,
    ErrorCode,
    NewTopic,
    Producer,
    RebalanceListener,
    TopicPartition,
    aio,
)
from barnabas.client.core.group.membership import Membership
from barnabas.errors import KafkaError, LocalProtocolError
from barnabas.protocol.heartbeat import HeartbeatRequest
from barnabas.testing.embedded_broker import EmbeddedBroker

SECONDS = 60.0
PARTITIONS = 4
STRATEGIES = ("range", "roundrobin", "sticky", "cooperative-sticky")
_numbers = itertools.count(1)


@pytest.fixture(scope="module")
def servers() -> Iterator[str]:
    quick = {"group.initial.rebalance.delay.ms": "0", "group.min.session.timeout.ms": "100"}
    with EmbeddedBroker(quick) as broker:
        yield broker.bootstrap_servers


@pytest.fixture
def topic(servers: str) -> str:
    name = f"shared-{next(_numbers)}"
    with Admin(bootstrap_servers=servers) as admin:
        admin.create_topics([NewTopic(name, PARTITIONS, 1)])
    return name


class RecordedRebalances(RebalanceListener):
    """Keeps its calls, as one letter and the numbers of the partitions."""

    def __init__(self) -> None:
        self.words: list[tuple[str, list[int]]] = []

    def on_partitions_revoked(self, partitions: Sequence[TopicPartition]) -> None:
        self.words.append(("revoked", numbers(partitions)))

    def on_partitions_assigned(self, partitions: Sequence[TopicPartition]) -> None:
        self.words.append(("assigned", numbers(partitions)))

    def on_partitions_lost(self, partitions: Sequence[TopicPartition]) -> None:
        self.words.append(("lost", numbers(partitions)))


def numbers(partitions: Sequence[TopicPartition]) -> list[int]:
    return sorted(one.partition for one in partitions)


def member(
    servers: str, topic: str, listener: RecordedRebalances | None = None, **more: object
) -> Consumer:
    settings: dict[str, object] = {
        "bootstrap_servers": servers,
        "group_id": f"of-{topic}",
        "auto_offset_reset": "earliest",
        "heartbeat_interval_ms": 50,
        "retry_backoff_ms": 20,
    }
    made = Consumer(**{**settings, **more})
    made.subscribe([topic], listener=listener)
    return made


def poll_until(members: Sequence[Consumer], done: Callable[[], bool]) -> list[bytes | None]:
    deadline = time.monotonic() + SECONDS
    values = []
    while not done():
        assert time.monotonic() < deadline, [one.assignment() for one in members]
        for one in members:
            values += [record.value for record in one.poll(0.01)]
    return values


def shared(members: Sequence[Consumer], count: int = PARTITIONS) -> bool:
    parts = [set(one.assignment()) for one in members]
    return all(parts) and sum(map(len, parts)) == count == len(set().union(*parts))


def fill(servers: str, topic: str, count: int = 40) -> set[bytes]:
    values = {b"%d" % number for number in range(count)}
    with Producer(bootstrap_servers=servers) as producer:
        for number in range(count):
            producer.send(topic, b"%d" % number, partition=number % PARTITIONS)
    return values


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_members_share_and_what_one_leaves_goes_on_with_another(
    servers: str, topic: str, strategy: str
) -> None:
    first, second = RecordedRebalances(), RecordedRebalances()
    sent = fill(servers, topic)
    more = {"partition_assignment_strategy": strategy}
    one = member(servers, topic, first, **more)
    read: list[bytes | None] = []
    read += poll_until([one], lambda: len(read) == 0 and shared([one]))
    while len(read) < len(sent):
        read += [record.value for record in one.poll(SECONDS)]
    assert set(read) == sent
    two = member(servers, topic, second, **more)
    assert poll_until([one, two], lambda: shared([one, two])) == [], "read twice"
    kept = numbers(one.assignment())
    assert first.words[0] == ("assigned", [0, 1, 2, 3])
    moved = sorted({0, 1, 2, 3} - set(kept))
    assert first.words[1] == ("revoked", moved if "coop" in strategy else [0, 1, 2, 3])
    goes_on_alone(two, one, first)


def goes_on_alone(two: Consumer, one: Consumer, caught: RecordedRebalances) -> None:
    """One member closes, and its listener is notified; the other continues with all partitions."""
    kept = numbers(one.assignment())
    one.close()
    assert caught.words[-1] == ("revoked", kept)
    poll_until([two], lambda: shared([two]))
    with pytest.raises(LocalProtocolError):
        one.poll(0)
    assert two.committed(two.assignment()) == dict.fromkeys(two.assignment(), 10)
    two.close()


def test_a_member_that_stays_away_too_long_loses_what_it_had(servers: str, topic: str) -> None:
    ids: list[str] = []

    class Named(RecordedRebalances):
        def on_partitions_assigned(self, partitions: Sequence[TopicPartition]) -> None:
            super().on_partitions_assigned(partitions)
            ids.append(one.group_metadata().member_id)

    caught = Named()
    with member(servers, topic, caught, max_poll_interval_ms=300) as one:
        poll_until([one], lambda: bool(ids))
        wait_until(lambda: one.group_metadata().generation < 0)
        with pytest.raises(BrokerError) as raised:
            one.commit({(topic, 0): 1})
        assert raised.value.code is ErrorCode.UNKNOWN_MEMBER_ID
        poll_until([one], lambda: len(ids) >= 2)
    assert [word for word, _ in caught.words[:3]] == ["assigned", "lost", "assigned"]
    assert all(ids)
    assert ids[0] != ids[1]


def wait_until(done: Callable[[], bool]) -> None:
    deadline = time.monotonic() + SECONDS
    while not done():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_heartbeats_go_on_while_the_application_works(
    servers: str, topic: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    beats, request = [], Membership.heartbeat_request

    def beat(machine: Membership) -> HeartbeatRequest:
        beats.append(machine.generation)
        return request(machine)

    monkeypatch.setattr(Membership, "heartbeat_request", beat)
    with member(servers, topic) as one:
        poll_until([one], lambda: shared([one]))
        was, before = one.group_metadata(), len(beats)
        wait_until(lambda: len(beats) >= before + 5)  # Each waits for the answer to the last.
        one.poll(0.1)
        assert one.group_metadata() == was
        one.commit({(topic, 0): 1})


def test_new_partitions_and_new_topics_are_shared_out(servers: str, topic: str) -> None:
    with Admin(bootstrap_servers=servers) as admin:
        settings = {"bootstrap_servers": servers, "group_id": f"of-{topic}"}
        with Consumer(**settings, metadata_max_age_ms=100) as one:
            one.subscribe(re.compile(f"{topic}.*"))
            poll_until([one], lambda: shared([one]))
            admin.create_partitions({topic: PARTITIONS + 2})
            poll_until([one], lambda: shared([one], PARTITIONS + 2))
            admin.create_topics([NewTopic(f"{topic}-more", 1, 1)])
            poll_until([one], lambda: shared([one], PARTITIONS + 3))
            assert one.subscription() == [topic, f"{topic}-more"]


def test_a_session_that_the_broker_refuses_is_an_error_with_its_bounds(
    servers: str, topic: str
) -> None:
    with (
        member(servers, topic, session_timeout_ms=90) as one,
        pytest.raises(BrokerError, match=r"session\.timeout\.ms=90 is not between") as caught,
    ):
        one.poll(SECONDS)
    assert caught.value.code is ErrorCode.INVALID_SESSION_TIMEOUT
    assert "group.min.session.timeout.ms and group.max.session.timeout.ms (6,000" in str(
        caught.value
    )


def test_who_leaves_may_assign_and_the_other_way_round(servers: str, topic: str) -> None:
    caught = RecordedRebalances()
    with member(servers, topic, caught) as one:
        poll_until(
            [one], lambda: len(caught.words) == 1
        )  # It has them before its listener is notified.
        with pytest.raises(LocalProtocolError, match="unsubscribe before assign"):
            one.assign([(topic, 0)])
        one.unsubscribe()
        assert caught.words[-1] == ("revoked", [0, 1, 2, 3])
        assert (one.subscription(), one.assignment()) == ([], [])
        one.assign([(topic, 0)])
        with pytest.raises(LocalProtocolError, match=r"assign\(\[\]\) before subscribe"):
            one.subscribe([topic])
        one.assign([])
        one.subscribe([topic], listener=caught)
        poll_until([one], lambda: len(caught.words) == 3)
        assert [word for word, _ in caught.words] == ["assigned", "revoked", "assigned"]
        assert shared([one])


def test_the_listener_can_seek_and_commit(servers: str, topic: str) -> None:
    a_listener_seeks_and_commits(servers, topic, member)


def a_listener_seeks_and_commits(servers: str, topic: str, member: Callable[..., Consumer]) -> None:
    class Seeks(RebalanceListener):
        def on_partitions_assigned(self, partitions: Sequence[TopicPartition]) -> None:
            for where in partitions:
                one.seek(where, 8)

        def on_partitions_revoked(self, partitions: Sequence[TopicPartition]) -> None:
            one.commit(dict.fromkeys(partitions, 9))

    fill(servers, topic)
    one = member(servers, topic, enable_auto_commit=False)
    one.subscribe([topic], listener=Seeks())
    offsets = {record.offset for record in one.poll(SECONDS)}
    assert offsets <= {8, 9}
    poll_until([one], lambda: shared([one]))
    parts = one.assignment()
    one.close()
    with member(servers, topic) as two:
        assert two.committed(parts) == dict.fromkeys(parts, 9)


def test_iterating_reads_as_a_member(servers: str, topic: str) -> None:
    sent = fill(servers, topic)
    read = set()
    with member(servers, topic) as one:
        for record in one:
            read.add(record.value)
            if len(read) == len(sent):
                break
    assert read == sent


def test_a_forced_rebalance_begins_a_generation(servers: str, topic: str) -> None:
    with member(servers, topic) as one:
        poll_until([one], lambda: shared([one]))
        was = one.group_metadata().generation
        one.enforce_rebalance()
        poll_until([one], lambda: one.group_metadata().generation > was)
        poll_until([one], lambda: shared([one]))


def test_a_rebalance_that_breaks_is_raised_by_a_poll_and_begun_again(
    servers: str, topic: str
) -> None:
    def breaks() -> None:
        monkey.undo()
        raise KeyError("of a test")

    with member(servers, topic) as one, pytest.MonkeyPatch.context() as monkey:
        monkey.setattr(Membership, "join_request", lambda _: breaks())
        with pytest.raises(KafkaError, match="of a test"):
            one.poll(SECONDS)
        poll_until([one], lambda: shared([one]))


def test_static_members_come_back_to_what_they_had(servers: str, topic: str) -> None:
    one, two = (member(servers, topic, group_instance_id=name) for name in ("first", "second"))
    poll_until([one, two], lambda: shared([one, two]))
    was, had = two.group_metadata().generation, two.assignment()
    two.close()
    two = member(servers, topic, group_instance_id="second")
    poll_until([two], lambda: bool(two.assignment()))
    assert (two.assignment(), two.group_metadata().generation) == (had, was)
    late = member(servers, topic, group_instance_id="second")
    poll_until([late], lambda: bool(late.assignment()))
    for _ in range(2):
        with pytest.raises(BrokerError) as raised:
            wait_until(lambda: bool(two.poll(0.1)))
        assert raised.value.code is ErrorCode.FENCED_INSTANCE_ID
    for each in (one, two, late):
        each.close()


def test_who_shares_in_no_way_that_the_others_know_hears_which_it_offered(
    servers: str, topic: str
) -> None:
    with member(servers, topic, partition_assignment_strategy="sticky") as one:
        poll_until([one], lambda: shared([one]))
        with (
            member(servers, topic, partition_assignment_strategy="range,roundrobin") as two,
            pytest.raises(
                BrokerError,
                match=r"or its members know none of the assignors range, roundrobin \(part",
            ),
        ):
            two.poll(SECONDS)


def test_what_cannot_be_subscribed_is_an_error(servers: str, topic: str) -> None:
    with Consumer(bootstrap_servers=servers) as one, pytest.raises(ConfigError, match=r"group\.id"):
        one.subscribe([topic])
    with member(servers, topic) as one, pytest.raises(TypeError, match=r"\['flights'\]"):
        one.subscribe(topic)
    for settings in ({"heartbeat_interval_ms": 45_000}, {"partition_assignment_strategy": ""}):
        with pytest.raises(ConfigError):
            member(servers, topic, **settings)


def test_asyncio_members_share(servers: str, topic: str) -> None:
    class Awaited(RecordedRebalances):
        async def on_partitions_assigned(  # type: ignore[override]
            self, partitions: Sequence[TopicPartition]
        ) -> None:
            await asyncio.sleep(0)
            super().on_partitions_assigned(partitions)

    settings = {"bootstrap.servers": servers, "group.id": f"of-{topic}"}
    settings |= {"auto.offset.reset": "earliest"}
    asyncio_members(servers, topic, Awaited(), {**settings, "heartbeat.interval.ms": 50})


def asyncio_members(
    servers: str, topic: str, caught: RecordedRebalances, settings: dict[str, object]
) -> None:
    """One comes to another and goes, while all is read; then that one leaves."""

    async def main() -> None:
        async with aio.Consumer(settings) as one:
            one.subscribe([topic], listener=caught)
            read = await one.poll(SECONDS)
            async with aio.Consumer(settings) as two:
                two.subscribe([topic])
                while not (one.assignment() and len(two.assignment()) == PARTITIONS // 2):
                    read += [*await one.poll(0.02), *await two.poll(0.02)]
            while len(one.assignment()) < PARTITIONS:
                read += await one.poll(0.02)
            values = {record.value for record in read}
            while values < sent:
                values |= {record.value for record in await one.poll(SECONDS)}
            values = set()
            fill(servers, topic)
            async for record in one:
                values.add(record.value)
                if values == sent:
                    break
            await one.unsubscribe()
        assert caught.words[0] == ("assigned", [0, 1, 2, 3])
        assert caught.words[-1] == ("revoked", [0, 1, 2, 3])

    sent = fill(servers, topic)
    asyncio.run(main())
