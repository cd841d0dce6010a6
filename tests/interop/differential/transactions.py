"""Scripts about transactional producers: ids and epochs, what is refused, what readers see."""

from typing import Any

from barnabas.errors import ErrorCode
from barnabas.protocol.add_offsets_to_txn import AddOffsetsToTxnRequest
from barnabas.protocol.add_partitions_to_txn import (
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnTopic,
    AddPartitionsToTxnTransaction,
)
from barnabas.protocol.describe_producers import DescribeProducersRequest, TopicRequest
from barnabas.protocol.describe_transactions import DescribeTransactionsRequest
from barnabas.protocol.end_txn import EndTxnRequest
from barnabas.protocol.fetch import FetchPartition, FetchRequest, FetchTopic
from barnabas.protocol.find_coordinator import FindCoordinatorRequest
from barnabas.protocol.init_producer_id import InitProducerIdRequest
from barnabas.protocol.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsTopic,
)
from barnabas.protocol.list_transactions import ListTransactionsRequest
from barnabas.protocol.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from barnabas.protocol.txn_offset_commit import (
    TxnOffsetCommitRequest,
    TxnOffsetCommitRequestPartition,
    TxnOffsetCommitRequestTopic,
)
from barnabas.records.batches.builder import BatchBuilder
from barnabas.records.codecs.compression import Codec
from tests.interop.differential.talk import Talk

_BUSY = {
    ErrorCode.CONCURRENT_TRANSACTIONS,
    ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
    ErrorCode.COORDINATOR_NOT_AVAILABLE,
    ErrorCode.NOT_COORDINATOR,
}


