from time import sleep

from barnabas.errors import ErrorCode
from barnabas.protocol.end_txn import EndTxnRequest, EndTxnResponse
from barnabas.protocol.init_producer_id import InitProducerIdRequest, InitProducerIdResponse
from barnabas.protocol.produce import (
    PartitionProduceData,
    ProduceRequest,
    ProduceResponse,
    TopicProduceData,
)
from barnabas.records.batches.builder import BatchBuilder
from barnabas.records.codecs.compression import Codec
from barnabas.testing import EmbeddedBroker
from tests.unit.broker.raw_client import RawClient


def begun(client: RawClient, name: str) -> int:
    asked = InitProducerIdRequest(transactional_id=name, transaction_timeout_ms=60_000)
    response = client.ask(asked, 4, InitProducerIdResponse)
    assert (response.error_code, response.producer_epoch) == (ErrorCode.NONE, 0)
    return response.producer_id


def produce(client: RawClient, name: str, topic: str, producer_id: int, sequence: int) -> int:
    builder = BatchBuilder(Codec.NONE, 1000)
    builder.append(1_700_000_000_000, None, b"a record")
    data = builder.build(producer_id, 0, sequence, transactional=True)
    part = PartitionProduceData(index=0, records=data)
    asked = ProduceRequest(
        transactional_id=name,
        acks=-1,
        timeout_ms=5000,
        topic_data=[TopicProduceData(name=topic, partition_data=[part])],
    )
    response = client.ask(asked, 12, ProduceResponse)
    return response.responses[0].partition_responses[0].error_code


def test_what_takes_part_first_waits_until_that_counts() -> None:
    """Only what the disk has counts here: the first request cannot wait for it, and comes again."""
    settings = {"log.flush.interval.messages": "1"}
    with EmbeddedBroker(settings) as broker, RawClient(broker.port) as client:
        broker.create_topic("dogs")
        one = begun(client, "one")
        codes = [produce(client, "one", "dogs", one, 0)]
        while codes[-1] == ErrorCode.CONCURRENT_TRANSACTIONS and len(codes) < 1000:
            sleep(0.01)
            codes.append(produce(client, "one", "dogs", one, 0))
    assert codes[0] == ErrorCode.CONCURRENT_TRANSACTIONS
    assert codes[-1] == ErrorCode.NONE


def test_a_partition_that_knows_a_later_epoch_refuses_it_before_the_coordinator_is_asked() -> None:
    with EmbeddedBroker() as broker, RawClient(broker.port) as client:
        for topic in ("dogs", "cats"):
            broker.create_topic(topic)
        one = begun(client, "one")
        begun(client, "other")
        assert produce(client, "one", "dogs", one, 0) == ErrorCode.NONE
        ends = EndTxnRequest(
            transactional_id="one", producer_id=one, producer_epoch=0, committed=True
        )
        assert client.ask(ends, 5, EndTxnResponse).producer_epoch == 1
        codes = [produce(client, "other", topic, one, 1) for topic in ("dogs", "cats")]
    assert codes == [ErrorCode.INVALID_PRODUCER_EPOCH, ErrorCode.INVALID_PRODUCER_ID_MAPPING]
