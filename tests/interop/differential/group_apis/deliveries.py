"""Scripts about what members of share groups get at once: of new records, and of those that come back."""

import time
from typing import Any

from barnabas.protocol.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from barnabas.protocol.share_group_heartbeat import ShareGroupHeartbeatRequest
from barnabas.records.batches.builder import BatchBuilder
from barnabas.records.codecs.compression import Codec
from tests.interop.differential.group_apis.consumer_groups import settled
from tests.interop.differential.group_apis.sharing import MEMBER, RENEW, Acknowledged, Member
from tests.interop.differential.resources import GROUP, SET, changed
from tests.interop.differential.talk import PATIENCE_SECONDS, Talk

ACCEPT, RELEASE = 1, 2
_MOST = 1000
_STRICTLY = 1
_SIZES = 10, 1, 2, 3, 4, 10
Row = tuple[int, int, int]
"""First and last of what was acquired, and how often it was delivered."""


class Reader(Member):
    """Begins at the end, with offsets counted from there."""

    def __init__(self, talk: Talk, topic_id: bytes) -> None:
        super().__init__(talk, topic_id, 2)
        count = self.acquire()
        self.tell((0, count - 1, [ACCEPT]))
        self.first += count

    def write(self, *counts: int) -> None:
        """Batches of so many records."""
        for count in counts:
            builder = BatchBuilder(Codec.NONE, 100_000)
            for _ in range(count):
                builder.append(1_700_000_000_000, None, b"a record")
            part = PartitionProduceData(index=0, records=builder.build())
            topic = TopicProduceData(name=self.talk.topic("dogs"), partition_data=[part])
            asked = ProduceRequest(acks=-1, timeout_ms=5000, topic_data=[topic])
            self.talk.wait(asked, 9, lambda _answer: True)

    def rows(self, **limits: Any) -> list[Row]:
        """What a fetch acquires, by its response."""
        limits = {"max_records": _MOST, "batch_size": _MOST} | limits
        request = self.request()
        for name, value in limits.items():
            setattr(request, name, value)
        answer = self.talk.wait(request, self.version, lambda _answer: True)
        assert not answer.error_code, answer.error_code
        return [
            (row.first_offset - self.first, row.last_offset - self.first, row.delivery_count)
            for topic in answer.responses
            for one in topic.partitions
            for row in one.acquired_records
        ]

    def joined(self, **limits: Any) -> list[Row]:
        """The same, with neighbours in one row: Kafka tells some one by one."""
        found: list[Row] = []
        for first, last, count in self.rows(**limits):
            if found and found[-1][1:] == (first - 1, count):
                found[-1] = found[-1][0], last, count
            else:
                found.append((first, last, count))
        return found

    def taken(self, **limits: Any) -> list[Row]:
        """The same, once there is something: what is given back may be on its way."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not (found := self.joined(**limits)):
            assert time.monotonic() < deadline, "nothing was acquired"
        return found

    def tell(self, *response: Acknowledged) -> None:
        """Acknowledge; nothing is compared but that it is taken."""
        label = f"reported at {self.epoch}"
        self.say(label, *response)
        answer = self.talk.answers.pop(f"{label} in {self.version}")
        assert not answer["error_code"], answer
        places = [one for topic in answer["responses"] for one in topic["partitions"]]
        assert not any(one["error_code"] for one in places), answer


def new_records(talk: Talk) -> None:
    """How records that nobody had are acquired: by lots of a size that the client wishes."""
    topic_id = talk.create("dogs")
    with talk.one_connection():
        reader = Reader(talk, topic_id)
        for label, limits in (
            ("fewer than a batch", {"max_records": 5, "batch_size": 5}),
            ("some in lots", {"max_records": 14, "batch_size": 3}),
            ("in lots", {"batch_size": 4}),
            ("lots of many", {"batch_size": 10}),
            ("all", {}),
            ("strictly", {"max_records": 7, "batch_size": 2, "share_acquire_mode": _STRICTLY}),
        ):
            reader.write(*_SIZES)
            end = sum(_SIZES) - 1
            got: list[list[Row]] = []
            while not got or got[-1][-1][1] < end:
                if rows := reader.rows(**limits):
                    got.append(rows)
            talk.answers[label] = [*got, reader.rows(**limits)]
            reader.tell((0, end, [RELEASE]))
            talk.answers[f"{label}, again"] = reader.taken(max_records=1)
            talk.answers[f"{label}, and the others"] = reader.joined()
            reader.tell((0, end, [ACCEPT]))
            reader.first += end + 1


def _until_done(talk: Talk, reader: Reader, label: str, spoiled: set[int]) -> None:
    """A reader that crashes at some records, with others acquired."""
    got: list[list[Row]] = []
    idle = 0
    while idle < 2:
        rows = reader.joined()
        idle = 0 if rows else idle + 1
        if not rows:
            continue
        got.append(rows)
        offsets = {each for first, last, _count in rows for each in range(first, last + 1)}
        kind = RELEASE if offsets & spoiled else ACCEPT
        reader.tell(*((first, last, [kind]) for first, last, _count in rows))
    talk.answers[label] = got


def spoiled_records(talk: Talk) -> None:
    """Records at which every reader crashes: how they are delivered, and how the others are."""
    topic_id = talk.create("dogs")
    for limit in (2, 3, 5, 8):
        group = talk.topic("group-2")
        settings = (("share.delivery.count.limit", SET, str(limit)),)
        talk.wait(
            changed(GROUP, group, *settings),
            1,
            lambda response: not response.responses[0].error_code,
        )
        settled(talk)
        with talk.one_connection():
            reader = Reader(talk, topic_id)
            for label, sizes, spoiled in (
                ("one of ten", (10,), {4}),
                ("the first and the last", (10,), {0, 9}),
                ("one of many", (64,), {41}),
                ("in one of three", (5, 5, 5), {7}),
            ):
                reader.write(*sizes)
                _until_done(talk, reader, f"{label}, at most {limit} times", spoiled)
                reader.first += sum(sizes)
            # A session that was lost, Kafka may forget when the next one has begun.
            reader.epoch = -1
            reader.tell()


def who_leaves(talk: Talk) -> None:
    """A member that leaves has in hand what it had, until its session ends."""
    topic_id = talk.create("dogs")
    with talk.one_connection():
        reader = Reader(talk, topic_id)
        reader.write(4, 4)
        talk.answers["taken"] = reader.taken()
        leaves = ShareGroupHeartbeatRequest(
            group_id=reader.group,
            member_id=MEMBER,
            member_epoch=-1,
            subscribed_topic_names=None,
        )
        talk.ask("leaves", leaves, 1)
        reader.say("accepted after it left", (0, 2, [ACCEPT]))
        talk.answers["taken after it left"] = reader.joined()
        reader.say("released after it left", (3, 4, [RELEASE]))
        talk.answers["taken again after it left"] = reader.taken()
        reader.epoch = -1
        reader.say("accepted at the end", (3, 3, [ACCEPT]))
        reader.say("accepted after the end", (4, 4, [ACCEPT]))
        reader.epoch = 0
        talk.answers["taken by who never joined"] = reader.taken()


def unknown_modes(talk: Talk) -> None:
    """Ways to acquire that there are not: with acknowledgements, and where nothing is acquired."""
    topic_id = talk.create("dogs")
    with talk.one_connection():
        reader = Reader(talk, topic_id)
        reader.write(4, 4)
        talk.answers["taken"] = reader.taken()

        def ask(label: str, mode: int, *response: Acknowledged, **more: Any) -> None:
            request = reader.request(response)
            for name, value in ({"share_acquire_mode": mode} | more).items():
                setattr(request, name, value)
            talk.ask(label, request, reader.version)

        ask("of mode 2", 2)
        ask("of mode -1", -1)
        ask("with an acknowledgement", 2, (2, 2, [ACCEPT]))
        reader.say("acknowledged again", (2, 2, [ACCEPT]))
        nothing = {"max_wait_ms": 0, "min_bytes": 0, "max_bytes": 0, "max_records": 0}
        ask("of a renewal", 2, (1, 1, [RENEW]), is_renew_ack=True, **nothing)
        ask("that closes", 2, (1, 1, [ACCEPT]), share_session_epoch=-1)
        reader.epoch = 0
        ask("that opens", 2)
        reader.say("that was opened")


SCENARIOS = (new_records, spoiled_records, who_leaves, unknown_modes)