class Writer:
    """One transactional producer and its words."""

    def __init__(self, talk: Talk, name: str, topic: str) -> None:
        self.talk, self.topic = talk, topic
        self.name = talk.topic(name)
        self.id, self.epoch, self.sequence = -1, -1, 0
        found = FindCoordinatorRequest(key=self.name, key_type=1)
        talk.wait(found, 3, lambda response: not response.error_code)
        # Kafka answers before the coordinator has loaded the partition.
        talk.wait(
            DescribeTransactionsRequest(transactional_ids=[self.name]),
            0,
            lambda response: response.transaction_states[0].error_code not in _BUSY,
        )

    def init(self, label: str, version: int = 4, **more: Any) -> None:
        """Ask until nothing is in the way, and keep the epoch that is returned."""
        request = InitProducerIdRequest(
            **{"transactional_id": self.name, "transaction_timeout_ms": 600_000, **more}
        )
        self.talk.wait(request, version, lambda response: response.error_code not in _BUSY)
        response = self.talk.ask(label, request, version)
        assert response is not None
        if not response.error_code:
            self.id, self.epoch, self.sequence = response.producer_id, response.producer_epoch, 0
        self.talk.answers[label].pop("producer_id")

    def again(self, label: str, version: int = 4, *, epoch: int = 0) -> None:
        """Ask to go on with an epoch that may be gone, so far from the one that was returned last."""
        self.init(label, version, producer_id=self.id, producer_epoch=self.epoch + epoch)

    def interrupted(self, label: str) -> None:
        """Another instance asks once, which ends an open transaction, and is not seen again."""
        asked = InitProducerIdRequest(transactional_id=self.name, transaction_timeout_ms=600_000)
        self.talk.ask(label, asked, 4)
        self.settle()

    def aborted(self) -> None:
        """Wait until the broker has ended the transaction."""
        self.talk.wait(
            DescribeTransactionsRequest(transactional_ids=[self.name]),
            0,
            lambda response: response.transaction_states[0].transaction_state == "CompleteAbort",
        )

    def add(self, label: str, version: int = 3, *, epoch: int = 0, topic: str = "") -> None:
        places = [AddPartitionsToTxnTopic(name=topic or self.topic, partitions=[0])]
        self.talk.ask(
            label,
            AddPartitionsToTxnRequest(
                v3_and_below_transactional_id=self.name,
                v3_and_below_producer_id=self.id,
                v3_and_below_producer_epoch=self.epoch + epoch,
                v3_and_below_topics=places,
            ),
            version,
        )

    def verify(self, label: str, *, epoch: int = 0, index: int = 0) -> None:
        one = AddPartitionsToTxnTransaction(
            transactional_id=self.name,
            producer_id=self.id,
            producer_epoch=self.epoch + epoch,
            verify_only=True,
            topics=[AddPartitionsToTxnTopic(name=self.topic, partitions=[index])],
        )
        self.talk.ask(label, AddPartitionsToTxnRequest(transactions=[one]), 5)

    def produce(self, label: str, version: int, *, epoch: int = 0, named: bool = True) -> None:
        builder = BatchBuilder(Codec.NONE, 1000)
        builder.append(1_700_000_000_000, None, b"a record")
        data = builder.build(self.id, self.epoch + epoch, self.sequence, transactional=True)
        part = PartitionProduceData(index=0, records=data)
        response = self.talk.ask(
            label,
            ProduceRequest(
                transactional_id=self.name if named else None,
                acks=-1,
                timeout_ms=5000,
                topic_data=[TopicProduceData(name=self.topic, partition_data=[part])],
            ),
            version,
        )
        if response is not None and not response.responses[0].partition_responses[0].error_code:
            self.sequence += 1

    def end(self, label: str, version: int = 3, *, commit: bool = True, epoch: int = 0) -> None:
        response = self.talk.ask(
            label,
            EndTxnRequest(
                transactional_id=self.name,
                producer_id=self.id,
                producer_epoch=self.epoch + epoch,
                committed=commit,
            ),
            version,
        )
        if response is not None and response.producer_id >= 0:
            self.epoch, self.sequence = response.producer_epoch, 0
        self.talk.answers[label].pop("producer_id", None)
        self.settle()

    def settle(self) -> None:
        """Wait until all markers are written."""
        self.talk.wait(
            DescribeTransactionsRequest(transactional_ids=[self.name]),
            0,
            lambda response: (
                not response.transaction_states[0].transaction_state.startswith("Prepare")
            ),
        )

    def describe(self, label: str) -> None:
        self.talk.ask(label, DescribeTransactionsRequest(transactional_ids=[self.name]), 0)
        for one in self.talk.answers[label]["transaction_states"]:
            one.pop("producer_id")
            one["transaction_start_time_ms"] = one["transaction_start_time_ms"] > 0

    def producers(self, label: str) -> None:
        label = f"producers: {label}"
        place = TopicRequest(name=self.topic, partition_indexes=[0, 9])
        self.talk.ask(label, DescribeProducersRequest(topics=[place]), 0)
        for one in self.talk.answers[label]["topics"][0]["partitions"]:
            for each in one["active_producers"]:
                each.pop("producer_id")
                each.pop("last_timestamp")

    def read(self, label: str, *, level: int = 1) -> None:
        label = f"read: {label}"
        place = FetchPartition(partition=0, fetch_offset=0, partition_max_bytes=100_000)
        self.talk.ask(
            label,
            FetchRequest(
                max_wait_ms=0,
                min_bytes=1,
                max_bytes=100_000,
                isolation_level=level,
                session_epoch=-1,
                topics=[FetchTopic(topic=self.topic, partitions=[place])],
                forgotten_topics_data=[],
            ),
            11,
        )
        answer = self.talk.answers[label]["responses"][0]["partitions"][0]
        answer.pop("records")
        for one in answer["aborted_transactions"] or ():
            one.pop("producer_id")
        end = ListOffsetsPartition(partition_index=0, timestamp=-1)
        self.talk.ask(
            f"{label}: end",
            ListOffsetsRequest(
                replica_id=-1,
                isolation_level=level,
                topics=[ListOffsetsTopic(name=self.topic, partitions=[end])],
            ),
            5,
        )


