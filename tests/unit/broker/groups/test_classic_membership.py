from collections.abc import Iterator
from pathlib import Path
from typing import Self

import pytest

from barnabas.errors import ErrorCode
from barnabas.protocol.delete_groups import DeleteGroupsRequest, DeleteGroupsResponse
from barnabas.protocol.delete_topics import DeleteTopicsRequest, DeleteTopicsResponse
from barnabas.protocol.describe_groups import (
    DescribedGroup,
    DescribeGroupsRequest,
    DescribeGroupsResponse,
)
from barnabas.protocol.heartbeat import HeartbeatRequest, HeartbeatResponse
from barnabas.protocol.join_group import (
    JoinGroupRequest,
    JoinGroupRequestProtocol,
    JoinGroupResponse,
)
from barnabas.protocol.leave_group import LeaveGroupRequest, LeaveGroupResponse, MemberIdentity
from barnabas.protocol.list_groups import ListGroupsRequest, ListGroupsResponse
from barnabas.protocol.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
    OffsetCommitResponse,
)
from barnabas.protocol.sync_group import (
    SyncGroupRequest,
    SyncGroupRequestAssignment,
    SyncGroupResponse,
)
from barnabas.testing import EmbeddedBroker
from tests.unit.broker.raw_client import RawClient

CONFIG = {
    "group.initial.rebalance.delay.ms": "0",
    "group.min.session.timeout.ms": "50",
    "offsets.topic.num.partitions": "2",
}


@pytest.fixture(scope="module")
def broker() -> Iterator[EmbeddedBroker]:
    with EmbeddedBroker(CONFIG) as one:
        yield one


@pytest.fixture
def group(request: pytest.FixtureRequest) -> str:
    return f"group of {request.node.name}"


def commit_code(member: "Member", generation: int, member_id: str, version: int) -> int:
    place = OffsetCommitRequestPartition(
        partition_index=0, committed_offset=1, committed_metadata=None
    )
    request = OffsetCommitRequest(
        group_id=member.group,
        generation_id_or_member_epoch=generation,
        member_id=member_id,
        topics=[OffsetCommitRequestTopic(name=f"committed-{version}", partitions=[place])],
    )
    answer = member.client.ask(request, version, OffsetCommitResponse)
    return answer.topics[0].partitions[0].error_code


class Member:
    """One consumer on a connection of its own; the newest versions by default."""

    def __init__(self, broker: EmbeddedBroker, group: str, version: int = 9) -> None:
        self.client = RawClient(broker.port)
        self.group = group
        self.version = version
        self.member_id = ""
        self.generation = -1
        self.instance: str | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.client.__exit__(None, None, None)

    def join_later(self, session_ms: int = 10_000) -> None:
        """Send a join; `joined` has the answer."""
        request = JoinGroupRequest(
            group_id=self.group,
            session_timeout_ms=session_ms,
            rebalance_timeout_ms=60_000,
            member_id=self.member_id,
            group_instance_id=self.instance,
            protocol_type="consumer",
            protocols=[JoinGroupRequestProtocol(name="range", metadata=b"mine")],
            reason="a test",
        )
        self.client.send(self.client.frame(request, self.version))

    def joined(self) -> JoinGroupResponse:
        answer = self.client.receive(JoinGroupResponse)
        if answer.error_code in {ErrorCode.NONE, ErrorCode.MEMBER_ID_REQUIRED}:
            self.member_id, self.generation = answer.member_id, answer.generation_id
        return answer

    def join(self, session_ms: int = 10_000) -> JoinGroupResponse:
        self.join_later(session_ms)
        answer = self.joined()
        if answer.error_code == ErrorCode.MEMBER_ID_REQUIRED:
            self.join_later(session_ms)
            answer = self.joined()
        return answer

    def sync(self, assignments: dict[str, bytes] | None = None) -> SyncGroupResponse:
        request = SyncGroupRequest(
            group_id=self.group,
            generation_id=self.generation,
            member_id=self.member_id,
            group_instance_id=self.instance,
            protocol_type="consumer",
            protocol_name="range",
            assignments=[
                SyncGroupRequestAssignment(member_id=member_id, assignment=data)
                for member_id, data in (assignments or {}).items()
            ],
        )
        return self.client.ask(request, min(self.version, 5), SyncGroupResponse)

    def settle(self) -> None:
        """Join a group without other members, and get all partitions."""
        self.join()
        assert self.sync({self.member_id: b"all"}).assignment == b"all"

    def beat(self) -> int:
        request = HeartbeatRequest(
            group_id=self.group,
            generation_id=self.generation,
            member_id=self.member_id,
            group_instance_id=self.instance,
        )
        return self.client.ask(request, min(self.version, 4), HeartbeatResponse).error_code

    def leave(self) -> list[int]:
        one = MemberIdentity(member_id=self.member_id, reason="a test")
        request = LeaveGroupRequest(group_id=self.group, member_id=self.member_id, members=[one])
        answer = self.client.ask(request, min(self.version, 5), LeaveGroupResponse)
        return [answer.error_code, *(each.error_code for each in answer.members)]

    def describe(self, version: int = 6) -> DescribedGroup:
        request = DescribeGroupsRequest(groups=[self.group], include_authorized_operations=True)
        (described,) = self.client.ask(request, version, DescribeGroupsResponse).groups
        return described


