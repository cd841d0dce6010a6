"""Scripts about what is alike in groups of all kinds: who assigns when, refusals, groups that are not there."""

from typing import Any

from barnabas.protocol import describe_share_group_offsets as share_offsets
from barnabas.protocol import share_fetch
from barnabas.protocol.consumer_group_describe import ConsumerGroupDescribeRequest
from barnabas.protocol.describe_groups import DescribeGroupsRequest
from barnabas.protocol.find_coordinator import FindCoordinatorRequest
from barnabas.protocol.leave_group import LeaveGroupRequest, MemberIdentity
from barnabas.protocol.share_acknowledge import ShareAcknowledgeRequest
from barnabas.protocol.share_fetch import ShareFetchRequest
from barnabas.protocol.share_group_describe import ShareGroupDescribeRequest
from barnabas.protocol.share_group_heartbeat import ShareGroupHeartbeatRequest
from barnabas.protocol.streams_group_describe import StreamsGroupDescribeRequest
from sim.groups.assigning import subscription
from tests.interop.differential.group_apis.consumer_groups import One, configure, known
from tests.interop.differential.group_apis.groups import NOTHING, Person
from tests.interop.differential.group_apis.sharing import MEMBER
from tests.interop.differential.group_apis.streaming import Instance, part
from tests.interop.differential.talk import Talk

_AT_ONCE = {"consumer.assignment.interval.ms": "0", "share.assignment.interval.ms": "0"}


def assigned_when_asked(talk: Talk) -> None:
    """A member goes: the next heartbeat of another one makes the assignment, however long that is."""
    talk.create("t", partitions=4)
    known(talk, "t")
    for how in ("leaves", "is taken out"):
        ann, bob = (One(talk, how.replace(" ", "-"), name) for name in ("ann", "bob"))
        configure(talk, ann.group, **_AT_ONCE)
        ann.joins(f"ann joins, bob {how}", "t")
        bob.joins(f"bob joins and {how}", "t")
        ann.says(f"ann is to give back, bob {how}")
        ann.says(f"ann gives back, bob {how}", topic_partitions=ann.owned())
        bob.says(f"bob has it and {how}")
        if how == "leaves":
            bob.says(f"bob {how}", epoch=-1)
        else:
            gone = [MemberIdentity(member_id="bob")]
            talk.ask(f"bob {how}", LeaveGroupRequest(group_id=ann.group, members=gone), 5)
        talk.ask(f"bob {how}: described", ann.describe(), 1)
        ann.says(f"bob {how}: ann is notified")
        talk.ask(f"bob {how}: described again", ann.describe(), 1)


def assigned_when_shared(talk: Talk) -> None:
    """The same of a share group, as far as epochs go: Kafka has one more, for what is begun anew."""
    talk.create("t", partitions=4)
    known(talk, "t")
    group = _found(talk, "shares")
    configure(talk, group, **_AT_ONCE)
    asked = ShareGroupDescribeRequest(group_ids=[group], include_authorized_operations=False)

    def beat(name: str, epoch: int) -> int:
        topics = None if epoch else [talk.topic("t")]
        says = ShareGroupHeartbeatRequest(
            group_id=group, member_id=name, member_epoch=epoch, subscribed_topic_names=topics
        )
        response = talk.wait(
            says,
            1,
            lambda response: (
                bool(epoch) or bool(response.assignment and response.assignment.topic_partitions)
            ),
        )
        return int(response.member_epoch)

    def is_behind(label: str) -> None:
        (found,) = talk.wait(asked, 1, lambda _: True).groups
        talk.answers[label] = found.group_epoch - found.assignment_epoch, found.group_state

    epoch = beat("ann", 0)
    beat("bob", 0)
    is_behind("with bob")
    beat("bob", -1)
    is_behind("without bob")
    beat("ann", epoch)
    is_behind("ann was notified")


