"""Scripts about the edges of transactions: batches, strangers, filters, odd names."""

from functools import partial
from typing import Any

from barnabas.protocol.add_offsets_to_txn import AddOffsetsToTxnRequest
from barnabas.protocol.add_partitions_to_txn import (
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnTopic,
    AddPartitionsToTxnTransaction,
)
from barnabas.protocol.describe_producers import DescribeProducersRequest, TopicRequest
from barnabas.protocol.describe_transactions import DescribeTransactionsRequest
from barnabas.protocol.end_txn import EndTxnRequest
from barnabas.protocol.list_transactions import ListTransactionsRequest
from barnabas.protocol.txn_offset_commit import (
    TxnOffsetCommitRequest,
    TxnOffsetCommitRequestPartition,
    TxnOffsetCommitRequestTopic,
)
from barnabas.protocol.write_txn_markers import (
    WritableTxnMarker,
    WritableTxnMarkerTopic,
    WriteTxnMarkersRequest,
)
from tests.interop.differential.group_apis.groups import Person
from tests.interop.differential.talk import SILENCE_SECONDS, Talk
from tests.interop.differential.transactions import Writer


def positions_in_transactions(talk: Talk) -> None:
    """Offsets in a transaction: of another epoch, another producer, for places that are not there."""
    talk.create("t", partitions=2)
    writer = Writer(talk, "w", talk.topic("t"))
    rex = Person(talk, talk.topic("g"))
    rex.member_id = talk.ask("invited", rex.join(), 9).member_id
    rex.generation = talk.ask("joined", rex.join(), 9).generation_id

    add, commit = partial(_add, talk, writer, rex), partial(_commit, talk, writer, rex)
    for version in (3, 4, 5):
        writer.init(f"begun {version}", 5 if version > 4 else 4)
        add(f"no group {version}", group_id="")
        add(f"another producer {version}", producer_id=writer.id + 1_000_000)
        if version < 5:
            add("added", 4 if version > 3 else 3)
        commit("amid a rebalance", version)
        if version == 3:
            talk.ask("synced", rex.sync(), 5)
            commit("then", version)
        commit("of another epoch", version, epoch=1)
        commit("of an epoch before", version, epoch=-1)
        commit("of another producer", version, producer_id=writer.id + 1_000_000)
        commit("of another name", version, transactional_id="nobody")
        commit("of no name", version, transactional_id="")
        for group in ("", *([talk.topic("other")] if version > 4 else [])):
            commit(f"in group {group!r}", version, group_id=group)
        for step in (-1, 1):
            generation = rex.generation + step
            commit(f"of generation {step}", version, generation_id_or_member_epoch=generation)
        commit("from outside", version, generation_id_or_member_epoch=-1, member_id="")
        commit("for another", version, member_id="nobody")
        commit("as a static one", version, group_instance_id="nobody")
        commit("long notes", version, places=((0, "n" * 4096), (1, "n" * 4097)))
        commit("no such place", version, places=((7, None), (-1, None), (0, None)))
        commit("no such topic", version, topic="missing")
        commit("nothing", version, places=())
        writer.end(f"ended {version}", 5 if version > 4 else 3)


def _commit(talk: Talk, writer: Writer, rex: Person, label: str, version: int, **more: Any) -> None:
    places = [
        TxnOffsetCommitRequestPartition(
            partition_index=index, committed_offset=9, committed_metadata=note
        )
        for index, note in more.pop("places", ((0, None),))
    ]
    topic = TxnOffsetCommitRequestTopic(name=talk.topic(more.pop("topic", "t")), partitions=places)
    response = {
        "transactional_id": writer.name,
        "group_id": rex.group,
        "producer_id": writer.id,
        "producer_epoch": writer.epoch + more.pop("epoch", 0),
        "generation_id_or_member_epoch": rex.generation,
        "member_id": rex.member_id,
        "topics": [topic],
    }
    talk.ask(f"{label}, {version}", TxnOffsetCommitRequest(**{**response, **more}), version)


def _add(
    talk: Talk, writer: Writer, rex: Person, label: str, version: int = 3, **more: Any
) -> None:
    response = {
        "transactional_id": writer.name,
        "producer_id": writer.id,
        "producer_epoch": writer.epoch,
        "group_id": rex.group,
    }
    talk.ask(f"{label}, {version}", AddOffsetsToTxnRequest(**{**response, **more}), version)


