"""Record batches in memory: to columns, Arrow and objects, and back; millions of records a second.

One thread, best of several short samples a round. Beside aiokafka where it does the same thing.
"""

import random
import time
from collections.abc import Callable

import pyarrow as pa
from aiokafka.record.default_records import DefaultRecordBatch, DefaultRecordBatchBuilder

from barnabas.kernels import implementation
from barnabas.kernels.batches.objects import RecordAppender
from barnabas.records.batches.batch import stamp
from barnabas.records.batches.builder import BatchBuilder, build
from barnabas.records.codecs.compression import Codec, decompress
from barnabas.records.columns.arrow import to_arrow
from barnabas.records.columns.columns import ColumnSelection, decode_columns
from barnabas.records.columns.encoding import EncodeOptions, Partitioner, encode_arrow
from barnabas.records.columns.reading import decode_records
from benchmarks.plan import Plan
from benchmarks.report.result import Result

GROUP = "records"
PER_BATCH, BATCHES = 1000, 16
HEADERS = (("trace-id", b"x" * 16), ("source", b"y" * 8))
KEY = b"8 bytes!"
SHAPES = (
    ("10 B", 10, ()),
    ("100 B", 100, ()),
    ("1 KiB", 1024, ()),
    ("100 B, 2 headers", 100, HEADERS),
)
TO_ARROW = {"10 B": 50, "100 B": 40, "1 KiB": 6, "100 B, 2 headers": 20}
TO_OBJECTS = {"10 B": 22, "100 B": 22, "1 KiB": None, "100 B, 2 headers": 5}
FROM_ARROW = {"10 B": 40, "100 B": 40, "1 KiB": 9, "100 B, 2 headers": 22}
APPEND = {"10 B": 15, "100 B": 15, "1 KiB": None, "100 B, 2 headers": 3.3}

Headers = tuple[tuple[str, bytes], ...]


def text_of(size: int) -> bytes:
    return (b'{"carrier":"UA","flight":1545,"origin":"EWR","dest":"IAH","n":%d}' * 20)[:size]


def response(value: bytes, headers: Headers, per_batch: int, batches: int, codec: Codec) -> bytes:
    builder = BatchBuilder(codec, 1 << 30)
    for index in range(per_batch):
        builder.append(1_700_000_000_000 + index, KEY, value, headers)
    one = builder.build()
    parts = []
    for number in range(batches):
        stamp(one, len(one), number * per_batch, 0)
        parts.append(bytes(one))
    return b"".join(parts)


def rate(work: Callable[[], object], records: int, scale: float) -> float:
    """Millions of records a second, in the best of many samples."""
    work()
    best = float("inf")
    deadline = time.perf_counter() + 0.4 * scale
    while (begun := time.perf_counter()) < deadline:
        work()
        best = min(best, time.perf_counter() - begun)
    return records / best / 1e6


def row(
    plan: Plan,
    measure: str,
    work: Callable[[], object],
    records: int,
    target: float | None,
    peer: Callable[[], object] | None = None,
) -> list[Result]:
    """One figure held to its target, and beside it the ratio to aiokafka's."""
    ours, theirs = [], []
    for _ in range(plan.rounds):
        ours.append(rate(work, records, plan.scale))
        if peer is not None:
            theirs.append(rate(peer, records, plan.scale))
    found = [Result(GROUP, measure, "M records/s", tuple(ours), target=target, better="higher")]
    if peer is not None:
        found.append(
            Result(
                GROUP, measure, "M records/s", tuple(ours), tuple(theirs), "aiokafka", 1.0, "higher"
            )
        )
    return found


