from dataclasses import replace

import pytest

from barnabas.coordinators.classic_group.member import Identity
from barnabas.coordinators.common.shard import CoordinatorRecord
from barnabas.coordinators.groups_shard import GroupShard
from barnabas.coordinators.known_groups import GroupKind
from barnabas.coordinators.offsets.commit import Commit
from barnabas.coordinators.offsets.offset_records import OffsetAndMetadata
from barnabas.coordinators.streams_group.group import StreamsGroup
from barnabas.coordinators.streams_group.groups import deadline, loaded
from barnabas.coordinators.streams_group.heartbeats import StreamsHeartbeat, StreamsHeartbeatReply
from barnabas.coordinators.streams_group.member import MemberEndpoint, StreamsMemberState
from barnabas.coordinators.streams_group.settings import StreamsSettings
from barnabas.coordinators.streams_group.statuses import StatusCode
from barnabas.coordinators.streams_group.tasks import NO_TASKS, Role, Task, Tasks
from barnabas.errors import BrokerError, ErrorCode
from barnabas.types import TopicPartition
from tests.steps import outcome_of
from tests.unit.coordinators.some_topics import SomeTopics, a_shard
from tests.unit.coordinators.streams_group.a_topology import internal, part, topology

SETTINGS = StreamsSettings(
    session_ms=1000,
    heartbeat_ms=100,
    assignment_interval_ms=0,
    initial_delay_ms=0,
    standbys=0,
    max_size=10,
)
READING = topology(part("0", "words"))
KEEPING = topology(part("0", "words", keeps=["store"]))


def active(*partitions: int) -> Tasks:
    return frozenset(Task(Role.ACTIVE, "0", one) for one in partitions)


class Talk:
    """Members of one group, and the log that their words come to."""

    def __init__(self, topics: SomeTopics, settings: StreamsSettings = SETTINGS) -> None:
        self.topics, self.settings, self.now = topics, settings, 0
        self.shard = a_shard(topics)
        self.log: list[CoordinatorRecord] = []

    @property
    def group(self) -> StreamsGroup:
        found = self.shard.streams.get("g")
        assert found is not None
        return found

    def says(self, name: str, epoch: int, **more: object) -> StreamsHeartbeatReply:
        asked = StreamsHeartbeat(
            group_id="g", member_id=name, epoch=epoch, client_id="c", client_host="/h"
        )
        asked = replace(asked, **more)  # type: ignore[arg-type]
        classic = self.shard.group("g")
        result = self.shard.streams.heartbeat(asked, classic, self.settings, self.now)
        self.log += result.records
        return result.reply

    def joins(self, name: str, **more: object) -> StreamsHeartbeatReply:
        given = {
            "topology": READING,
            "rebalance_timeout_ms": 500,
            "owned": NO_TASKS,
            "process_id": name,
        }
        return self.says(name, 0, **{**given, **more})

    def passes(self, milliseconds: int) -> None:
        self.now += milliseconds
        self.log += self.shard.streams.on_time(self.group, self.settings, self.now).records

    def restarted(self) -> GroupShard:
        again = a_shard(self.topics)
        for record in self.log:
            again.replay(*record)
        return again


def codes(reply: StreamsHeartbeatReply) -> list[StatusCode]:
    return [one.code for one in reply.statuses]


def test_tasks_go_over_when_they_are_given_back() -> None:
    talk = Talk(SomeTopics(words=4))
    first = talk.joins("a")
    assert (first.epoch, first.tasks) == (2, active(0, 1, 2, 3))
    second = talk.joins("b")
    assert (second.epoch, second.tasks) == (3, NO_TASKS)
    reported = talk.says("a", 2)
    assert reported.epoch == 2
    assert reported.tasks == active(0, 1)
    assert talk.group.state == "Reconciling"
    assert talk.says("b", 3).tasks is None
    assert talk.says("a", 2, owned=active(0, 1)).epoch == 3
    assert talk.says("b", 3).tasks == active(2, 3)
    assert talk.group.state == "Stable"


