"""Share groups are moved and forget topics; what cannot be is reported by partition."""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

from barnabas import Admin, BrokerError, ErrorCode, NewTopic, ShareOffset, TopicPartition, aio
from barnabas.client.aio.cluster.link import Link
from barnabas.errors import InvalidArgument
from barnabas.protocol.alter_share_group_offsets import (
    AlterShareGroupOffsetsRequest,
    AlterShareGroupOffsetsResponse,
)
from barnabas.protocol.delete_share_group_offsets import DeleteShareGroupOffsetsRequest
from barnabas.protocol.share_group_heartbeat import (
    ShareGroupHeartbeatRequest,
    ShareGroupHeartbeatResponse,
)
from barnabas.testing.embedded_broker import EmbeddedBroker
from tests.lasting_members import LASTING_MEMBERS
from tests.unit.broker.raw_client import RawClient

E = ErrorCode
DOGS, MORE_DOGS, CATS = (TopicPartition(*one) for one in (("dogs", 0), ("dogs", 1), ("cats", 0)))


@pytest.fixture(scope="module")
def broker() -> Iterator[EmbeddedBroker]:
    """With `held`, a share group that has a member, and `plain`, a group of another kind."""
    one_place = {"share.coordinator.state.topic.num.partitions": "1"}
    with EmbeddedBroker(LASTING_MEMBERS | one_place) as one:
        with Admin(bootstrap_servers=one.bootstrap_servers) as admin:
            admin.create_topics([NewTopic("dogs", 2, 1), NewTopic("cats", 1, 1)])
            admin.alter_group_offsets("plain", {DOGS: 1})
        joins = ShareGroupHeartbeatRequest(
            group_id="held", member_id="m", member_epoch=0, subscribed_topic_names=["dogs"]
        )
        with RawClient(one.port) as client:
            assert not client.ask(joins, 1, ShareGroupHeartbeatResponse).error_code
        yield one


@pytest.fixture
def admin(broker: EmbeddedBroker) -> Iterator[Admin]:
    with Admin(bootstrap_servers=broker.bootstrap_servers, retry_backoff_ms=1) as made:
        yield made


def starts(admin: Admin, group: str) -> dict[TopicPartition, int | None]:
    found: Mapping[TopicPartition, ShareOffset]
    found = admin.survey_share_offsets(admin.survey_groups(kinds=["share"])).get(group, {})
    return {where: one.start for where, one in found.items()}


def refused(raised: pytest.ExceptionInfo[BrokerError]) -> tuple[ErrorCode, str]:
    return raised.value.code, raised.value.why


def test_a_group_is_made_moved_and_forgets(admin: Admin) -> None:
    admin.alter_share_group_offsets("made", {("dogs", 0): 3, MORE_DOGS: 4, CATS: 5})
    assert admin.describe_groups(["made"])["made"].kind == "share"
    admin.alter_share_group_offsets("made", {DOGS: 0})
    assert starts(admin, "made") == {DOGS: 0, MORE_DOGS: 4, CATS: 5}
    admin.delete_share_group_offsets("made", ["dogs"])
    assert starts(admin, "made") == {CATS: 5}
    with pytest.raises(BrokerError) as raised:
        admin.delete_share_group_offsets("made", ["cats", "dogs"])
    why = "group made: topic dogs: There is no offset information to delete."
    assert refused(raised) == (E.UNKNOWN_TOPIC_OR_PARTITION, why)
    assert starts(admin, "made") == {}, "cats went all the same"


def test_with_asyncio_it_is_the_same(broker: EmbeddedBroker, admin: Admin) -> None:
    async def move() -> None:
        async with aio.Admin(bootstrap_servers=broker.bootstrap_servers) as one:
            await one.alter_share_group_offsets("of-tasks", {DOGS: 7, CATS: 1})
            await one.delete_share_group_offsets("of-tasks", ["cats"])

    asyncio.run(move())
    assert starts(admin, "of-tasks") == {DOGS: 7}