def batches_of_transactions(talk: Talk) -> None:
    """Several transactions in one request, as brokers ask; and markers of nobody."""
    talk.create("t", partitions=2)
    one, two = (Writer(talk, name, talk.topic("t")) for name in ("one", "two"))
    one.init("one begun")
    two.init("two begun")

    def part(who: Writer, name: str = "t", *places: int, **more: Any) -> Any:
        topics = [AddPartitionsToTxnTopic(name=talk.topic(name), partitions=list(places or (0,)))]
        response = {
            "transactional_id": who.name,
            "producer_id": who.id,
            "producer_epoch": who.epoch,
            "topics": topics,
        }
        return AddPartitionsToTxnTransaction(**{**response, **more})

    def ask(label: str, *parts: Any, version: int = 4) -> None:
        label = f"{label}, {version}"
        talk.ask(label, AddPartitionsToTxnRequest(transactions=list(parts)), version)
        recorded = talk.answers[label]
        recorded["results_by_transaction"].sort(key=lambda each: each["transactional_id"])

    talk.ask("nothing at all", AddPartitionsToTxnRequest(transactions=[]), 4, SILENCE_SECONDS)
    for version in (4, 5):
        ask("no topics", part(one, topics=[]), version=version)
        ask("two", part(one), part(two, "t", 1), version=version)
        ask("one is fenced", part(one, producer_epoch=7), part(two), version=version)
        ask("one has no topic", part(one, "missing"), part(two), version=version)
        ask("some of the places", part(one, "t", 0, 9, -1), version=version)
        ask("nobody", part(one, transactional_id="nobody"), version=version)
        ask("nameless", part(one, transactional_id=""), version=version)
        ask(
            "looks",
            part(one, verify_only=True),
            part(two, "t", 1, verify_only=True),
            version=version,
        )
        ask("looks elsewhere", part(one, "t", 1, 5, verify_only=True), version=version)
        ask("looks for nobody", part(one, transactional_id="x", verify_only=True), version=version)
    one.end("one ended")
    ask("looks when it is over", part(one, verify_only=True))
    one.end("one ended again")
    one.end("one ended otherwise", commit=False)
    talk.ask("another's id", EndTxnRequest(
        transactional_id=one.name, producer_id=two.id, producer_epoch=0, committed=True), 3)  # fmt: skip
    two.end("two aborted", commit=False)
    two.end("two aborted again", commit=False)
    two.end("two committed", commit=True)
    one.init("one goes on")
    _markers(talk, one)


def _markers(talk: Talk, one: Writer) -> None:
    def mark(label: str, name: str, *places: int, **more: Any) -> None:
        topic = WritableTxnMarkerTopic(name=name, partition_indexes=list(places))
        response = {
            "producer_id": one.id,
            "producer_epoch": one.epoch,
            "transaction_result": False,
            "topics": [topic],
            "coordinator_epoch": 0,
        }
        for version in (1, 2):
            asked = WriteTxnMarkersRequest(markers=[WritableTxnMarker(**{**response, **more})])
            talk.ask(f"{label}, {version}", asked, version)
            for each in talk.answers[f"{label}, {version}"]["markers"]:
                each.pop("producer_id")

    talk.ask("no markers", WriteTxnMarkersRequest(markers=[]), 1)
    mark("marked", talk.topic("t"), 0)
    mark("no such place", talk.topic("t"), 9, -1)
    mark("no such topic", talk.topic("missing"), 0)
    mark("an epoch before", talk.topic("t"), 0, producer_epoch=one.epoch - 1)
    mark("no epoch", talk.topic("t"), 0, producer_epoch=-1)
    mark("no epoch, where it never wrote", talk.topic("t"), 1, producer_epoch=-1)
    mark("no epoch of nobody", talk.topic("t"), 0, producer_id=-1, producer_epoch=-1)
    mark("of nobody", talk.topic("t"), 0, producer_id=-1)
    mark("no epoch anywhere", talk.topic("missing"), 0, producer_epoch=-1)
    mark("an epoch to come", talk.topic("t"), 1, producer_epoch=one.epoch + 5)
    mark("back to the one before", talk.topic("t"), 1)
    mark("an older coordinator", talk.topic("t"), 0, coordinator_epoch=-1)


