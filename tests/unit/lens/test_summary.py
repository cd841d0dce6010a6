"""One line about a frame."""

from barnabas.lens.languages.kafka import KafkaLens
from barnabas.lens.summary import brief
from barnabas.lens.walks.part import RequestSummary
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.headers import RequestHeader, encode_request, encode_response
from barnabas.protocol.produce import (
    PartitionProduceData,
    PartitionProduceResponse,
    ProduceRequest,
    ProduceResponse,
    TopicProduceData,
    TopicProduceResponse,
)
from tests.record_batches import make_batch

LENS = KafkaLens()


def test_topics_and_records_of_a_request() -> None:
    parts = [PartitionProduceData(index=at, records=bytes(make_batch(3))) for at in range(2)]
    topics = [TopicProduceData(name=f"t{at}", partition_data=parts) for at in range(4)]
    message = ProduceRequest(acks=1, timeout_ms=1, topic_data=topics)
    frame = encode_request(RequestHeader(ApiKey.PRODUCE, 7, 9, "me"), message).joined()
    given = brief(LENS.request(frame))
    assert given == f"Produce v7 #9 'me' {len(frame)} bytes, t0, t1, t2, 1 more topics, 24 records"


def test_errors_and_mistakes_of_a_response() -> None:
    part = PartitionProduceResponse(index=0, error_code=6, base_offset=-1)
    topic = TopicProduceResponse(name="t", partition_responses=[part])
    frame = encode_response(ApiKey.PRODUCE, 0, 9, ProduceResponse(responses=[topic])).joined()
    asked = RequestSummary(ApiKey.PRODUCE, 0, 9)
    assert brief(LENS.response(frame, asked)).endswith(" bytes, t, NOT_LEADER_OR_FOLLOWER")
    cut = brief(LENS.response(frame[:-1], asked))
    assert ", mistake at byte 0: size: " in cut