def reading(plan: Plan, name: str, value: bytes, headers: Headers) -> list[Result]:
    wanted = ColumnSelection.ALL if headers else ColumnSelection.ALL & ~ColumnSelection.HEADERS
    data = response(value, headers, PER_BATCH, BATCHES, Codec.NONE)
    one = data[: len(data) // BATCHES]

    def peer() -> object:
        return list(DefaultRecordBatch(one))

    arrow = row(
        plan,
        f"decode to Arrow, {name}",
        lambda: to_arrow(decode_columns([data], wanted=wanted, start=0)),
        PER_BATCH * BATCHES,
        TO_ARROW[name],
    )
    return arrow + row(
        plan,
        f"decode to objects, no CRC, {name}",
        lambda: decode_records(one, "t", 0, check_crcs=False),
        PER_BATCH,
        TO_OBJECTS[name],
        peer,
    )


def writing(plan: Plan, name: str, value: bytes, headers: Headers) -> list[Result]:
    count = PER_BATCH * BATCHES
    columns = {
        "key": pa.array([KEY] * count),
        "value": pa.array([value] * count),
        "timestamp": pa.array(range(count), pa.int64()),
    }
    if headers:
        pairs = pa.list_(pa.struct([("key", pa.string()), ("value", pa.binary())]))
        columns["headers"] = pa.array(
            [[{"key": key, "value": content} for key, content in headers]] * count, pairs
        )
    options, partitioner = EncodeOptions(), Partitioner(1)

    def encode() -> None:
        for _ in encode_arrow(columns, partitioner=partitioner, options=options, now_ms=0):
            pass

    def append() -> None:
        appender = RecordAppender(1 << 30)
        add = appender.append
        for index in range(PER_BATCH):
            add(index, KEY, value, headers)
        build(appender, Codec.NONE, None)

    pairs_of_peer = list(headers)

    def peer() -> None:
        builder = DefaultRecordBatchBuilder(2, 0, 0, -1, -1, -1, 1 << 30)
        add = builder.append
        for index in range(PER_BATCH):
            add(index, index, KEY, value, pairs_of_peer)
        builder.build()

    encoded = row(plan, f"encode from Arrow, {name}", encode, count, FROM_ARROW[name])
    return encoded + row(plan, f"append and build, {name}", append, PER_BATCH, APPEND[name], peer)


def small_batches(plan: Plan) -> list[Result]:
    found = []
    wanted = ColumnSelection.ALL & ~ColumnSelection.HEADERS
    for per_batch, target in ((1, 1 / 0.35), (10, 1 / 0.05)):
        data = response(text_of(60), (), per_batch, 16_000 // per_batch, Codec.NONE)
        found += row(
            plan,
            f"decode to Arrow, batches of {per_batch}",
            lambda data=data: to_arrow(decode_columns([data], wanted=wanted, start=0)),  # type: ignore[misc]
            16_000,
            target,
        )
    return found


def varied(count: int) -> list[bytes]:
    """JSON of about 120 bytes, no two alike: what is all the same decompresses far too quickly."""
    chance = random.Random(7)
    return [
        b'{"id":%d,"carrier":"%s","flight":%d,"tail":"N%05d",'
        b'"origin":"%s","delay":%d,"distance":%d}'
        % (
            number,
            chance.choice((b"UA", b"AA", b"DL", b"B6", b"WN")),
            chance.randrange(6000),
            chance.randrange(100_000),
            chance.choice((b"EWR", b"JFK", b"LGA")),
            chance.randrange(-20, 200),
            chance.randrange(90, 4000),
        )
        for number in range(count)
    ]


def compressed(plan: Plan) -> list[Result]:
    """Decoding compressed batches of 400 KB of varied values, beside decompressing them alone."""
    found = []
    values = varied(4 * PER_BATCH)
    for codec in (Codec.GZIP, Codec.SNAPPY, Codec.LZ4, Codec.ZSTD):
        builder = BatchBuilder(codec, 1 << 30)
        for index, value in enumerate(values):
            builder.append(1_700_000_000_000 + index, KEY, value, ())
        data = bytes(builder.build())
        wanted = ColumnSelection.ALL & ~ColumnSelection.HEADERS
        ours, bare = [], []
        for _ in range(plan.rounds):
            work = lambda: to_arrow(decode_columns([data], wanted=wanted, start=0))  # noqa: B023, E731
            ours.append(len(values) / rate(work, len(values), plan.scale))
            alone = lambda: decompress(codec, data[61:], 1 << 20)  # noqa: B023, E731
            bare.append(len(values) / rate(alone, len(values), plan.scale))
        name = f"{codec.name.lower()} batch to Arrow"
        found.append(
            Result(GROUP, name, "us", tuple(ours), tuple(bare), "decompressing alone", 1.4, "lower")
        )
    return found


def measure(plan: Plan) -> list[Result]:
    """The rows of this group."""
    plan.notes.append(f"records: the kernels are {implementation}")
    found: list[Result] = []
    for name, size, headers in SHAPES:
        found += reading(plan, name, text_of(size), headers)
        found += writing(plan, name, text_of(size), headers)
    return found + small_batches(plan) + compressed(plan)
