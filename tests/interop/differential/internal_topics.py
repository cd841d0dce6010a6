"""A script about topics that coordinators keep things in, and who may write there."""

from barnabas.protocol.find_coordinator import FindCoordinatorRequest
from barnabas.protocol.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from barnabas.records.batches.builder import BatchBuilder
from barnabas.records.codecs.compression import Codec
from tests.interop.differential.talk import Talk
from tests.interop.differential.transactions import Writer


def internal_topics(talk: Talk) -> None:
    """Nobody writes into the topics of coordinators, in a transaction or not."""
    talk.create("dogs")
    writer = Writer(talk, "six", talk.topic("dogs"))
    writer.init("begun")
    writer.add("added")
    inside = Writer(talk, "six", "__transaction_state")
    inside.id, inside.epoch = writer.id, writer.epoch
    for version in (1, 3):
        inside.add(f"add internal, version {version}", version)
    inside.add("add internal that is not there", topic="__share_group_state_of_nobody")
    for version in (3, 9, 11, 12):
        inside.produce(f"in a transaction, version {version}", version)
    writer.describe("open")
    writer.end("ended", commit=False)
    talk.wait(
        FindCoordinatorRequest(key="g", key_type=0), 3, lambda response: not response.error_code
    )
    for name in (inside.topic, "__consumer_offsets"):
        for index in (0, 999):
            for version in (3, 9, 12):
                builder = BatchBuilder(Codec.NONE, 1000)
                builder.append(1_700_000_000_000, b"\x00\x01garbage", b"\x00\x09garbage")
                part = PartitionProduceData(index=index, records=builder.build())
                topic = TopicProduceData(name=name, partition_data=[part])
                talk.ask(
                    f"{name}-{index}, version {version}",
                    ProduceRequest(acks=-1, timeout_ms=5000, topic_data=[topic]),
                    version,
                )


SCENARIOS = (internal_topics,)
