"""Scripts about topics that a member of a share group names and that are not there, or not for it."""

from collections.abc import Sequence

from barnabas.protocol import share_acknowledge, share_fetch
from barnabas.protocol.delete_topics import DeleteTopicsRequest
from barnabas.protocol.describe_log_dirs import DescribableLogDirTopic, DescribeLogDirsRequest
from barnabas.protocol.metadata import MetadataRequest, MetadataRequestTopic
from barnabas.protocol.share_acknowledge import ShareAcknowledgeRequest
from tests.interop.differential.group_apis.sharing import MEMBER, Member
from tests.interop.differential.talk import Talk

NOWHERE = b"\1" * 16
OPENS, CLOSES = 0, -1
UNKNOWN_TOPIC = 3
Place = tuple[bytes, Sequence[int]]
"""A topic's id, and which of the records it acquired the member accepts there."""


class Stray(Member):
    """Asks for partition 0 of topics that it may not have. Epochs count up where none is given."""

    def fetch_from(
        self,
        label: str,
        *places: Place,
        epoch: int | None = None,
        forgets: Sequence[bytes] = (),
        renews: bool = False,
    ) -> None:
        """In answers only that is kept which does not go by how many records there are."""
        request = self.request()
        if epoch is not None:
            request.share_session_epoch, self.epoch = epoch, epoch + 1
        if renews:
            request.max_wait_ms = request.min_bytes = request.max_bytes = request.max_records = 0
        request.is_renew_ack = renews
        request.topics = [
            share_fetch.FetchTopic(
                topic_id=topic_id,
                partitions=[
                    share_fetch.FetchPartition(
                        partition_index=0,
                        acknowledgement_batches=[
                            share_fetch.AcknowledgementBatch(
                                first_offset=self.first + one,
                                last_offset=self.first + one,
                                acknowledge_types=[1],
                            )
                            for one in accepted
                        ],
                    )
                ],
            )
            for topic_id, accepted in places
        ]
        request.forgotten_topics_data = [
            share_fetch.ForgottenTopic(topic_id=topic_id, partitions=[0]) for topic_id in forgets
        ]
        label = f"{label}, fetched in {self.version}"
        self.talk.ask(label, request, self.version)
        for topic in self.talk.answers[label]["responses"]:
            for one in topic["partitions"]:
                one.pop("records")
                rows = one.pop("acquired_records")
                one["deliveries"] = sorted({row["delivery_count"] for row in rows})

    def accept(self, label: str, *places: Place, epoch: int | None = None) -> None:
        """The same by itself."""
        if epoch is not None:
            self.epoch = epoch
        topics = [
            share_acknowledge.AcknowledgeTopic(
                topic_id=topic_id,
                partitions=[
                    share_acknowledge.AcknowledgePartition(
                        partition_index=0,
                        acknowledgement_batches=[
                            share_acknowledge.AcknowledgementBatch(
                                first_offset=self.first + one,
                                last_offset=self.first + one,
                                acknowledge_types=[1],
                            )
                            for one in accepted
                        ],
                    )
                ],
            )
            for topic_id, accepted in places
        ]
        request = ShareAcknowledgeRequest(
            group_id=self.group,
            member_id=MEMBER,
            share_session_epoch=self.epoch,
            topics=topics,
        )
        self.talk.ask(f"{label} in {self.version}", request, self.version)
        self.epoch += 1


