"""What ends the copying of a partition before it does harm, and what it does about stale producers."""

import pytest

from barnabas.errors import BrokerError, ErrorCode
from barnabas.migration.errors import MigrationStopped
from barnabas.migration.migration import Migration, MigrationOptions
from barnabas.migration.offset_map import BatchProducer, OffsetMap
from barnabas.migration.partition_copy import CopyResult
from barnabas.migration.target import TargetOutOfSync
from barnabas.records.codecs.compression import Codec
from barnabas.records.columns.encoding import EncodeOptions
from tests.memory_disk import MemoryFile
from tests.migration_peers import PLACE, MemorySource, MemoryTarget
from tests.wires.golden07 import M0, M1

pytestmark = pytest.mark.kernels

VALUES = [b"%d" % number for number in range(30)]
SOURCE = MemorySource.of_sets((VALUES[:20], 1, Codec.NONE), (VALUES[20:], 1, Codec.GZIP))
END = SOURCE.bounds(PLACE)[1]


def copy(
    target: MemoryTarget,
    source: MemorySource = SOURCE,
    file: MemoryFile | None = None,
    *,
    batch_bytes: int = 100,
    skip: bool = False,
) -> CopyResult:
    encode = EncodeOptions(batch_bytes=batch_bytes, sealed=False)
    options = MigrationOptions(encode, skip=skip, block_bytes=120)
    offsets = OffsetMap(MemoryFile() if file is None else file, {})
    migration = Migration(source, target, offsets, options)
    return migration.copy(0, source.bounds(PLACE)[1], lambda *_: None)


def test_what_has_come_since_is_copied_the_next_time() -> None:
    target, file = MemoryTarget(), MemoryFile()
    first = MemorySource({0: SOURCE.segments[0]})
    assert copy(target, first, file) == CopyResult(0, len(SOURCE.segments[0]), messages=20)
    assert copy(target, SOURCE, file) == CopyResult(len(SOURCE.segments[0]), END, messages=10)
    assert copy(target, SOURCE, file) == CopyResult(END, END)
    assert target.records == VALUES


def test_without_its_map_everything_is_compared_and_nothing_written() -> None:
    target = MemoryTarget()
    copy(target)
    assert copy(target) == CopyResult(0, END, found=30)
    assert target.records == VALUES


@pytest.mark.parametrize(
    ("there", "why"),
    [
        ([b"0", b"other"], "other records from offset 0 on"),
        ([b"01"], "other records from offset 0 on"),
        ([*VALUES, b"more"], "has 31 records, the source 30"),
    ],
)
def test_other_data_is_left_alone(there: list[bytes], why: str) -> None:
    target = MemoryTarget()
    target.add(*there)
    with pytest.raises(MigrationStopped, match=why):
        copy(target)
    assert target.records == there


class Forgetful(MemoryTarget):
    """Once it has twelve records it loses four of them; `mends` are the looks until they are back."""

    def __init__(self, mends: int) -> None:
        super().__init__()
        self.mends = mends
        self.away: list[bytes] = []

    def append(self, partition: int, batch: bytearray) -> int:
        if self.mends >= 0 and len(self.records) >= 12:
            self.mends, left = -1, self.mends
            self.pauses = left
            self.away = self.records[8:]
            self.visible = 8
            if not left:
                del self.records[8:], self._writers[8:]
                self.forget()
            raise TargetOutOfSync(ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER)
        return super().append(partition, batch)

    def pause(self) -> None:
        if self.visible == 8 and len(self.records) > 8:
            self.pauses -= 1
            if self.pauses > 0:
                return
        super().pause()


def test_a_new_leader_may_show_less_for_a_while() -> None:
    target = Forgetful(mends=3)
    assert copy(target).messages == 30
    assert target.records == VALUES


def test_what_a_leader_has_lost_for_good_is_copied_by_the_next_run() -> None:
    target, file = Forgetful(mends=0), MemoryFile()
    with pytest.raises(
        MigrationStopped, match="ends at 8, but had 14 records: it lost acknowledged"
    ):
        copy(target, file=file)
    assert target.records == VALUES[:8]
    copy(target, file=file)
    assert target.records == VALUES


