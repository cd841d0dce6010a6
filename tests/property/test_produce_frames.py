"""The direct reading and writing of Produce agrees with the generated codecs, byte for byte."""

from hypothesis import given
from hypothesis import strategies as st

from barnabas.dialects.commands import Append, Appended, Produce
from barnabas.dialects.kafka.produce import produce_command, produce_response
from barnabas.dialects.kafka.produce_frames import ProduceReply, read_head
from barnabas.errors import DecodeError, ErrorCode
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.headers import encode_response
from barnabas.protocol.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from barnabas.wire.compiler import Codec

VERSIONS = st.integers(3, 13)
NAMES = st.text(min_size=1, max_size=200).filter(lambda text: len(text.encode()) < 1000)
INT32 = st.integers(-(2**31), 2**31 - 1)
INT64 = st.integers(-(2**63), 2**63 - 1)
NO_ID = bytes(16)
IDS = st.binary(min_size=16, max_size=16)


@st.composite
def requests(draw: st.DrawFn) -> ProduceRequest:
    partitions = st.builds(
        PartitionProduceData,
        index=INT32,
        records=st.none() | st.binary(max_size=300) | st.just(bytes(20_000)),
    )
    topics = st.builds(
        TopicProduceData,
        name=NAMES,
        topic_id=IDS,
        partition_data=st.lists(partitions, min_size=1, max_size=4),
    )
    return ProduceRequest(
        transactional_id=draw(st.none() | st.just("") | NAMES),
        acks=draw(st.integers(-2, 2)),
        timeout_ms=draw(INT32),
        topic_data=draw(st.lists(topics, max_size=2)),
    )


def read_directly(frame: memoryview, position: int, version: int, *, zstd: bool) -> Produce | None:
    head = read_head(frame, position, version, zstd=zstd)
    return None if head is None else head.read(frame)


@given(request=requests(), version=VERSIONS)
def test_what_is_read_directly_is_what_the_codec_reads(
    request: ProduceRequest, version: int
) -> None:
    codec = Codec.of(ProduceRequest, version)
    frame = memoryview(b"header" + codec.encode(request))
    expected = produce_command(codec.decode(frame, 6)[0], version)
    found = read_directly(frame, 6, version, zstd=expected.zstd)
    assert found is None or found == expected
    topics = request.topic_data
    if len(topics) == 1 and all(one.records is not None for one in topics[0].partition_data):
        short = version < 9 or version > 12 or len(topics[0].name.encode()) < 127
        short_id = version < 9 or len((request.transactional_id or "").encode()) < 127
        assert (found is not None) == (short and short_id)


@given(data=st.binary(max_size=80), version=VERSIONS)
def test_what_no_codec_reads_is_not_read(data: bytes, version: int) -> None:
    found = read_directly(memoryview(data), 0, version, zstd=True)
    if found is not None:
        try:
            message, _ = Codec.of(ProduceRequest, version).decode(memoryview(data), 0)
        except DecodeError as error:
            raise AssertionError(f"read directly as {found}") from error
        assert produce_command(message, version)._replace(zstd=True) == found


ANSWERS = st.builds(
    Appended,
    st.sampled_from(ErrorCode),
    *(INT64, INT64, INT64),
    message=st.none() | st.none() | st.just("why"),
)


@given(
    version=VERSIONS,
    correlation_id=INT32,
    topic=NAMES,
    topic_id=IDS,
    rows=st.lists(st.tuples(INT32, ANSWERS), min_size=1, max_size=4),
)
def test_what_is_written_directly_is_what_the_codec_writes(
    version: int, correlation_id: int, topic: str, topic_id: bytes, rows: list[tuple[int, Appended]]
) -> None:
    assert ProduceReply.can_say(version, topic) or 9 <= version <= 12
    if ProduceReply.can_say(version, topic):
        appends = [Append(topic, topic_id, index, None) for index, _ in rows]
        answers = [answer for _, answer in rows]
        reply = ProduceReply(version, topic, topic_id)
        written = reply.write(correlation_id, appends, answers, {})
        assert (written is None) == any(
            answer.message or answer.record_errors for answer in answers
        )
        if written is not None:
            command = Produce(1, 1000, None, zstd=True, appends=appends)
            # Beyond version 3 no code is narrowed, and the layout is what is compared here.
            response = produce_response(command, answers, max(version, 4))
            expected = encode_response(ApiKey.PRODUCE, version, correlation_id, response).joined()
            assert written == expected


def test_a_reply_about_another_topic_is_left_to_the_codec() -> None:
    reply = ProduceReply(7, "cats", NO_ID)
    appends = [Append("cats", NO_ID, 0, None), Append("dogs", NO_ID, 0, None)]
    assert reply.write(1, appends, [Appended(ErrorCode.NONE)] * 2, {}) is None
