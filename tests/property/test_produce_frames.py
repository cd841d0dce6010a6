"""The direct reading and writing of Produce agrees with the generated codecs, byte for byte."""

from hypothesis import given
from hypothesis import strategies as st

from barnabas.dialects.commands import Append, Appended, Produce
from barnabas.dialects.kafka.produce import produce_command, produce_response
from barnabas.dialects.kafka.produce_frames import read_one, write_one
from barnabas.errors import DecodeError, ErrorCode
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.headers import encode_response
from barnabas.protocol.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from barnabas.wire.compiler import Codec

VERSIONS = st.integers(3, 13)
NAMES = st.text(min_size=1, max_size=200).filter(lambda text: len(text.encode()) < 1000)
INT32 = st.integers(-(2**31), 2**31 - 1)
INT64 = st.integers(-(2**63), 2**63 - 1)
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
        partition_data=st.lists(partitions, min_size=1, max_size=2),
    )
    return ProduceRequest(
        transactional_id=draw(st.sampled_from([None, None, "", "t"])),
        acks=draw(st.integers(-2, 2)),
        timeout_ms=draw(INT32),
        topic_data=draw(st.lists(topics, max_size=2)),
    )


@given(request=requests(), version=VERSIONS)
def test_what_is_read_directly_is_what_the_codec_reads(
    request: ProduceRequest, version: int
) -> None:
    codec = Codec.of(ProduceRequest, version)
    frame = memoryview(b"header" + codec.encode(request))
    expected = produce_command(codec.decode(frame, 6)[0], version)
    found = read_one(frame, 6, version, zstd=expected.zstd)
    assert found is None or found == expected
    topics = request.topic_data
    one = len(topics) == 1 and len(topics[0].partition_data) == 1
    if one and request.transactional_id is None and topics[0].partition_data[0].records is not None:
        short = version < 9 or version > 12 or len(topics[0].name.encode()) < 127
        assert (found is not None) == short


@given(data=st.binary(max_size=80), version=VERSIONS)
def test_what_no_codec_reads_is_not_read(data: bytes, version: int) -> None:
    found = read_one(memoryview(data), 0, version, zstd=True)
    if found is not None:
        try:
            message, _ = Codec.of(ProduceRequest, version).decode(memoryview(data), 0)
        except DecodeError as error:
            raise AssertionError(f"read directly as {found}") from error
        assert produce_command(message, version)._replace(zstd=True) == found


@given(
    version=VERSIONS,
    correlation_id=INT32,
    append=st.builds(Append, NAMES, IDS, INT32, st.none()),
    answer=st.builds(
        Appended,
        st.sampled_from(ErrorCode),
        *(INT64, INT64, INT64),
        message=st.none() | st.just("why"),
    ),
)
def test_what_is_written_directly_is_what_the_codec_writes(
    version: int, correlation_id: int, append: Append, answer: Appended
) -> None:
    written = write_one(correlation_id, append, answer, answer.error, version)
    assert written is None or answer.message is None
    if written is not None:
        command = Produce(1, 1000, None, zstd=True, appends=[append])
        # Beyond version 3 no code is narrowed, and the layout is what is compared here.
        response = produce_response(command, [answer], max(version, 4))
        expected = encode_response(ApiKey.PRODUCE, version, correlation_id, response).joined()
        assert written == expected
