"""Scripts about what coordinators would have to keep in one batch that their topic does not take."""

from collections.abc import Sequence
from typing import Any

from barnabas.protocol.add_offsets_to_txn import AddOffsetsToTxnRequest
from barnabas.protocol.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from barnabas.protocol.offset_fetch import OffsetFetchRequest, OffsetFetchRequestTopic
from barnabas.protocol.sync_group import SyncGroupRequestAssignment
from barnabas.protocol.txn_offset_commit import (
    TxnOffsetCommitRequest,
    TxnOffsetCommitRequestPartition,
    TxnOffsetCommitRequestTopic,
)
from tests.interop.differential.group_apis.consumer_groups import One, known
from tests.interop.differential.group_apis.groups import NOTHING, Person
from tests.interop.differential.talk import Talk
from tests.interop.differential.transactions import Writer

_LARGE = 1_500_000
_MANY = 400
_METADATA = "x" * 4000
"""As long as may be with one offset; with many of them that is more than one batch."""
_NAMES = [f"{number:05}{'y' * 200}" for number in range(7000)]


def large_commits(talk: Talk) -> None:
    """More positions at once than one batch holds, also in a transaction; then fewer."""
    talk.create("t", partitions=_MANY)
    topic, group = talk.topic("t"), talk.topic("g")
    Person(talk, group)
    for label, count in (("many", _MANY), ("fewer", 200)):
        places = [
            OffsetCommitRequestPartition(
                partition_index=one, committed_offset=1, committed_metadata=_METADATA
            )
            for one in range(count)
        ]
        asked = OffsetCommitRequest(
            group_id=group,
            generation_id_or_member_epoch=-1,
            topics=[OffsetCommitRequestTopic(name=topic, partitions=places)],
        )
        _codes(talk, label, asked, 8)
        talk.ask(f"after {label}", _kept(group, topic), 7)
    writer = Writer(talk, "w", topic)
    writer.init("writer", 5)
    add = AddOffsetsToTxnRequest(
        transactional_id=writer.name,
        producer_id=writer.id,
        producer_epoch=writer.epoch,
        group_id=group,
    )
    talk.ask("group takes part", add, 3)
    for label, first, count in (("many of one", 0, _MANY), ("fewer of one", 300, 1)):
        parts = [
            TxnOffsetCommitRequestPartition(
                partition_index=one, committed_offset=2, committed_metadata=_METADATA
            )
            for one in range(first, first + count)
        ]
        in_transaction = TxnOffsetCommitRequest(
            transactional_id=writer.name,
            group_id=group,
            producer_id=writer.id,
            producer_epoch=writer.epoch,
            topics=[TxnOffsetCommitRequestTopic(name=topic, partitions=parts)],
        )
        _codes(talk, label, in_transaction, 3)
    writer.end("ended")
    talk.wait(_kept(group, topic), 7, _is_stable)
    talk.ask("at the end", _kept(group, topic), 7)


def _codes(talk: Talk, label: str, asked: object, version: int) -> None:
    """Ask, and keep of the answer which codes there are."""
    talk.ask(label, asked, version)
    response = talk.answers[label]["topics"]
    talk.answers[label] = sorted(
        {one["error_code"] for each in response for one in each["partitions"]}
    )


def _kept(group: str, topic: str, places: Sequence[int] = (0, 300, 399)) -> OffsetFetchRequest:
    asked = OffsetFetchRequestTopic(name=topic, partition_indexes=list(places))
    return OffsetFetchRequest(group_id=group, topics=[asked], require_stable=True)


def _is_stable(response: Any) -> bool:
    return not any(one.error_code for topic in response.topics for one in topic.partitions)


def large_members(talk: Talk) -> None:
    """Members that say too much when they join, and a leader that does when it syncs."""
    for name, metadata, assignment in (
        ("joins", NOTHING + b"z" * _LARGE, b"all"),
        ("syncs", NOTHING, b"q" * _LARGE),
    ):
        one = Person(talk, talk.topic(name))
        one.member_id = talk.ask(f"{name}: invited", one.join(), 9).member_id
        response = talk.ask(f"{name}: joined", one.join(metadata=metadata), 9)
        one.generation = response.generation_id
        del talk.answers[f"{name}: joined"]["members"]
        sync = one.sync()
        mine = SyncGroupRequestAssignment(member_id=one.member_id, assignment=assignment)
        sync.assignments = [mine]
        talk.ask(f"{name}: synced", sync, 5)
        talk.ask(f"{name}: goes on", one.beat(), 4)
        talk.ask(f"{name}: described", one.describe(), 5)
        talk.answers[f"{name}: described"]["groups"][0].pop("members")
        one.generation = talk.ask(f"{name}: again", one.join(), 9).generation_id
        talk.ask(f"{name}: synced again", one.sync(), 5)
        talk.ask(f"{name}: goes on at last", one.beat(), 4)


def large_subscriptions(talk: Talk) -> None:
    """Members that subscribe to more names than one batch holds: who comes, and who is there."""
    talk.create("t")
    known(talk, "t")
    one = One(talk, "c", "rex")
    one.joins("many names at once", subscribed_topic_names=_NAMES)
    talk.ask("nobody came", one.describe(), 1)
    one.joins("one name", "t")
    talk.ask("many names later", one.beat(subscribed_topic_names=_NAMES), 1)
    talk.ask("goes on", one.beat(), 1)
    talk.ask("one came", one.describe(), 1)
    # Kafka lists it twice: once as it was while the refused change had not been taken back.
    (group,) = talk.answers["one came"]["groups"]
    group["members"] = group["members"][:1]


SCENARIOS = (large_commits, large_members, large_subscriptions)