def version_1(talk: Talk) -> None:
    talk.create("dogs")
    writer = Writer(talk, "one", talk.topic("dogs"))
    writer.describe("unknown")
    writer.add("before it began")
    writer.end("end before it began")
    writer.init("begun")
    writer.describe("empty")
    writer.end("nothing to commit")
    writer.end("nothing to abort", commit=False)
    writer.produce("not added", 9)
    writer.produce("not added, asked to abort", 11)
    writer.add("no such topic", topic="nobody")
    writer.add("old epoch", epoch=-1)
    writer.add("old epoch, version 1", 1, epoch=-1)
    writer.add("epoch to come", epoch=1)
    writer.add("added")
    writer.add("added again")
    writer.verify("verified")
    writer.verify("verified elsewhere", index=1)
    writer.verify("verified of another epoch", epoch=3)
    writer.produce("added, old epoch", 9, epoch=-1)
    writer.produce("without its name", 9, named=False)
    writer.produce("produced", 9)
    writer.producers("open")
    writer.describe("ongoing")
    writer.read("open")
    writer.read("open, uncommitted", level=0)
    writer.end("old epoch ends", epoch=-1)
    writer.end("old epoch ends, version 1", 1, epoch=-1)
    writer.end("committed")
    writer.end("committed again")
    writer.end("aborted after that", commit=False)
    writer.describe("complete")
    writer.producers("committed")
    writer.read("committed")
    writer.produce("late", 9)


def outcomes(talk: Talk) -> None:
    talk.create("dogs")
    writer = Writer(talk, "five", talk.topic("dogs"))
    writer.init("begun")
    writer.add("first")
    writer.produce("first produced", 9)
    writer.end("committed")
    writer.add("second")
    writer.produce("second produced", 9)
    writer.end("aborted", commit=False)
    writer.read("aborted")
    writer.read("aborted, uncommitted", level=0)
    writer.add("third")
    writer.produce("third produced", 9)
    writer.init("replaced while open")
    writer.producers("replaced")
    writer.read("replaced")
    writer.init("wants to go on", producer_id=writer.id, producer_epoch=writer.epoch)
    writer.init("was another", producer_id=writer.id, producer_epoch=0)
    writer.init("was another, version 3", 3, producer_id=writer.id, producer_epoch=0)


def version_2(talk: Talk) -> None:
    talk.create("dogs")
    writer = Writer(talk, "two", talk.topic("dogs"))
    writer.init("begun", 5)
    writer.end("nothing to commit", 5)
    writer.end("nothing to abort", 5, commit=False)
    writer.describe("after an empty abort")
    writer.produce("produced", 12)
    writer.produce("produced more", 12)
    writer.describe("ongoing")
    writer.end("committed", 5)
    writer.producers("committed")
    writer.describe("complete")
    writer.end("committed again", 5, epoch=-1)
    writer.end("aborted after that", 5, commit=False, epoch=-1)
    writer.produce("old epoch", 12, epoch=-1)
    writer.produce("next", 12)
    writer.end("aborted", 5, commit=False)
    writer.end("aborted again", 5, commit=False, epoch=-1)
    writer.read("aborted")
    writer.produce("third", 12)
    writer.init("replaced while open", 5)
    writer.producers("replaced")


def epochs_before(talk: Talk) -> None:
    """Which producer may go on with the epoch that was bumped, and until when."""
    talk.create("dogs")
    dogs = talk.topic("dogs")
    first = Writer(talk, "first", dogs)
    first.init("begun")
    first.again("bumped")
    first.add("added")
    first.end("committed")
    first.again("as it was before its bump", epoch=-1)
    second = Writer(talk, "second", dogs)
    second.init("second begun", 5)
    second.produce("second produced", 12)
    second.end("second committed", 5)
    second.again("as it was before its end", 5, epoch=-1)
    third = Writer(talk, "third", dogs)
    third.init("third begun")
    third.add("third added")
    third.interrupted("interrupted")
    third.again("as it was before it was interrupted")
    third.add("third goes on")
    third.end("third committed")
    fourth = Writer(talk, "fourth", dogs)
    fourth.init("fourth begun")
    fourth.add("fourth added")
    fourth.interrupted("fourth interrupted")
    fourth.init("another in its place")
    fourth.again("fenced for good", epoch=-3)