def refused_joins(talk: Talk) -> None:
    """JoinGroup of a consumer group: a refused member gets no id, a new one gets one of another kind."""
    talk.create("t", partitions=4)
    known(talk, "t")
    one = One(talk, "g", "one", "i")
    one.joins("one joins", "t")
    good, bad = subscription([talk.topic("t")]), b"\0"
    for version in (3, 5, 9):
        for label, member_id, instance, metadata, kind in (
            ("of another kind", "", None, good, "connect"),
            ("a stranger of another kind", "nobody", None, good, "connect"),
            ("a stranger", "nobody", None, good, "consumer"),
            ("undecodable", "me", None, bad, "consumer"),
            ("nothing at all", "me", None, b"", "consumer"),
            ("undecodable and static", "", "k", bad, "consumer"),
            ("not of its name", "x", "i", good, "consumer"),
            ("not of an unknown name", "x", "k", good, "consumer"),
        ):
            if instance is None or version >= 5:
                who = Person(talk, one.group, instance)
                who.member_id = member_id
                talk.ask(f"{label}, {version}", who.join(metadata=metadata, kind=kind), version)
    stranger = Person(talk, one.group)
    for label, metadata in (("invited", good), ("invited, undecodable", bad)):
        talk.ask(label, stranger.join(metadata=metadata), 9)
        talk.answers[label]["member_id"] = len(talk.answers[label]["member_id"])
    elsewhere = Person(talk, talk.topic("none"))
    elsewhere.member_id = "nobody"
    talk.ask("of no group", elsewhere.join(metadata=NOTHING), 9)


def _found(talk: Talk, name: str) -> str:
    group = talk.topic(name) if name else ""
    found = FindCoordinatorRequest(key=group, key_type=0)
    talk.wait(found, 3, lambda response: not response.error_code)
    return group


def unknown_share_groups(talk: Talk) -> None:
    """Offsets and fetches of share groups that are not there, or have no name."""
    topic_id = talk.create("t")
    known(talk, "t")
    One(talk, "other", "one").joins("one joins", "t")
    here = share_offsets.DescribeShareGroupOffsetsRequestTopic(
        topic_name=talk.topic("t"), partitions=[0]
    )
    nowhere = share_offsets.DescribeShareGroupOffsetsRequestTopic(
        topic_name="nowhere", partitions=[0]
    )
    joins = ShareGroupHeartbeatRequest(
        group_id=_found(talk, "here"),
        member_id=MEMBER,
        member_epoch=0,
        subscribed_topic_names=[talk.topic("t")],
    )
    talk.wait(
        joins, 1, lambda response: response.assignment and response.assignment.topic_partitions
    )
    for name in ("here", "none", "other", ""):
        group = _found(talk, name)
        for label, topics in (("all", None), ("nothing", []), ("some", [here, nowhere])):
            wanted = share_offsets.DescribeShareGroupOffsetsRequestGroup(
                group_id=group, topics=topics
            )
            asked = share_offsets.DescribeShareGroupOffsetsRequest(groups=[wanted])
            for version in (0, 1):
                talk.ask(f"offsets of {name or 'nameless'}: {label}, {version}", asked, version)
    place = share_fetch.FetchPartition(partition_index=0, acknowledgement_batches=[])
    topic = share_fetch.FetchTopic(topic_id=topic_id, partitions=[place])
    for group_id in (None, ""):
        with talk.one_connection():
            for member_id in (None, "", MEMBER):
                for epoch in (1, 0, 1, 2, -1):
                    label = f"{group_id!r}, {member_id!r}, {epoch} after {len(talk.answers)}"
                    fetches = ShareFetchRequest(
                        group_id=group_id,
                        member_id=member_id,
                        share_session_epoch=epoch,
                        max_wait_ms=0,
                        min_bytes=1,
                        max_bytes=1000,
                        max_records=10,
                        batch_size=10,
                        topics=[] if epoch else [topic],
                        forgotten_topics_data=[],
                    )
                    talk.ask(f"fetch: {label}", fetches, 2)
            response = ShareAcknowledgeRequest(
                group_id=group_id, member_id=MEMBER, share_session_epoch=1, topics=[]
            )
            talk.ask(f"acknowledge: {group_id!r}", response, 2)


def nameless_groups(talk: Talk) -> None:
    """In which order groups are described where some have no name."""
    for name in ("a", "b"):
        Instance(talk, name, "one").joins(name, part("0", talk.topic("t")))
    a, b = talk.topic("a"), talk.topic("b")
    for ids in ([a, "", b], [b, "nobody", "", a, ""]):
        asked: dict[str, Any] = {"group_ids": ids, "include_authorized_operations": False}
        classic = DescribeGroupsRequest(groups=ids, include_authorized_operations=False)
        for label, request, version in (
            ("streams", StreamsGroupDescribeRequest(**asked), 0),
            ("share", ShareGroupDescribeRequest(**asked), 1),
            ("consumer", ConsumerGroupDescribeRequest(**asked), 1),
            ("classic", classic, 5),
        ):
            response = talk.wait(request, version, lambda _: True)
            recorded = [(one.group_id, one.error_code) for one in response.groups]
            talk.answers[f"{label}, {len(ids)}"] = recorded


SCENARIOS = (
    assigned_when_asked,
    assigned_when_shared,
    refused_joins,
    unknown_share_groups,
    nameless_groups,
)
