"""Records between the formats of old and new clients: millions of records of 100 B a second.

`ONLY=conversion python -m benchmarks` measures this group alone. What is sent is what a broker does
with a Produce of 0.8 to 0.10 (magic 0 and 1 into a batch), what is read what it does for a Fetch of
that time (batches into magic 0 and 1). Sets of 64 KB before compression.
"""

from barnabas.records.batches.builder import BatchBuilder
from barnabas.records.codecs.compression import Codec
from barnabas.records.old_messages.convert import convert
from barnabas.records.old_messages.set_builder import MessageSetBuilder
from barnabas.records.old_messages.set_checks import SetRules, accept_set
from benchmarks.driver.records import KEY, rate, varied
from benchmarks.plan import Plan
from benchmarks.report.result import Result

GROUP = "conversion"
RECORDS = 500
TIME = 1_700_000_000_000
LIMIT = 1 << 20
OLD_CODECS = (Codec.NONE, Codec.GZIP, Codec.SNAPPY, Codec.LZ4)


def message_set(magic: int, codec: Codec, values: list[bytes]) -> bytes:
    """As an old producer sends it."""
    builder = MessageSetBuilder(magic, codec, LIMIT)
    for at, value in enumerate(values):
        builder.append(TIME + at, KEY, value)
    return bytes(builder.build())


def batch(codec: Codec, values: list[bytes]) -> bytes:
    """As a producer of today sends it."""
    builder = BatchBuilder(codec, LIMIT)
    for at, value in enumerate(values):
        builder.append(TIME + at, KEY, value)
    return bytes(builder.build())


def measure(plan: Plan) -> list[Result]:
    """The rows of this group."""
    values = [value[:100] for value in varied(RECORDS)]
    found = []
    for codec in OLD_CODECS:
        name = codec.name.lower()
        modern = batch(codec, values)
        for magic in (0, 1):
            old = message_set(magic, codec, values)
            rules = SetRules(2, LIMIT)
            for measured, work in (
                (f"sent, magic {magic} to 2, {name}", lambda: accept_set(old, rules)),  # noqa: B023
                (f"read, magic 2 to {magic}, {name}", lambda: convert(modern, magic)),  # noqa: B023
            ):
                figures = tuple(rate(work, RECORDS, plan.scale) for _ in range(plan.rounds))
                found.append(
                    Result(GROUP, measured, "M records/s", figures, target=1.0, better="higher")
                )
    return found
