"""A heartbeat that is repeated does what a heartbeat does, or nothing once something has happened."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from barnabas.broker.context import RequestContext
from barnabas.broker.dispatch import HANDLERS
from barnabas.broker.groups.group_shards import Held
from barnabas.broker.groups.idle_heartbeats import IdleHeartbeat
from barnabas.broker.properties.broker_settings import EVERY
from barnabas.broker.properties.resource_kinds import ResourceKind
from barnabas.broker.purgatory.pending import Pending, RepeatableReply
from barnabas.coordinators.common.shard import CoordinatorRecord
from barnabas.coordinators.internal_topics import OFFSETS_TOPIC
from barnabas.coordinators.known_groups import GroupKind
from barnabas.errors import ErrorCode
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.consumer_group_heartbeat import (
    ConsumerGroupHeartbeatRequest,
    ConsumerGroupHeartbeatResponse,
)
from barnabas.protocol.create_topics import (
    CreatableTopic,
    CreateTopicsRequest,
    CreateTopicsResponse,
)
from barnabas.protocol.incremental_alter_configs import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsResponse,
)
from barnabas.protocol.share_group_heartbeat import ShareGroupHeartbeatRequest
from barnabas.protocol.streams_group_heartbeat import (
    StreamsGroupHeartbeatRequest,
    Subtopology,
    Topology,
)
from barnabas.testing import EmbeddedBroker
from tests.unit.broker.changes import change_properties
from tests.unit.broker.groups.test_offsets import Started
from tests.unit.broker.raw_client import RawClient
from tests.unit.runtime.manual_timers import ManualTimers

AT_ONCE = {
    f"group.{kind}.{name}.ms": "0"
    for kind in ("consumer", "share", "streams")
    for name in ("assignment.interval", "min.assignment.interval")
} | {
    "group.streams.initial.rebalance.delay.ms": "0",
    **{f"group.{kind}.min.session.timeout.ms": "1000" for kind in ("consumer", "share", "streams")},
}
PART = Subtopology(
    subtopology_id="0", source_topics=["dogs"], source_topic_regex=[], state_changelog_topics=[],
    repartition_sink_topics=[], repartition_source_topics=[], copartition_groups=[],
)  # fmt: skip


class Kind(NamedTuple):
    """How members of a kind of group speak; `joins`: what they say when they do that."""

    name: GroupKind
    key: ApiKey
    request: Callable[..., object]
    joins: Mapping[str, Any]


CONSUMER = Kind(
    GroupKind.CONSUMER,
    ApiKey.CONSUMER_GROUP_HEARTBEAT,
    ConsumerGroupHeartbeatRequest,
    {"rebalance_timeout_ms": 60_000, "subscribed_topic_names": ["dogs"], "topic_partitions": []},
)
SHARE = Kind(
    GroupKind.SHARE,
    ApiKey.SHARE_GROUP_HEARTBEAT,
    ShareGroupHeartbeatRequest,
    {"subscribed_topic_names": ["dogs"]},
)
STREAMS = Kind(
    GroupKind.STREAMS,
    ApiKey.STREAMS_GROUP_HEARTBEAT,
    lambda **fields: StreamsGroupHeartbeatRequest(endpoint_information_epoch=0, **fields),
    {
        "rebalance_timeout_ms": 60_000, "topology": Topology(epoch=0, subtopologies=[PART]),
        "active_tasks": [], "standby_tasks": [], "warmup_tasks": [], "process_id": "p",
    },
)  # fmt: skip
KINDS = (CONSUMER, SHARE, STREAMS)


class Place:
    """A broker, at a time that stands still, and a group of a kind with a member at rest."""

    def __init__(self, kind: Kind, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.kind = kind
        self.started = Started(path, **AT_ONCE)
        self.broker = self.started.broker
        self.timers = self.broker.timers = ManualTimers()
        self.now = 1_000_000
        monkeypatch.setattr(self.broker.groups, "now_ms", lambda: self.now)
        self.request: object = None
        self.epoch = 0
        self.repeated: RepeatableReply | None = None
        self.first: RepeatableReply
        self.beat(**kind.joins)
        self.beat()
        self.response = self.beat()

    def beat(self, **more: Any) -> Any:
        """Send a heartbeat, and continue from the epoch of the response."""
        self.request = self.kind.request(
            group_id="g", member_id="one", member_epoch=self.epoch, **more
        )
        reply = self.again()
        self.epoch = reply.member_epoch
        return reply

    def again(self) -> Any:
        """Send the last request again, and write."""
        return self.ask(self.request)

    def ask(self, asked: object, kind: Kind | None = None, client_id: str = "c") -> Any:
        responses: list[Any] = []
        outcome = self.outcome(asked, kind or self.kind, client_id)
        self.broker.replicas.write()
        self.repeated = None
        if isinstance(outcome, RepeatableReply):
            self.repeated, outcome = outcome, outcome.outcome
        if not isinstance(outcome, Pending):
            return outcome
        outcome.on_done(responses.append)
        return responses[0]

    def outcome(self, asked: object, kind: Kind, client_id: str = "c") -> object:
        return HANDLERS[kind.key](self.broker, self.context(kind, client_id), asked)

    @staticmethod
    def context(kind: Kind, client_id: str) -> RequestContext:
        return RequestContext(kind.key, 1, client_id, "PLAINTEXT", "127.0.0.1:1", 1, "/127.0.0.1")

    def held(self) -> Held:
        return self.broker.groups.of("g")

    @property
    def sessions(self) -> dict[str, int]:
        shard = self.held().shard
        match self.kind.name:
            case GroupKind.CONSUMER:
                consumers = shard.consumer.get("g")
                return {} if consumers is None else dict(consumers.volatile.sessions)
            case GroupKind.SHARE:
                shares = shard.share.get("g")
                return {} if shares is None else dict(shares.sessions)
            case _:
                streams = shard.streams.get("g")
                return {} if streams is None else dict(streams.volatile.sessions)

    def configure(self, name: str, value: int) -> None:
        own = {f"{self.kind.name}.{name}": str(value)}
        change_properties(self.broker, ResourceKind.GROUP, "g", own)

    def is_repeated(self) -> bool:
        """Whether its heartbeat can be repeated now."""
        return self.first.again()


@pytest.fixture(params=KINDS, ids=lambda kind: kind.name)
def place(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Place]:
    place = Place(request.param, tmp_path, monkeypatch)
    assert place.repeated is not None
    place.first = place.repeated
    yield place
    place.started.stop()


def test_it_does_what_a_heartbeat_does(place: Place) -> None:
    for _ in range(3):
        place.now += 3_000
        assert place.is_repeated()
        sessions = place.sessions
        assert place.again() == place.response
        assert sessions == place.sessions
        assert sessions["one"] > place.now


def another_joins(place: Place) -> None:
    place.ask(place.kind.request(group_id="g", member_id="two", member_epoch=0, **place.kind.joins))


def another_joins_and_it_goes_on(place: Place) -> None:
    request = place.request
    another_joins(place)
    place.beat()
    place.request = request


def it_leaves(place: Place) -> None:
    place.ask(place.kind.request(group_id="g", member_id="one", member_epoch=-1))


def it_sends_nothing_for_long(place: Place) -> None:
    place.now += 10_000_000
    place.timers.advance(10_000)


def it_speaks_by_another_name(place: Place) -> None:
    place.ask(place.request, client_id="d")


def a_topic_of_its_own_is_there(place: Place) -> None:
    place.broker.topics.add_partitions("dogs", {2: [1]})


def a_topic_of_others_is_there(place: Place) -> None:
    place.broker.topics.create("cats", {0: [1]}, {})


def it_is_to_beat_more_seldom(place: Place) -> None:
    place.configure("heartbeat.interval.ms", 7_000)


def the_group_is_read_again(place: Place) -> None:
    place.broker.groups.restore(place.held())


def the_group_is_deleted(place: Place) -> None:
    it_leaves(place)
    place.broker.stepping.run(place.broker.group_removal.delete_groups(["g"]))
    place.broker.replicas.write()
    assert place.held().shard.kind_of("g") is None


def the_group_is_of_another_kind(place: Place) -> None:
    the_group_is_deleted(place)
    other = SHARE if place.kind is CONSUMER else CONSUMER
    place.ask(
        other.request(group_id="g", member_id="one", member_epoch=0, **other.joins), kind=other
    )
    assert place.held().shard.kind_of("g") is other.name


def all_that_is_kept_of_groups_is_deleted(place: Place) -> None:
    place.broker.topics.delete(OFFSETS_TOPIC)


@pytest.mark.parametrize(
    "happen",
    [
        another_joins, another_joins_and_it_goes_on, it_leaves, it_sends_nothing_for_long,
        it_speaks_by_another_name, a_topic_of_its_own_is_there, a_topic_of_others_is_there,
        the_group_is_read_again, the_group_is_deleted, the_group_is_of_another_kind,
        all_that_is_kept_of_groups_is_deleted,
    ],
)  # fmt: skip
def test_once_anything_has_happened_it_is_not_repeated(
    place: Place, happen: Callable[[Place], None]
) -> None:
    happen(place)
    place.now += 3_000
    before = place.sessions
    assert not place.is_repeated()
    assert place.sessions == before


def test_where_that_changes_nothing_for_it_it_is_repeated_again(place: Place) -> None:
    a_topic_of_others_is_there(place)
    assert place.again() == place.response
    assert place.repeated is not None
    assert place.repeated.again()


def test_a_longer_interval_is_answered_at_once(place: Place) -> None:
    it_is_to_beat_more_seldom(place)
    assert not place.is_repeated()
    place.response = place.again()
    assert place.response.heartbeat_interval_ms == 7_000
    assert place.repeated is not None
    assert place.repeated.again()


def a_session_of_the_group(place: Place) -> None:
    place.configure("session.timeout.ms", 50_000)


def an_interval_of_all_groups(place: Place) -> None:
    changed = {f"group.{place.kind.name}.assignment.interval.ms": "1"}
    change_properties(place.broker, ResourceKind.BROKER, EVERY, changed)


@pytest.mark.parametrize("change", [a_session_of_the_group, an_interval_of_all_groups])
def test_other_settings_hold_from_the_next_beat_on(
    place: Place, change: Callable[[Place], None]
) -> None:
    change(place)
    place.now += 3_000
    if not place.is_repeated():
        assert place.again() == place.response
    sessions = place.sessions
    assert place.again() == place.response
    assert sessions == place.sessions
    assert change is not a_session_of_the_group or sessions["one"] == place.now + 50_000


def test_a_shorter_session_is_watched_at_once(place: Place) -> None:
    place.configure("session.timeout.ms", 6_000)
    assert not place.is_repeated()
    assert place.again() == place.response
    alarms = [timer.seconds for _, timer in place.timers.waiting if not timer.cancelled]
    assert alarms == [6.0]


def test_it_waits_for_what_was_queued_before_it(place: Place) -> None:
    errors: list[ErrorCode] = []
    place.broker.groups.append(place.held(), [CoordinatorRecord(b"\0\2\0\0", None)], errors.append)
    assert not place.is_repeated()
    assert isinstance(place.outcome(place.request, place.kind), Pending)
    place.broker.groups.write()
    assert errors == [ErrorCode.NONE]
    assert place.is_repeated()


def test_a_refusal_or_an_answer_with_news_is_not_repeated(place: Place) -> None:
    request = place.request
    place.request = place.kind.request(group_id="g", member_id="two", member_epoch=5)
    assert place.again().error_code
    assert place.repeated is None
    place.request = request
    place.epoch = 0
    news = place.beat(**place.kind.joins)
    assert not news.error_code
    assert place.repeated is None


def beat(client: RawClient, epoch: int, name: str, **more: Any) -> ConsumerGroupHeartbeatResponse:
    asked = ConsumerGroupHeartbeatRequest(group_id="g", member_id=name, member_epoch=epoch, **more)
    return client.ask(asked, 1, ConsumerGroupHeartbeatResponse)


def make_topic(client: RawClient, name: str) -> None:
    topic = CreatableTopic(
        name=name, num_partitions=2, replication_factor=1, assignments=[], configs=[]
    )
    client.ask(CreateTopicsRequest(topics=[topic], timeout_ms=1000), 4, CreateTopicsResponse)


def set_interval(client: RawClient, value: int) -> None:
    config = AlterableConfig(
        name="consumer.heartbeat.interval.ms", config_operation=0, value=str(value)
    )
    group = AlterConfigsResource(
        resource_type=ResourceKind.GROUP, resource_name="g", configs=[config]
    )
    asked = IncrementalAlterConfigsRequest(resources=[group], validate_only=False)
    answer = client.ask(asked, 1, IncrementalAlterConfigsResponse)
    assert [one.error_code for one in answer.responses] == [ErrorCode.NONE]


def test_repeated_heartbeats_are_answered_with_what_happens(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    results: list[bool] = []
    again = IdleHeartbeat.again

    def noted(one: IdleHeartbeat[Any, Any]) -> bool:
        results.append(again(one))
        return results[-1]

    monkeypatch.setattr(IdleHeartbeat, "again", noted)
    with (
        EmbeddedBroker(AT_ONCE) as broker,
        RawClient(broker.port) as rex,
        RawClient(broker.port) as tom,
    ):
        make_topic(tom, "dogs")
        epoch = beat(rex, 0, "rex", **CONSUMER.joins).member_epoch
        same = [beat(rex, epoch, "rex") for _ in range(4)]
        assert same == [same[0]] * 4
        assert results == [True] * 3
        make_topic(tom, "cats")
        assert [beat(rex, epoch, "rex") for _ in range(2)] == [same[0]] * 2
        assert results == [True] * 3 + [False, True]
        set_interval(tom, 7_000)
        slower = [beat(rex, epoch, "rex") for _ in range(3)]
        assert [one.heartbeat_interval_ms for one in slower] == [7_000] * 3
        assert results == [True] * 3 + [False, True, False, True, True]
        assert not beat(tom, 0, "tom", **CONSUMER.joins).error_code
        news = beat(rex, epoch, "rex")
        assert news.assignment is not None
        assert not results[-1]
