"""Scripts about the members of classic groups: one at a time, so that nothing hangs on who is first."""

from barnabas.errors import ErrorCode
from barnabas.protocol.delete_groups import DeleteGroupsRequest
from barnabas.protocol.describe_groups import DescribeGroupsRequest
from barnabas.protocol.find_coordinator import FindCoordinatorRequest
from barnabas.protocol.heartbeat import HeartbeatRequest
from barnabas.protocol.join_group import JoinGroupRequest, JoinGroupRequestProtocol
from barnabas.protocol.leave_group import LeaveGroupRequest, MemberIdentity
from barnabas.protocol.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from barnabas.protocol.offset_delete import (
    OffsetDeleteRequest,
    OffsetDeleteRequestPartition,
    OffsetDeleteRequestTopic,
)
from barnabas.protocol.sync_group import SyncGroupRequest, SyncGroupRequestAssignment
from tests.interop.differential.talk import Talk

# The subscription of a consumer to no topic: version 0, no topics, no user data.
NOTHING = b"\0\0\0\0\0\0\xff\xff\xff\xff"

NOT_READY = {
    ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
    ErrorCode.COORDINATOR_NOT_AVAILABLE,
    ErrorCode.NOT_COORDINATOR,
}


class Person:
    """One member of one group, and its words."""

    def __init__(self, talk: Talk, group: str, instance: str | None = None) -> None:
        self.group, self.instance = group, instance
        self.member_id, self.generation = "", -1
        found = FindCoordinatorRequest(key=group, key_type=0)
        talk.wait(found, 3, lambda response: not response.error_code)
        # Kafka answers before the coordinator has loaded the partition, and while it loads every
        # heartbeat succeeds: only a refusal of this stranger shows that the group can be read.
        talk.wait(
            self.beat(),
            4,
            lambda response: response.error_code and response.error_code not in NOT_READY,
        )

    def join(
        self,
        *,
        kind: str = "consumer",
        names: tuple[str, ...] = ("range",),
        session_ms: int = 60_000,
        metadata: bytes = NOTHING,
    ) -> JoinGroupRequest:
        return JoinGroupRequest(
            group_id=self.group,
            session_timeout_ms=session_ms,
            rebalance_timeout_ms=60_000,
            member_id=self.member_id,
            group_instance_id=self.instance,
            protocol_type=kind,
            protocols=[JoinGroupRequestProtocol(name=one, metadata=metadata) for one in names],
        )

    def sync(self, *, generation: int = 0, protocol: str | None = "range") -> SyncGroupRequest:
        return SyncGroupRequest(
            group_id=self.group,
            generation_id=self.generation + generation,
            member_id=self.member_id,
            group_instance_id=self.instance,
            protocol_type=None if protocol is None else "consumer",
            protocol_name=protocol,
            assignments=[SyncGroupRequestAssignment(member_id=self.member_id, assignment=b"all")],
        )

    def beat(self, *, generation: int = 0) -> HeartbeatRequest:
        return HeartbeatRequest(
            group_id=self.group,
            generation_id=self.generation + generation,
            member_id=self.member_id,
            group_instance_id=self.instance,
        )

    def leave(self) -> LeaveGroupRequest:
        one = MemberIdentity(member_id=self.member_id, group_instance_id=self.instance)
        return LeaveGroupRequest(group_id=self.group, member_id=self.member_id, members=[one])

    def commit(self, topic: str, *, generation: int = 0) -> OffsetCommitRequest:
        place = OffsetCommitRequestPartition(
            partition_index=0, committed_offset=7, committed_metadata=None
        )
        return OffsetCommitRequest(
            group_id=self.group,
            generation_id_or_member_epoch=self.generation + generation,
            member_id=self.member_id,
            group_instance_id=self.instance,
            topics=[OffsetCommitRequestTopic(name=topic, partitions=[place])],
        )

    def forget(self, topic: str) -> OffsetDeleteRequest:
        places = [OffsetDeleteRequestPartition(partition_index=one) for one in (0, 5)]
        return OffsetDeleteRequest(
            group_id=self.group,
            topics=[OffsetDeleteRequestTopic(name=topic, partitions=places)],
        )

    def describe(self) -> DescribeGroupsRequest:
        return DescribeGroupsRequest(groups=[self.group], include_authorized_operations=True)

    def delete(self) -> DeleteGroupsRequest:
        return DeleteGroupsRequest(groups_names=[self.group])