@pytest.mark.parametrize("version", range(10))
def test_a_member_of_any_age_joins_works_and_leaves(
    broker: EmbeddedBroker, group: str, version: int
) -> None:
    with Member(broker, group, version) as rex:
        first = rex.join()
        assert (first.error_code, first.generation_id, first.leader) == (0, 1, rex.member_id)
        assert first.protocol_name == "range"
        assert [one.metadata for one in first.members] == [b"mine"]
        assert rex.sync({rex.member_id: b"all"}).assignment == b"all"
        assert rex.beat() == 0
        assert rex.leave() == ([0] if version < 3 else [0, 0])
        assert rex.beat() == ErrorCode.UNKNOWN_MEMBER_ID
        assert rex.describe().group_state == "Empty"


def test_an_assignment_that_is_too_large_is_refused_and_the_group_shares_out_again(
    broker: EmbeddedBroker, group: str
) -> None:
    with Member(broker, group) as rex:
        rex.join()
        refused = rex.sync({rex.member_id: b"q" * 1_500_000})
        assert (refused.error_code, refused.assignment) == (ErrorCode.UNKNOWN_SERVER_ERROR, b"")
        assert rex.beat() == ErrorCode.REBALANCE_IN_PROGRESS
        rex.settle()
        assert rex.generation == 2


def test_two_members_share_and_one_learns_when_the_other_goes(
    broker: EmbeddedBroker, group: str
) -> None:
    with Member(broker, group) as rex, Member(broker, group) as tom:
        rex.settle()
        tom.join_later()
        assert tom.joined().error_code == ErrorCode.MEMBER_ID_REQUIRED
        tom.join_later()
        while rex.beat() != ErrorCode.REBALANCE_IN_PROGRESS:
            pass
        assert len(rex.join().members) == 2
        assert tom.joined().members == []
        assert rex.sync({rex.member_id: b"0", tom.member_id: b"1"}).assignment == b"0"
        assert tom.sync().assignment == b"1"
        assert tom.leave() == [0, 0]
        assert rex.beat() == ErrorCode.REBALANCE_IN_PROGRESS


def test_who_waits_has_the_place_of_a_silent_member_when_its_session_ends(
    broker: EmbeddedBroker, group: str
) -> None:
    with Member(broker, group) as rex, Member(broker, group) as tom:
        rex.join(session_ms=50)
        rex.sync({rex.member_id: b"all"})
        answer = tom.join()
        assert [one.member_id for one in answer.members] == [tom.member_id]


def test_what_cannot_be_is_refused(broker: EmbeddedBroker, group: str) -> None:
    with Member(broker, group) as rex, Member(broker, "") as nameless:
        assert rex.join(session_ms=49).error_code == ErrorCode.INVALID_SESSION_TIMEOUT
        assert rex.beat() == rex.sync().error_code == ErrorCode.UNKNOWN_MEMBER_ID
        assert rex.leave() == [0, ErrorCode.UNKNOWN_MEMBER_ID]
        rex.member_id = "made up"
        assert rex.join().error_code == ErrorCode.UNKNOWN_MEMBER_ID
        invalid = ErrorCode.INVALID_GROUP_ID
        assert nameless.join().error_code == nameless.sync().error_code == invalid
        assert nameless.beat() == nameless.leave()[0] == invalid
        described = rex.describe()
        assert (described.error_code, described.group_state) == (
            ErrorCode.GROUP_ID_NOT_FOUND, "Dead",
        )  # fmt: skip
        described = rex.describe(5)
        assert (described.error_code, described.group_state) == (0, "Dead")


