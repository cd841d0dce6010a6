import pytest
from aiokafka.record.default_records import DefaultRecordBatch

from barnabas.kernels.batches.objects import OpenBatches, RecordAppender
from barnabas.records.batches.batch import crc_is_right, read_header
from barnabas.records.batches.builder import BatchBuilder, build
from barnabas.records.batches.checks import check_produced
from barnabas.records.checksums import crc32c
from barnabas.records.codecs.compression import Codec

pytestmark = pytest.mark.kernels

HEADERS = [("a", b"1"), ("ü", None), ("", b"")]


@pytest.mark.parametrize("codec", Codec)
def test_a_peer_reads_what_was_built(codec: Codec) -> None:
    builder = BatchBuilder(codec, 1 << 20)
    for index in range(200):
        builder.append(5000 - index, b"key%d" % index, b"v" * index if index % 3 else None, HEADERS)
    built = builder.build(7, 3, 11, transactional=True)
    header = check_produced(memoryview(built), len(built))
    assert (header.producer_id, header.producer_epoch, header.base_sequence) == (7, 3, 11)
    assert (header.base_timestamp, header.max_timestamp) == (5000, 5000)
    assert header.transactional
    batch = DefaultRecordBatch(bytes(built))
    assert batch.validate_crc()
    for index, record in enumerate(batch):
        assert (record.offset, record.timestamp) == (index, 5000 - index)
        assert record.key == b"key%d" % index
        assert record.value == (b"v" * index if index % 3 else None)
        assert record.headers == HEADERS
    assert header.count == 200


def test_size_is_that_of_the_batch_and_bounded_by_the_limit() -> None:
    builder = BatchBuilder(Codec.NONE, 200)
    sizes = []
    while size := builder.append(1, b"k", b"v" * 20):
        assert size == builder.size
        sizes.append(size)
    assert builder.size == sizes[-1] <= 200
    assert len(builder.build()) == sizes[-1]


def test_the_first_record_fits_whatever_the_limit() -> None:
    builder = BatchBuilder(Codec.NONE, 100)
    assert builder.append(1, None, b"v" * 5000) > 5000
    assert builder.append(1, None, b"") == 0


def test_a_sealed_appender_takes_nothing() -> None:
    appender = RecordAppender(1000)
    assert appender.append(5, None, b"1") is not None
    appender.seal()
    assert appender.append(5, None, b"2") is None
    assert read_header(build(appender, Codec.NONE, None)).count == 1
    with pytest.raises(ValueError, match="taken"):
        appender.take()


@pytest.mark.parametrize(
    "record",
    [
        (1, "key", b""),
        (1, b"", 5),
        (1, b"", b"", [(b"name", b"")]),
        (1, b"", b"", [("name", 5)]),
        (1, b"", b"", ["name"]),
        (1, b"", b"", [("name",)]),
    ],
)
def test_only_bytes_are_records(record: tuple[object, ...]) -> None:
    appender = RecordAppender(1000)
    with pytest.raises(TypeError):
        appender.append(*record)  # type: ignore[arg-type]
    assert (appender.count, appender.size) == (0, 61)


def test_a_delivery_asks_its_batch() -> None:
    class Batch:
        def done(self, index: int) -> bool:
            return index == 1

        def result(self, index: int, timestamp: int, timeout: float | None) -> tuple[object, ...]:
            return index, timestamp, timeout

        def shown(self, index: int) -> str:
            return f"the record {index}"

    batch = Batch()
    appender = RecordAppender(1000, batch)
    first, second = appender.append(50, None, b"a"), appender.append(40, None, b"b")
    assert first is not None
    assert second is not None
    assert (first.done(), second.done()) == (False, True)
    assert second.result(2.5) == second.result(timeout_s=2.5) == (1, 40, 2.5)
    assert repr(second) == "<Delivery the record 1>"
    assert (second.batch, second.index, second.timestamp) == (batch, 1, 40)
    assert (appender.first_timestamp, appender.max_timestamp) == (50, 50)


def test_open_batches_take_a_record_of_now_until_they_are_full() -> None:
    appender = RecordAppender(160)
    opened = OpenBatches({"t": appender}, lambda: 77_999_999)
    first, second = opened.append("t", "text"), opened.append("t", b"bytes", 42, [("h", None)])
    assert first is not None
    assert second is not None
    assert (first.timestamp, second.timestamp) == (77, 42)
    assert opened.append("elsewhere", b"x") is None
    assert opened.append("t", bytes(100)) is None
    assert appender.count == 2
    with pytest.raises(TypeError, match="a value is bytes"):
        opened.append("t", 5)  # type: ignore[arg-type]


def test_open_batches_leave_what_is_unusual_to_the_long_way_and_do_not_use_it_up() -> None:
    appender = RecordAppender(1000)
    opened = OpenBatches({"t": appender}, lambda: 77_999_999)
    headers = iter([("h", b"1")])
    assert opened.append("t", b"x", None, headers) is None
    assert list(headers) == [("h", b"1")]
    for timestamp in (-1, 1.5, True, "1"):
        assert opened.append("t", b"x", timestamp) is None  # type: ignore[arg-type]
    for topic in (b"t", ["t"], None):
        assert opened.append(topic, b"x") is None  # type: ignore[arg-type]
    assert appender.count == 0


@pytest.mark.parametrize("size", [10, 5000], ids=["summed by the kernel", "by the library"])
def test_a_batch_is_finished_with_all_that_its_header_says(size: int) -> None:
    appender = RecordAppender(1 << 20)
    for time in (50, 70, 60):
        appender.append(time, b"k", bytes(size))
    batch = appender.finish(2**40, 5, 16, 2**41, 7, 2**31 - 1, crc32c)
    header = read_header(batch)
    assert header == (
        0, len(batch), 2**40, 5, 2, header.crc, 16, 2, 50, 70, 2**41, 7, 2**31 - 1, 3,
    )  # fmt: skip
    assert crc_is_right(batch, header)
    with pytest.raises(ValueError, match="taken"):
        appender.finish(0, 0, 0, -1, -1, -1, crc32c)