def timed_out(talk: Talk) -> None:
    """Transactions that the broker ends, and their producers after that (KIP-588, KIP-890)."""
    talk.create("dogs")
    dogs = talk.topic("dogs")
    plain, replaced = Writer(talk, "one", dogs), Writer(talk, "three", dogs)
    talk.create("cats")
    own_epochs = Writer(talk, "two", talk.topic("cats"))
    in_short = {"transaction_timeout_ms": 5000}
    plain.init("begun", **in_short)
    own_epochs.init("version 2 begun", 5, **in_short)
    replaced.init("begun, to be replaced", **in_short)
    plain.add("added")
    plain.produce("produced", 9)
    own_epochs.produce("version 2 produced", 12)
    replaced.add("added, to be replaced")
    for writer in (plain, own_epochs, replaced):
        writer.aborted()
        writer.describe(f"aborted: {writer.name}")
    plain.read("aborted")
    plain.producers("aborted")
    plain.produce("late", 9)
    plain.add("added late")
    plain.end("ended late")
    plain.again("goes on")
    plain.again("goes on, asked again", epoch=-1)
    plain.again("an epoch too old", epoch=-2)
    plain.add("added again")
    plain.produce("produced again", 9)
    plain.end("committed")
    own_epochs.produce("version 2 late", 12)
    own_epochs.again("version 2 goes on", 5)
    own_epochs.produce("version 2 produced again", 12)
    own_epochs.end("version 2 committed", 5)
    own_epochs.read("version 2 committed")
    replaced.init("another in its place")
    replaced.again("fenced for good", epoch=-3)
    plain.read("at the end")


def offsets(talk: Talk) -> None:
    talk.create("dogs")
    writer = Writer(talk, "three", talk.topic("dogs"))
    group = talk.topic("group")
    talk.wait(
        FindCoordinatorRequest(key=group, key_type=0), 3, lambda response: not response.error_code
    )
    writer.init("begun")

    def commit(label: str, version: int, generation: int = -1, member: str = "") -> None:
        place = TxnOffsetCommitRequestPartition(
            partition_index=0, committed_offset=7, committed_metadata=None
        )
        talk.ask(
            label,
            TxnOffsetCommitRequest(
                transactional_id=writer.name,
                group_id=group,
                producer_id=writer.id,
                producer_epoch=writer.epoch,
                generation_id_or_member_epoch=generation,
                member_id=member,
                topics=[TxnOffsetCommitRequestTopic(name=writer.topic, partitions=[place])],
            ),
            version,
        )

    commit("not added", 3)
    commit("not added, asked to abort", 4)
    add = AddOffsetsToTxnRequest(
        transactional_id=writer.name,
        producer_id=writer.id,
        producer_epoch=writer.epoch,
        group_id=group,
    )
    talk.ask("added", add, 3)
    commit("of a member of no group", 3, 3, "nobody")
    commit("committed", 3)
    writer.end("ended")
    talk.ask(
        "added by a stranger",
        AddOffsetsToTxnRequest(
            transactional_id="stranger",
            producer_id=1,
            producer_epoch=0,
            group_id=group,
        ),
        3,
    )


def mistakes(talk: Talk) -> None:
    talk.create("dogs")
    writer = Writer(talk, "four", talk.topic("dogs"))
    writer.init("no time", transaction_timeout_ms=0)
    writer.init("too much time", transaction_timeout_ms=2**31 - 1)
    writer.init("no name", transactional_id="")
    writer.init("half known", producer_id=3)
    talk.ask(
        "no name ends",
        EndTxnRequest(transactional_id="", producer_id=1, producer_epoch=0, committed=True),
        3,
    )
    talk.ask("nobody described", DescribeTransactionsRequest(transactional_ids=[""]), 0)
    listed = ListTransactionsRequest(
        state_filters=["Ongoing", "Nowhere"], producer_id_filters=[123456789]
    )
    talk.ask("listed", listed, 1)
    talk.ask(
        "no pattern",
        ListTransactionsRequest(
            state_filters=[], producer_id_filters=[], transactional_id_pattern="("
        ),
        2,
    )


SCENARIOS = (version_1, outcomes, version_2, epochs_before, offsets, mistakes)
LONG = (timed_out,)