def unknown_shared_topics(talk: Talk) -> None:
    """Ids that nobody knows, in a middle, the final and the first epoch of a session."""
    dogs = talk.create("dogs")
    for version in (1, 2):
        with talk.one_connection():
            stray = Stray(talk, dogs, version)
            stray.acquire()
            stray.accept("accepted nowhere", (NOWHERE, [0]))
            stray.accept("accepted here and nowhere", (dogs, [2]), (NOWHERE, [0]))
            stray.fetch_from("here and nowhere", (dogs, []), (NOWHERE, []))
            stray.fill()
            stray.fetch_from("with new records")
            stray.fetch_from("accepted nowhere", (NOWHERE, [0]))
            stray.fetch_from("accepted here", (dogs, [1]))
            stray.accept("accepted here again", (dogs, [1]))
            if version > 1:
                stray.fetch_from("renewed", (NOWHERE, [0]), renews=True)
            stray.fetch_from("forgotten", forgets=[NOWHERE])
            stray.fetch_from("nowhere in the middle", (NOWHERE, []))
            stray.fetch_from("nowhere at the end", (NOWHERE, [0]), epoch=CLOSES)
            stray.fetch_from("after the end", epoch=1)
            stray.fetch_from("nowhere at first", (NOWHERE, []), epoch=OPENS)
            stray.fetch_from("the same again")
            stray.fetch_from("accepted at first", (NOWHERE, [0]), epoch=OPENS)
            stray.fetch_from("no id at all", (bytes(16), []), epoch=OPENS)
            stray.accept("accepted nowhere at the end", (NOWHERE, [0]), epoch=CLOSES)
            stray.accept("accepted nowhere at first", (NOWHERE, [0]), epoch=OPENS)


def deleted_shared_topics(talk: Talk) -> None:
    """A topic that is deleted while a session has it."""
    dogs, cats = talk.create("dogs"), talk.create("cats")
    with talk.one_connection():
        stray = Stray(talk, dogs, 2)
        stray.acquire()
        request = stray.request()
        place = share_fetch.FetchPartition(partition_index=0, acknowledgement_batches=[])
        request.topics = [share_fetch.FetchTopic(topic_id=cats, partitions=[place])]
        talk.wait(request, 2, lambda _answer: True)
        gone = DeleteTopicsRequest(topic_names=[talk.topic("cats")], timeout_ms=10_000)
        talk.wait(gone, 5, lambda response: not response.responses[0].error_code)
        asked = [MetadataRequestTopic(name=talk.topic("cats"))]
        talk.wait(
            MetadataRequest(topics=asked, allow_auto_topic_creation=False),
            12,
            lambda response: response.topics[0].error_code == UNKNOWN_TOPIC,
        )
        # Kafka's broker says that it is gone before it has let go of it.
        held = DescribableLogDirTopic(topic=talk.topic("cats"), partitions=[0])
        talk.wait(
            DescribeLogDirsRequest(topics=[held]),
            4,
            lambda response: not any(one.topics for one in response.results),
        )
        stray.fetch_from("as before")
        stray.accept("accepted of it", (cats, [0]))
        stray.fetch_from("accepted of another", (dogs, [2]))
        stray.accept("accepted of another again", (dogs, [2]))
        stray.fetch_from("forgotten", forgets=[cats])
        stray.fetch_from("after that")
        stray.fetch_from("at the end", (cats, [0]), epoch=CLOSES)


def unsubscribed_shared_topics(talk: Talk) -> None:
    """A topic that is there and that nobody in the group subscribes to, alone and beside another."""
    dogs, cats = talk.create("dogs"), talk.create("cats")
    for version in (1, 2):
        with talk.one_connection():
            stray = Stray(talk, dogs, version)
            stray.acquire()
            stray.accept("accepted of it unread", (cats, [0]))
            stray.fetch_from("added", (cats, []))
            stray.fetch_from("with the other", (dogs, []), (cats, []))
            stray.accept("accepted of both", (dogs, [0]), (cats, [0]))
            stray.fetch_from("accepted of it", (cats, [0]))
            stray.fill()
            stray.fetch_from("with new records")
            recorded = talk.answers[f"with new records, fetched in {version}"]
            # Kafka does not wait for the refusal of one when it has records of the other.
            recorded["responses"] = [
                one for one in recorded["responses"] if one["topic_id"] == "id of dogs"
            ]
            stray.fetch_from("forgotten", forgets=[cats])
            stray.fetch_from("by itself", (cats, []), epoch=OPENS)
            stray.fetch_from("by itself again")
            stray.fetch_from("at the end", (cats, []), epoch=CLOSES)


SCENARIOS = (unknown_shared_topics, deleted_shared_topics, unsubscribed_shared_topics)
