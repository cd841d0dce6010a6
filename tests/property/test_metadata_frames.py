"""Replies to Metadata out of kept topics are those of the generated codec, byte for byte."""

from copy import copy

from hypothesis import given
from hypothesis import strategies as st

from barnabas.dialects.kafka.metadata_frames import KeptTopic, write_metadata
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.headers import encode_response
from barnabas.protocol.metadata import (
    MetadataResponse,
    MetadataResponseBroker,
    MetadataResponsePartition,
    MetadataResponseTopic,
)

INT32 = st.integers(-(2**31), 2**31 - 1)
NODES = st.lists(INT32, max_size=3)
TOPICS = st.builds(
    MetadataResponseTopic,
    error_code=st.integers(-1, 130),
    name=st.text(max_size=5) | st.just("n" * 249),
    topic_id=st.binary(min_size=16, max_size=16),
    is_internal=st.booleans(),
    partitions=st.lists(
        st.builds(
            MetadataResponsePartition,
            error_code=st.integers(-1, 130),
            partition_index=INT32,
            leader_id=INT32,
            leader_epoch=INT32,
            replica_nodes=NODES,
            isr_nodes=NODES,
            offline_replicas=NODES,
        ),
        max_size=3,
    ),
    topic_authorized_operations=INT32,
)
RESPONSES = st.builds(
    MetadataResponse,
    throttle_time_ms=INT32,
    brokers=st.lists(
        st.builds(MetadataResponseBroker, node_id=INT32, host=st.text(max_size=5), port=INT32),
        max_size=2,
    ),
    cluster_id=st.none() | st.text(max_size=5),
    controller_id=INT32,
    topics=st.lists(TOPICS, max_size=4),
    cluster_authorized_operations=INT32,
    error_code=st.integers(-1, 130),
)


@given(message=RESPONSES, version=st.integers(0, 13), number=INT32, data=st.data())
def test_kept_topics_are_written_as_the_codec_writes_them(
    message: MetadataResponse, version: int, number: int, data: st.DataObject
) -> None:
    kept = copy(message)
    kept.topics = [
        KeptTopic.of(topic) if data.draw(st.booleans()) else topic for topic in message.topics
    ]
    expected = encode_response(ApiKey.METADATA, version, number, message).joined()
    for _ in range(2):
        assert write_metadata(version, number, kept).joined() == expected


def test_many_topics_have_a_longer_count() -> None:
    topic = MetadataResponseTopic(error_code=0, name="t", partitions=[])
    message = MetadataResponse(brokers=[], topics=[KeptTopic.of(topic)] * 1000)
    for version in range(14):
        expected = encode_response(ApiKey.METADATA, version, 1, message).joined()
        assert write_metadata(version, 1, message).joined() == expected
