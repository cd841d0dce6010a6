"""Scripts about offsets of open transactions, and what becomes of them when something is deleted."""

from barnabas.protocol.add_offsets_to_txn import AddOffsetsToTxnRequest
from barnabas.protocol.delete_topics import DeleteTopicsRequest
from barnabas.protocol.list_groups import ListGroupsRequest
from barnabas.protocol.offset_fetch import OffsetFetchRequest, OffsetFetchRequestTopic
from barnabas.protocol.share_group_heartbeat import ShareGroupHeartbeatRequest
from barnabas.protocol.txn_offset_commit import (
    TxnOffsetCommitRequest,
    TxnOffsetCommitRequestPartition,
    TxnOffsetCommitRequestTopic,
)
from tests.interop.differential.group_apis.groups import Person
from tests.interop.differential.talk import Talk
from tests.interop.differential.transactions import Writer


class Case:
    """A group of its own, and who commits offsets for it in a transaction."""

    def __init__(self, talk: Talk, writer: Writer, name: str, topic: str = "t") -> None:
        self.talk, self.writer, self.name = talk, writer, name
        self.topic = talk.topic(topic)
        self.person = Person(talk, talk.topic(name.replace(" ", "-")))

    def opens(self, *, offset: int = 9, member: str = "", writer: Writer | None = None) -> None:
        who = writer or self.writer
        label = f"{self.name}: {who.name[-3:]} {offset} {member}"
        add = AddOffsetsToTxnRequest(
            transactional_id=who.name,
            producer_id=who.id,
            producer_epoch=who.epoch,
            group_id=self.person.group,
        )
        self.talk.ask(f"{label}, added", add, 3)
        places = [
            TxnOffsetCommitRequestPartition(
                partition_index=one, committed_offset=offset, committed_metadata=None
            )
            for one in (0, 1)
        ]
        commit = TxnOffsetCommitRequest(
            transactional_id=who.name,
            group_id=self.person.group,
            producer_id=who.id,
            producer_epoch=who.epoch,
            generation_id_or_member_epoch=3 if member else -1,
            member_id=member,
            topics=[TxnOffsetCommitRequestTopic(name=self.topic, partitions=places)],
        )
        self.talk.ask(label, commit, 3)

    def ends(self, writer: Writer | None = None) -> None:
        who = writer or self.writer
        who.end(f"{self.name}: {who.name[-3:]} ended")
        self.sees(f"{who.name[-3:]} at the end")
        self.lists(f"{who.name[-3:]} at the end")

    def asked(self, *, stable: bool = False) -> OffsetFetchRequest:
        topic = OffsetFetchRequestTopic(name=self.topic, partition_indexes=[0, 1])
        return OffsetFetchRequest(group_id=self.person.group, topics=[topic], require_stable=stable)

    def sees(self, label: str, *, stable: bool = False) -> None:
        self.talk.ask(f"{self.name}: offsets {label}", self.asked(stable=stable), 7)

    def lists(self, label: str) -> None:
        label = f"{self.name}: listed {label}"
        self.talk.ask(label, ListGroupsRequest(states_filter=[], types_filter=[]), 5)
        recorded = self.talk.answers[label]
        recorded["groups"] = [
            one for one in recorded["groups"] if one["group_id"] == self.person.group
        ]

    def commits(self, label: str = "commits", version: int = 7) -> None:
        self.talk.ask(f"{self.name}: {label}", self.person.commit(self.topic), version)

    def forgets(self) -> None:
        self.talk.ask(f"{self.name}: forgets", self.person.forget(self.topic), 0)

    def deletes(self) -> None:
        self.talk.ask(f"{self.name}: deletes", self.person.delete(), 2)


def _writer(talk: Talk, name: str) -> Writer:
    writer = Writer(talk, name, talk.topic("t"))
    writer.init(f"{name} begun")
    return writer


def pending_offsets(talk: Talk) -> None:
    """A group, an offset, a topic is deleted while a transaction is open, which then commits."""
    talk.create("t", partitions=2)
    writer = _writer(talk, "one")
    for plain in (False, True):
        which = "both" if plain else "pending"
        for what in ("deletes", "forgets"):
            case = Case(talk, writer, f"{which} {what}")
            case.opens()
            case.lists("while open")
            if plain:
                case.commits()
            getattr(case, what)()
            case.sees("then")
            case.ends()
        talk.create(which, partitions=2)
        case = Case(talk, writer, f"{which} topic", which)
        # What is committed shows when Kafka's coordinator knows that the topic is gone.
        case.commits("commits first")
        case.opens()
        if plain:
            case.commits()
        delete = DeleteTopicsRequest(topic_names=[talk.topic(which)], timeout_ms=10_000)
        talk.ask(f"{which} topic deleted", delete, 5)
        talk.wait(
            case.asked(),
            7,
            lambda response: response.topics[0].partitions[0].committed_offset == -1,
        )
        talk.create(which, partitions=2)
        case.ends()


def unstable_offsets(talk: Talk) -> None:
    """Which commit counts of several, and what is stable."""
    talk.create("t", partitions=2)
    one, two = _writer(talk, "one"), _writer(talk, "two")
    case = Case(talk, one, "plain later")
    case.opens(member="nobody")
    case.opens()
    case.opens(offset=5, member="nobody")
    case.commits()
    case.sees("while open, stable", stable=True)
    case.sees("while open")
    case.ends()
    case.sees("at last, stable", stable=True)
    case = Case(talk, one, "two")
    case.opens()
    case.opens(offset=4, writer=two)
    case.ends(two)
    case.sees("one is open, stable", stable=True)
    case.ends(one)
    case.sees("at last, stable", stable=True)


def offsets_of_share_groups(talk: Talk) -> None:
    """A name that a share group has takes no offsets."""
    talk.create("t", partitions=2)
    case = Case(talk, _writer(talk, "one"), "share")

    def beat(epoch: int) -> ShareGroupHeartbeatRequest:
        return ShareGroupHeartbeatRequest(
            group_id=case.person.group,
            member_id="somebody",
            member_epoch=epoch,
            subscribed_topic_names=None if epoch else [case.topic],
        )

    # Until it has something Kafka is still about to begin the group there.
    talk.wait(
        beat(0), 1, lambda response: response.assignment and response.assignment.topic_partitions
    )
    case.commits("with a member")
    talk.wait(beat(-1), 1, lambda response: not response.error_code)
    case.commits("commits 2", 2)
    case.commits("commits 7", 7)
    case.commits("commits 9", 9)
    case.opens()
    case.opens(member="nobody")
    case.forgets()
    case.sees("kept")
    case.sees("kept, stable", stable=True)
    case.ends()
    case.deletes()
    case.lists("when deleted")


SCENARIOS = (pending_offsets, unstable_offsets, offsets_of_share_groups)