def test_who_does_not_give_back_in_time_is_no_member_any_more() -> None:
    talk = Talk(SomeTopics(words=2))
    talk.joins("a")
    talk.joins("b")
    talk.says("a", 2)
    assert talk.group.members["a"].state is StreamsMemberState.UNREVOKED
    assert deadline(talk.group) == 500
    talk.passes(500)
    assert list(talk.group.members) == ["b"]
    assert talk.says("b", 3).tasks == active(0, 1)


def test_a_member_that_is_silent_is_forgotten_and_a_restart_finds_the_same() -> None:
    talk = Talk(SomeTopics(words=3), SETTINGS._replace(standbys=1))
    talk.topics.change(store=3)
    for name in ("a", "b"):
        talk.joins(name, topology=KEEPING, endpoint=MemberEndpoint(name, 80), tags=(("zone", "z"),))
    talk.says("a", 2)
    again = talk.restarted().streams.get("g")
    assert again is not None
    assert replace(again, volatile=talk.group.volatile) == talk.group
    loaded(again, talk.settings, 5000)
    assert deadline(again) == 5500, "what somebody gives back, he gives back again in time"
    talk.passes(1000)
    assert talk.group.state == "Empty"


def test_a_new_group_waits_for_others() -> None:
    talk = Talk(SomeTopics(words=2), SETTINGS._replace(initial_delay_ms=300))
    for name in ("a", "b"):
        reply = talk.joins(name)
        assert (reply.epoch, reply.tasks) == (1, NO_TASKS)
        assert codes(reply) == [StatusCode.ASSIGNMENT_DELAYED]
    talk.passes(300)
    found = [talk.says(name, 1) for name in ("a", "b")]
    assert [one.tasks for one in found] == [active(0), active(1)]
    assert [one.epoch for one in found] == [3, 3]


def test_an_assignment_is_not_made_too_often() -> None:
    talk = Talk(SomeTopics(words=2), SETTINGS._replace(assignment_interval_ms=100))
    talk.now = 5
    talk.joins("a")
    talk.now = 10
    assert codes(talk.joins("b")) == [StatusCode.ASSIGNMENT_DELAYED]
    assert talk.group.assignment_epoch == 2
    talk.now = 105
    talk.says("b", 2)
    assert talk.group.assignment_epoch == 3


def test_topics_come_and_go() -> None:
    talk = Talk(SomeTopics())
    counting = topology(
        part("0", "words", writes=["by-word"]), part("1", reads=[internal("by-word")])
    )
    reply = talk.joins("a", topology=counting)
    assert codes(reply) == [StatusCode.MISSING_SOURCE_TOPICS]
    assert (talk.group.state, reply.tasks, reply.missing) == ("NotReady", NO_TASKS, ())
    talk.topics.change(words=1)
    reply = talk.says("a", 2)
    assert codes(reply) == [StatusCode.MISSING_INTERNAL_TOPICS]
    assert [one.info.name for one in reply.missing] == ["by-word"]
    talk.topics.change(**{"by-word": 1})
    reply = talk.says("a", 3)
    assert (talk.group.state, reply.epoch, codes(reply)) == ("Stable", 4, [])
    assert reply.tasks == frozenset(Task(Role.ACTIVE, name, 0) for name in "01")
    talk.topics.change(unrelated=1)
    assert talk.says("a", 4).epoch == 4
    del talk.topics.partitions["words"]
    talk.topics.change()
    assert talk.says("a", 4).tasks == NO_TASKS
    assert talk.group.state == "NotReady"


def test_more_standbys_are_another_assignment() -> None:
    talk = Talk(SomeTopics(words=1, store=1))
    for name in ("a", "b"):
        talk.joins(name, topology=KEEPING)
    talk.says("a", 2)
    talk.settings = SETTINGS._replace(standbys=1)
    talk.says("a", 3)
    assert talk.says("b", 3).tasks == frozenset({Task(Role.STANDBY, "0", 0)})