def strangers(talk: Talk) -> None:
    """Requests that are always refused: members of no group, bad timeouts, no protocols."""
    talk.create("t")
    topic = talk.topic("t")
    nobody, nameless = Person(talk, talk.topic("none")), Person(talk, talk.topic("none"))
    nameless.group = ""
    for who, one in (("nobody", nobody), ("nameless", nameless)):
        talk.ask(f"{who} beats", one.beat(), 4)
        talk.ask(f"{who} syncs", one.sync(), 5)
        talk.ask(f"{who} leaves", one.leave(), 5)
        talk.ask(f"{who} leaves alone", one.leave(), 2)
        talk.ask(f"{who} is described", one.describe(), 5)
        talk.ask(f"{who} is described anew", one.describe(), 6)
        talk.ask(f"{who} is deleted", one.delete(), 2)
        talk.ask(f"{who} forgets", one.forget(topic), 0)
    talk.ask("nameless joins", nameless.join(), 9)
    talk.ask("nobody commits", nobody.commit(topic, generation=3), 8)
    talk.ask("nobody commits anew", nobody.commit(topic, generation=3), 9)
    talk.ask("too short", nobody.join(session_ms=1), 9)
    talk.ask("too long", nobody.join(session_ms=1_800_001), 9)
    talk.ask("no protocols", nobody.join(names=()), 9)
    talk.ask("no kind", nobody.join(kind=""), 6)
    nobody.member_id = "made up"
    talk.ask("made up", nobody.join(), 9)
    talk.ask("made up, before", nobody.join(), 3)


def one_member(talk: Talk) -> None:
    """A member from its invitation to the end of its group."""
    talk.create("t")
    topic, rex = talk.topic("t"), Person(talk, talk.topic("g"))
    rex.member_id = talk.ask("invited", rex.join(), 9).member_id
    rex.generation = talk.ask("joined", rex.join(), 9).generation_id
    talk.ask("joined again", rex.join(), 7)
    talk.ask("described amid", rex.describe(), 5)
    talk.ask("beats amid", rex.beat(), 4)
    talk.ask("commits amid", rex.commit(topic), 8)
    talk.ask("of another time", rex.sync(generation=1), 5)
    talk.ask("of another mind", rex.sync(protocol="sticky"), 5)
    talk.ask("of no mind", rex.sync(protocol=None), 5)
    talk.ask("synced", rex.sync(), 5)
    talk.ask("synced again", rex.sync(), 0)
    for version in range(7):
        talk.ask(f"described {version}", rex.describe(), version)
    talk.ask("beats", rex.beat(), 0)
    talk.ask("beats ahead", rex.beat(generation=1), 4)
    talk.ask("commits", rex.commit(topic), 8)
    talk.ask("commits ahead", rex.commit(topic, generation=1), 8)
    outside = Person(talk, rex.group)
    talk.ask("commits from outside", outside.commit(topic), 8)
    talk.ask("has nothing in common", outside.join(names=("sticky",)), 9)
    talk.ask("is of another kind", outside.join(kind="connect"), 5)
    talk.ask("is deleted too early", rex.delete(), 2)
    talk.ask("forgets", rex.forget(topic), 0)
    talk.ask("leaves", rex.leave(), 5)
    talk.ask("leaves again", rex.leave(), 2)
    talk.ask("beats too late", rex.beat(), 4)
    talk.ask("joins too late", rex.join(), 9)
    talk.ask("commits too late", rex.commit(topic), 8)
    talk.ask("commits to an empty group", outside.commit(topic), 8)
    talk.ask("described at the end", rex.describe(), 5)
    talk.ask("forgets at the end", outside.forget(topic), 0)
    talk.ask("deleted", rex.delete(), 2)
    talk.ask("deleted again", rex.delete(), 2)


def static_member(talk: Talk) -> None:
    """A static member that comes back, is fenced, and is taken out by an operator."""
    rex = Person(talk, talk.topic("s"), "one")
    response = talk.ask("joined", rex.join(), 9)
    rex.member_id, rex.generation = response.member_id, response.generation_id
    talk.ask("synced", rex.sync(), 5)
    back = Person(talk, rex.group, "one")
    response = talk.ask("back", back.join(), 9)
    back.member_id, back.generation = response.member_id, response.generation_id
    talk.ask("what it had", back.sync(), 5)
    talk.ask("the one before beats", rex.beat(), 4)
    talk.ask("the one before joins", rex.join(), 9)
    talk.ask("the one before leaves", rex.leave(), 5)
    old = Person(talk, rex.group, "one")
    response = talk.ask("back, of an older client", old.join(), 8)
    old.member_id, old.generation = response.member_id, response.generation_id
    talk.ask("described", old.describe(), 5)
    other = Person(talk, rex.group, "two")
    other.member_id = old.member_id
    talk.ask("under another name", other.beat(), 4)
    operator = Person(talk, rex.group, "one")
    talk.ask("taken out", operator.leave(), 3)
    talk.ask("taken out again", operator.leave(), 3)
    talk.ask("described at the end", old.describe(), 5)


SCENARIOS = (strangers, one_member, static_member)