def test_somebody_who_writes_meanwhile_is_noticed() -> None:
    class Shared(MemoryTarget):
        def append(self, partition: int, batch: bytearray) -> int:
            self.add(b"mine")
            return super().append(partition, batch)

    with pytest.raises(MigrationStopped, match="at offset 1, not 0: another producer writes to it"):
        copy(Shared())


def test_a_target_that_lost_its_end_gets_it_again() -> None:
    target, file = MemoryTarget(), MemoryFile()
    copy(target, SOURCE, file)
    emptied = MemoryTarget()
    assert copy(emptied, SOURCE, file).messages == 30
    assert emptied.records == VALUES


def test_a_source_that_ends_before_the_copy_is_another_one() -> None:
    target, file = MemoryTarget(), MemoryFile()
    copy(target, SOURCE, file)
    with pytest.raises(MigrationStopped, match="it is another source, or has lost its end"):
        copy(target, MemorySource({0: M1}), file)


def test_a_source_that_lost_what_was_not_copied() -> None:
    target, file = MemoryTarget(), MemoryFile()
    copy(target, MemorySource({0: M1}), file)
    rest = MemorySource({100: M1})
    with pytest.raises(MigrationStopped, match="at byte 15: there is nothing"):
        copy(target, rest, file)
    assert copy(target, rest, file, skip=True) == CopyResult(15, 115, messages=1, left_out=85)
    assert target.records == [b"hello", b"hello"]


def test_a_message_that_is_too_large_is_named() -> None:
    with pytest.raises(MigrationStopped, match=r"between the bytes 0 and 1010 .*max.message.bytes"):
        copy(MemoryTarget(), MemorySource.of_sets(([bytes(1000)], 1, Codec.NONE)))


def test_a_batch_that_the_target_does_not_take_is_named() -> None:
    class Small(MemoryTarget):
        def append(self, partition: int, batch: bytearray) -> int:
            raise BrokerError(ErrorCode.MESSAGE_TOO_LARGE, "over 10")

    with pytest.raises(MigrationStopped, match=r"between the bytes 0 and .*max.message.bytes"):
        copy(Small())


def test_who_was_forgotten_goes_on_as_somebody_new() -> None:
    class Forgetful(MemoryTarget):
        refused = 0

        def append(self, partition: int, batch: bytearray) -> int:
            if len(self.records) > 5 and not self.refused:
                self.refused += 1
                self.forget()
                raise TargetOutOfSync(ErrorCode.UNKNOWN_PRODUCER_ID)
            return super().append(partition, batch)

    target, file = Forgetful(), MemoryFile()
    copy(target, SOURCE, file)
    assert target.records == VALUES
    assert OffsetMap(file, {}).producer == BatchProducer(2, 0)


def test_who_stays_out_of_step_gives_up() -> None:
    class Refusing(MemoryTarget):
        def append(self, partition: int, batch: bytearray) -> int:
            raise TargetOutOfSync(ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER)

    with pytest.raises(TargetOutOfSync):
        copy(Refusing())


@pytest.mark.parametrize(
    "torn", [M1[:-1], M1[:3], M1[:-1] + b"!"], ids=["cut", "no length", "bad CRC"]
)
def test_a_torn_end_waits_until_the_broker_has_recovered(torn: bytes) -> None:
    """It cuts the end off and writes on, from the same byte."""
    target, file = MemoryTarget(), MemoryFile()
    before = MemorySource({0: M1 * 2 + torn})
    with pytest.raises(MigrationStopped, match="byte 30: .*nothing valid follows"):
        copy(target, before, file)
    done = copy(target, before, file, skip=True)
    assert (done.end, done.left_out, bool(done.tail)) == (30, 0, True)
    after = MemorySource({0: M1 * 2 + M0 + M1})
    assert copy(target, after, file, skip=True) == CopyResult(30, 59, messages=2)
    assert target.records == [b"hello"] * 4