def test_another_topology_is_not_taken_and_an_older_one_has_a_status() -> None:
    talk = Talk(SomeTopics(words=1, more=1))
    newer = replace(READING, epoch=3)
    talk.joins("a", topology=newer)
    assert codes(talk.joins("b")) == [StatusCode.STALE_TOPOLOGY]
    for _ in range(3):
        assert codes(talk.says("b", 3, owned=NO_TASKS)) == [StatusCode.STALE_TOPOLOGY]
    for other in (topology(part("0", "more"), epoch=3), replace(READING, epoch=4)):
        with pytest.raises(BrokerError, match="not supported yet") as caught:
            talk.joins("c", topology=other)
        assert caught.value.code is ErrorCode.INVALID_REQUEST
    assert sorted(talk.group.members) == ["a", "b"]


def test_one_member_ends_the_application_for_all() -> None:
    talk = Talk(SomeTopics(words=1))
    for name in ("a", "b"):
        talk.joins(name)
    talk.says("a", -1, shuts_down=True)
    for epoch in (3, 4, 4):
        assert codes(talk.says("b", epoch)) == [StatusCode.SHUTDOWN_APPLICATION]
    talk.says("b", -1)
    assert codes(talk.joins("c")) == []


def test_who_says_nothing_where_nothing_happens_writes_nothing_and_stays() -> None:
    talk = Talk(SomeTopics(words=1))
    talk.joins("a")
    written = len(talk.log)
    for _ in range(3):
        talk.passes(900)
        reply = talk.says("a", 2, endpoints=0)
        assert (reply.epoch, reply.tasks, reply.statuses, reply.partitions) == (2, None, (), None)
    assert len(talk.log) == written
    assert list(talk.group.members) == ["a"]
    assert talk.says("a", 2, endpoints=0, tags=(("zone", "z"),)).epoch == 3


def test_members_get_the_endpoints_of_others() -> None:
    talk = Talk(SomeTopics(words=2))
    here, there = MemberEndpoint("a", 1), MemberEndpoint("b", 2)
    talk.joins("a", endpoint=here)
    found = talk.joins("b", endpoint=there)
    assert found.partitions is not None
    assert [(one.endpoint, one.active) for one in found.partitions] == [
        (here, {"words": [0, 1]}),
        (there, {}),
    ]
    assert talk.says("b", 3, endpoints=found.endpoints).partitions is None


def test_who_is_nobody_may_nothing() -> None:
    talk = Talk(SomeTopics(words=1), SETTINGS._replace(max_size=1))
    for epoch in (1, -1):
        with pytest.raises(BrokerError) as caught:
            talk.says("a", epoch)
        assert caught.value.code is ErrorCode.GROUP_ID_NOT_FOUND
    talk.joins("a")
    refused = [
        ("b", 0, ErrorCode.GROUP_MAX_SIZE_REACHED),
        ("b", 2, ErrorCode.UNKNOWN_MEMBER_ID),
        ("b", -1, ErrorCode.UNKNOWN_MEMBER_ID),
        ("a", 3, ErrorCode.FENCED_MEMBER_EPOCH),
        ("a", 1, ErrorCode.FENCED_MEMBER_EPOCH),
    ]
    for name, epoch, code in refused:
        with pytest.raises(BrokerError) as caught:
            talk.says(name, epoch, topology=None if epoch else READING)
        assert caught.value.code is code
    for owned in (active(7), frozenset({Task(Role.ACTIVE, "nine", 0)})):
        with pytest.raises(BrokerError) as caught:
            talk.says("a", 2, owned=owned)
        assert caught.value.code is ErrorCode.INVALID_REQUEST
    assert talk.says("a", 0, topology=READING).tasks == active(0)


def test_a_topology_of_no_use_leaves_no_group() -> None:
    talk = Talk(SomeTopics(words=1))
    with pytest.raises(BrokerError):
        talk.joins("a", topology=topology(part("0", "words", reads=[internal("by-word")])))
    assert talk.shard.kind_of("g") is None