@pytest.mark.parametrize(
    ("group", "code"), [("held", E.NON_EMPTY_GROUP), ("plain", E.GROUP_ID_NOT_FOUND)]
)
def test_groups_that_cannot_be_moved(admin: Admin, group: str, code: ErrorCode) -> None:
    calls: list[Callable[[], object]] = [
        lambda: admin.alter_share_group_offsets(group, {DOGS: 1}),
        lambda: admin.delete_share_group_offsets(group, ["dogs"]),
    ]
    for call in calls:
        with pytest.raises(BrokerError, match=rf"^{code.name}: .*{group}") as raised:
            call()
        assert raised.value.code is code


def test_partitions_that_are_not_there_are_named_with_what_is(admin: Admin) -> None:
    with pytest.raises(BrokerError) as raised:
        admin.alter_share_group_offsets("lost", {DOGS: 2, ("dogs", 7): 1, ("cows", 0): 1})
    code, why = refused(raised)
    assert code is E.UNKNOWN_TOPIC_OR_PARTITION
    what = "group lost: it was not moved in dogs-7, cows-0: no such topic or partition exists; "
    assert why.startswith(what)
    assert "there is no topic cows" in why
    assert starts(admin, "lost") == {DOGS: 2}
    with pytest.raises(BrokerError) as raised:
        admin.delete_share_group_offsets("lost", ["cows"])
    why = "group lost: topic cows: there is no such topic"
    assert refused(raised) == (E.UNKNOWN_TOPIC_OR_PARTITION, why)


def test_no_group_is_made_for_what_is_not_there(admin: Admin) -> None:
    with pytest.raises(BrokerError) as raised:
        admin.alter_share_group_offsets("never", {("cows", 0): 1})
    code, why = refused(raised)
    assert (code, "; there is no topic cows" in why) == (E.GROUP_ID_NOT_FOUND, True), why
    with pytest.raises(BrokerError) as raised:
        admin.alter_share_group_offsets("plain", {DOGS: 1})
    assert "there" not in raised.value.why


def test_arguments_that_cannot_be(admin: Admin) -> None:
    with pytest.raises(InvalidArgument, match=r"^dogs-0: an offset must be 0 or more, not -1$"):
        admin.alter_share_group_offsets("made", {DOGS: -1})
    with pytest.raises(TypeError, match="delete_share_group_offsets"):
        admin.delete_share_group_offsets("made", "dogs")


@pytest.mark.parametrize("code", [E.NOT_COORDINATOR, E.COORDINATOR_LOAD_IN_PROGRESS])
def test_a_coordinator_that_moves_or_loads_is_asked_again(
    admin: Admin, monkeypatch: pytest.MonkeyPatch, code: ErrorCode
) -> None:
    ask, asked = Link.ask, Counter[str]()

    async def elsewhere(link: Link, request: Any, **how: Any) -> Any:
        reply = await ask(link, request, **how)
        asked[type(request).__name__] += 1
        if isinstance(request, AlterShareGroupOffsetsRequest | DeleteShareGroupOffsetsRequest):
            reply.error_code = code if asked[type(request).__name__] == 1 else reply.error_code
        return reply

    monkeypatch.setattr(Link, "ask", elsewhere)
    admin.alter_share_group_offsets("again", {DOGS: 1})
    assert asked[AlterShareGroupOffsetsRequest.__name__] == 2
    with pytest.raises(BrokerError, match="UNKNOWN_TOPIC_OR_PARTITION"):
        # The first one did it, whose answer was lost.
        admin.delete_share_group_offsets("again", ["dogs"])
    assert asked[DeleteShareGroupOffsetsRequest.__name__] == 2


def test_one_partition_may_be_refused(admin: Admin, monkeypatch: pytest.MonkeyPatch) -> None:
    ask = Link.ask

    async def refusing(link: Link, request: Any, **how: Any) -> Any:
        reply = await ask(link, request, **how)
        if isinstance(reply, AlterShareGroupOffsetsResponse):
            row = reply.responses[0].partitions[0]
            row.error_code, row.error_message = E.TOPIC_AUTHORIZATION_FAILED, "Not you."
        return reply

    monkeypatch.setattr(Link, "ask", refusing)
    with pytest.raises(BrokerError) as raised:
        admin.alter_share_group_offsets("in-part", {DOGS: 1, CATS: 1})
    why = "group in-part: where it goes on in dogs-0: Not you."
    assert refused(raised) == (E.TOPIC_AUTHORIZATION_FAILED, why)