def transactions_listed(talk: Talk) -> None:
    """Lists by states, producers, duration and patterns; descriptions of several."""
    talk.create("t")
    one, two = (Writer(talk, name, talk.topic("t")) for name in ("one", "two"))
    one.init("one begun")
    one.add("one added")
    two.init("two begun")

    def listed(label: str, version: int = 2, **more: Any) -> None:
        response = {"state_filters": [], "producer_id_filters": [], **more}
        talk.ask(label, ListTransactionsRequest(**response), version)
        recorded = talk.answers[label]
        ours = [
            each
            for each in recorded["transaction_states"]
            if each["producer_id"] in (one.id, two.id)
        ]
        recorded["transaction_states"] = sorted(
            [{**each, "producer_id": 0} for each in ours], key=lambda each: each["transactional_id"]
        )

    for states in ([], ["Ongoing"], ["ongoing"], ["Empty", "Ongoing"], ["Nowhere"], ["Dead", ""]):
        listed(f"states {states}", state_filters=states)
    for ids in ([one.id], [one.id, two.id], [-1], [2**60]):
        listed(f"{len(ids)} producers {ids[0] > 2**50} {ids[0] < 0}", producer_id_filters=ids)
    for duration in (-1, -5, 0, 3_600_000, 2**63 - 1):
        listed(f"for {duration}", duration_filter=duration)
    for version in (0, 1):
        listed(f"version {version}", version)
    for pattern in (None, "", ".*", "one", ".*one", "(", "(?=a)", ".*-(one|two)$"):
        listed(f"pattern {pattern}", transactional_id_pattern=pattern)
    listed("all at once", state_filters=["Ongoing"], producer_id_filters=[one.id],
           duration_filter=0, transactional_id_pattern=".*e")  # fmt: skip
    _described(talk, one)
    one.end("ended")


def _described(talk: Talk, one: Writer) -> None:
    names = [one.name, "nobody", "", one.name]
    for index, each in enumerate(([], names[:1], names[1:2], names[2:3])):
        label = f"described {index}"
        talk.ask(label, DescribeTransactionsRequest(transactional_ids=each), 0)
        for state in talk.answers[label]["transaction_states"]:
            for changing in ("producer_id", "transaction_start_time_ms"):
                state.pop(changing)
    for index, places in enumerate(([], [0], [-1], [9])):
        for name in (talk.topic("t"), talk.topic("missing"), "", "a/b"):
            label = f"producers {index} of {name}"
            topic = TopicRequest(name=name, partition_indexes=places)
            talk.ask(label, DescribeProducersRequest(topics=[topic]), 0)


def names_of_transactions(talk: Talk) -> None:
    """Transactional ids that are odd, and timeouts at their ends."""
    talk.create("t")
    for name, odd in (
        ("blank", " "), ("letters", "gr\u00fc\u00dfe"), ("zero", "a\0b"), ("long", "x" * 32767),
    ):  # fmt: skip
        writer = Writer(talk, name, talk.topic("t"))
        writer.name = odd
        writer.init(f"{name} begun")
        writer.add(f"{name} added")
        writer.produce(f"{name} produced", 9)
        writer.describe(f"{name} described")
        writer.end(f"{name} ended")
    writer = Writer(talk, "times", talk.topic("t"))
    for timeout in (-1, 0, 1, 900_000, 900_001):
        writer.init(f"timeout {timeout}", transaction_timeout_ms=timeout)
    writer.init("nameless", transactional_id=None, transaction_timeout_ms=-1)
    writer.init("nameless with an id", transactional_id=None, producer_id=7, producer_epoch=3)
    for pair in ((-1, 0), (7, -1), (-2, -2), (2**62, 5)):
        who = Writer(talk, f"of {pair}", talk.topic("t"))
        who.init(f"as {pair}", producer_id=pair[0], producer_epoch=pair[1])
    two = Writer(talk, "two-phase", talk.topic("t"))
    two.init("two-phase asked", 5)


def epochs_under_another_name(talk: Talk) -> None:
    """A producer's old epoch, under the name of another: a partition that knows it refuses it first."""
    for name in ("t", "u"):
        talk.create(name)
    one, other = Writer(talk, "one", talk.topic("t")), Writer(talk, "other", talk.topic("t"))
    one.init("begun", 5)
    other.init("the other has begun", 5)
    one.produce("produced", 12)
    one.end("committed", 5)
    other.id, other.epoch = one.id, one.epoch
    for name in ("t", "u"):
        other.topic = talk.topic(name)
        for version in (9, 11, 12):
            other.sequence = 1
            other.produce(f"an old epoch in {name}, {version}", version, epoch=-1)
            other.sequence = 0
            other.produce(f"its epoch in {name}, {version}", version)


SCENARIOS = (
    positions_in_transactions,
    batches_of_transactions,
    transactions_listed,
    names_of_transactions,
    epochs_under_another_name,
)