def commits(talk: Talk, name: str, epoch: int, partition: int = 0) -> ErrorCode:
    place = TopicPartition("words", partition)
    offsets = {place: OffsetAndMetadata(7, 0, "", 0)}
    asked = Commit("g", Identity(name), epoch, offsets, ErrorCode.GROUP_ID_NOT_FOUND)
    result = talk.shard.commit(asked, talk.now)
    for record in result.records:
        talk.shard.offsets.replay(*record)
    return result.reply[place]


def test_only_who_does_a_task_commits_for_it() -> None:
    talk = Talk(SomeTopics(words=2))
    talk.joins("a")
    talk.joins("b")
    talk.says("a", 2)
    assert commits(talk, "a", 2) is ErrorCode.NONE
    assert commits(talk, "a", 3) is ErrorCode.STALE_MEMBER_EPOCH
    talk.says("a", 2, owned=active(0))
    assert commits(talk, "a", 2) is ErrorCode.NONE, "had it then, and has it still"
    assert commits(talk, "a", 2, partition=1) is ErrorCode.STALE_MEMBER_EPOCH
    assert commits(talk, "c", 3) is ErrorCode.UNKNOWN_MEMBER_ID
    assert commits(talk, "", -1) is ErrorCode.UNKNOWN_MEMBER_ID
    for name, epoch, code in (
        (None, -1, ErrorCode.NONE),
        ("a", 3, ErrorCode.NONE),
        ("a", 2, ErrorCode.STALE_MEMBER_EPOCH),
        ("c", 3, ErrorCode.UNKNOWN_MEMBER_ID),
    ):
        assert talk.shard.fetch_refusal("g", name, epoch) is code


def test_a_group_goes_with_its_offsets() -> None:
    talk = Talk(SomeTopics(words=1))
    talk.joins("a")
    commits(talk, "a", 2)
    place = TopicPartition("words", 0)
    assert talk.shard.delete_group("g").reply is ErrorCode.NON_EMPTY_GROUP
    in_use = outcome_of(talk.shard.delete_offsets("g", [place])).reply
    assert in_use == [ErrorCode.GROUP_SUBSCRIBED_TO_TOPIC]
    assert tuple(talk.shard.expire(talk.shard.may_expire(), 10_000, 1000)) == ()
    talk.says("a", -1)
    assert talk.shard.kind_of("g") is GroupKind.STREAMS
    assert tuple(talk.shard.expire(talk.shard.may_expire(), 500, 1000)) == ()
    gone = tuple(talk.shard.expire(talk.shard.may_expire(), 10_000, 1000))
    assert talk.shard.kind_of("g") is GroupKind.CLASSIC, "until its offsets are replayed"
    for record in gone:
        talk.shard.offsets.replay(*record)
    assert talk.shard.kind_of("g") is None


def test_tasks_are_counted_before_they_are_assigned() -> None:
    """10 KB of a topology may come to a million of them."""
    talk = Talk(SomeTopics(words=50))
    many = topology(*(part(str(one), "words") for one in range(100)))
    join = StreamsHeartbeat(
        group_id="g", member_id="a", epoch=0, client_id="c", client_host="/h", topology=many
    )
    goes_on = replace(join, epoch=2, topology=None)
    assert talk.shard.streams.new_tasks(goes_on) == 0, "there is no such group"
    assert talk.shard.streams.new_tasks(join) == 5000
    talk.joins("a", topology=many)
    assert talk.shard.streams.new_tasks(join) == talk.shard.streams.new_tasks(goes_on) == 0
    talk.topics.change(words=70)
    assert talk.shard.streams.new_tasks(goes_on) == 2000
    invalid = replace(
        join, group_id="other", topology=topology(part("0", "words", reads=[internal("made")]))
    )
    assert talk.shard.streams.new_tasks(invalid) == 0, "the heartbeat is refused"