def test_groups_are_described_listed_and_deleted(broker: EmbeddedBroker, group: str) -> None:
    with Member(broker, group) as rex:
        rex.settle()
        for version in range(7):
            reported = rex.describe(version)
            assert (reported.group_state, reported.protocol_type, reported.protocol_data) == (
                "Stable", "consumer", "range",
            )  # fmt: skip
            (member,) = reported.members
            assert (member.member_id, member.client_id) == (rex.member_id, "raw")
            assert member.client_host == "/127.0.0.1"
            assert (member.member_metadata, member.member_assignment) == (b"mine", b"all")
        listed = rex.client.ask(
            ListGroupsRequest(states_filter=["stable"], types_filter=["Classic"]),
            5,
            ListGroupsResponse,
        )
        assert (group, "Stable") in [(one.group_id, one.group_state) for one in listed.groups]
        delete = DeleteGroupsRequest(groups_names=[group, "nobody"])
        codes = rex.client.ask(delete, 3, DeleteGroupsResponse).results
        assert [one.error_code for one in codes] == [
            ErrorCode.NON_EMPTY_GROUP, ErrorCode.GROUP_ID_NOT_FOUND,
        ]  # fmt: skip
        rex.leave()
        codes = rex.client.ask(delete, 0, DeleteGroupsResponse).results
        assert [one.error_code for one in codes] == [0, ErrorCode.GROUP_ID_NOT_FOUND]
        assert rex.describe().error_code == ErrorCode.GROUP_ID_NOT_FOUND
        nothing = DeleteGroupsRequest(groups_names=[])
        assert rex.client.ask(nothing, 0, DeleteGroupsResponse).results == []


def test_a_group_goes_on_where_the_broker_stopped(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with EmbeddedBroker(CONFIG, data_dir=data) as first, Member(first, "kennel") as rex:
        rex.instance = "one"
        rex.join()
        rex.sync({rex.member_id: b"all"})
        with Member(first, "kennel") as tom:
            tom.join_later()
            assert tom.joined().error_code == ErrorCode.MEMBER_ID_REQUIRED
            tom.join_later()
            while rex.beat() != ErrorCode.REBALANCE_IN_PROGRESS:
                pass
            first.stop()
            assert tom.joined().error_code == ErrorCode.NOT_COORDINATOR
    with EmbeddedBroker(CONFIG, data_dir=data) as second, Member(second, "kennel") as again:
        again.member_id, again.generation, again.instance = rex.member_id, rex.generation, "one"
        assert again.beat() == 0
        assert again.sync().assignment == b"all"
        assert [one.group_instance_id for one in again.describe().members] == ["one"]
        again.member_id = ""
        back = again.join()
        assert (back.generation_id, back.skip_assignment) == (1, True)
        assert again.sync().assignment == b"all"


def test_a_group_begins_anew_when_the_topic_that_held_it_was_deleted(
    broker: EmbeddedBroker, group: str
) -> None:
    # Before version 4 a join is one request: ann cannot be taken for gone in the middle of hers.
    with (
        Member(broker, group) as rex,
        Member(broker, group, 3) as ann,
        Member(broker, group) as tom,
    ):
        rex.join(session_ms=50)
        rex.sync({rex.member_id: b"all"})
        delete = DeleteTopicsRequest(topic_names=["__consumer_offsets"], timeout_ms=1000)
        rex.client.ask(delete, 3, DeleteTopicsResponse)
        assert rex.beat() == ErrorCode.UNKNOWN_MEMBER_ID
        assert ann.join(session_ms=200).generation_id == 1
        ann.sync({ann.member_id: b"all"})
        # Answered when the session of the one before has ended: its time is kept apart from that
        # of the group that is gone.
        assert len(tom.join().members) == 1


@pytest.mark.parametrize("version", [8, 9])
def test_commits_are_for_members_of_a_generation_that_has_begun(
    broker: EmbeddedBroker, group: str, version: int
) -> None:
    broker.create_topic(f"committed-{version}")
    with Member(broker, group) as one:
        one.join()
        mine = one.generation, one.member_id
        assert commit_code(one, *mine, version) == ErrorCode.REBALANCE_IN_PROGRESS
        one.sync({one.member_id: b"all"})
        assert commit_code(one, *mine, version) == ErrorCode.NONE
        assert commit_code(one, -1, "", version) == ErrorCode.UNKNOWN_MEMBER_ID


def test_who_hangs_up_while_it_joins_for_the_first_time_is_not_waited_for(
    broker: EmbeddedBroker, group: str
) -> None:
    """Of an old client, which has no id yet and cannot come back under it."""
    with Member(broker, group) as rex:
        rex.settle()
        with Member(broker, group, version=3) as tom:
            tom.join_later()
            while rex.beat() != ErrorCode.REBALANCE_IN_PROGRESS:
                pass
        while len(rex.describe().members) > 1:
            pass
        assert rex.join().error_code == ErrorCode.NONE
        assert rex.generation == 2
