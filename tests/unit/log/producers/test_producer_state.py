import pytest

from barnabas.errors import ErrorCode
from barnabas.log.producers.producer_snapshot import decode_snapshot, encode_snapshot
from barnabas.log.producers.producer_state import MOST_PRODUCERS, AppendedBatch, ProducerState
from barnabas.records.batches.batch import BatchHeader, read_header
from barnabas.records.batches.refused_records import RefusedRecords
from tests.record_batches import make_batch, make_marker

PRODUCER = 9
HIGHEST = 0x7FFFFFFF


def sent(sequence: int, count: int = 1, *, epoch: int = 0, attributes: int = 0) -> BatchHeader:
    batch = make_batch(count, producer=(PRODUCER, epoch, sequence), attributes=attributes)
    return read_header(batch)


def take(state: ProducerState, batch: BatchHeader, base_offset: int) -> None:
    assert state.check(batch) is None
    state.add(batch, b"", base_offset, batch.max_timestamp)


def test_the_last_five_batches_are_known_again() -> None:
    state = ProducerState()
    for number in range(6):
        take(state, sent(2 * number, 2), 100 + 2 * number)
    for number in range(1, 6):
        known = state.check(sent(2 * number, 2))
        assert known == AppendedBatch(2 * number, 2 * number + 1, 101 + 2 * number, 1, 1000)
        assert known.first_offset == 100 + 2 * number
    for forgotten_or_wrong in (sent(0, 2), sent(4, 1), sent(13)):
        with pytest.raises(RefusedRecords) as refused:
            state.check(forgotten_or_wrong)
        assert refused.value.code == ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER


def test_sequences_go_from_the_highest_to_zero() -> None:
    state = ProducerState()
    take(state, sent(HIGHEST - 1), 0)
    take(state, sent(HIGHEST, 3), 1)
    take(state, sent(2), 4)
    assert state.check(sent(HIGHEST, 3)) == AppendedBatch(HIGHEST, 1, 3, 2, 1000)


def test_an_epoch_begins_with_zero_and_ends_the_one_before() -> None:
    state = ProducerState()
    take(state, sent(0), 0)
    with pytest.raises(RefusedRecords) as refused:
        state.check(sent(1, epoch=1))
    assert refused.value.code == ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER
    take(state, sent(0, epoch=1), 1)
    with pytest.raises(RefusedRecords) as refused:
        state.check(sent(1, epoch=0))
    assert refused.value.code == ErrorCode.INVALID_PRODUCER_EPOCH
    assert state.check(sent(0, epoch=1)) == AppendedBatch(0, 0, 1, 0, 1000)


def test_a_marker_with_a_new_epoch_lets_sequences_begin_anew() -> None:
    state = ProducerState()
    take(state, sent(0, 3, attributes=0x10), 0)
    assert state.first_open_transaction() == 0
    marker = make_marker(PRODUCER, 1, commit=True)
    state.add(read_header(marker), marker, 3, 1000)
    assert state.first_open_transaction() is None
    take(state, sent(0, epoch=1), 4)


def test_a_snapshot_keeps_the_last_batch_and_what_comes_next() -> None:
    state = ProducerState()
    take(state, sent(0, 2), 0)
    take(state, sent(2, 3), 2)
    entries = decode_snapshot(encode_snapshot(state.entries()))
    assert entries is not None
    again = ProducerState()
    again.restore(entries)
    assert again.check(sent(2, 3)) == AppendedBatch(2, 4, 4, 2, 1000)
    take(again, sent(5), 5)
    with pytest.raises(RefusedRecords):
        again.check(sent(0, 2))


DAY = 86_400_000


def test_a_producer_is_forgotten_a_day_after_it_was_first_seen_idle() -> None:
    state = ProducerState()
    take(state, sent(0), 0)
    for now, known in ((DAY, 1), (2 * DAY - 1, 1), (2 * DAY, 0)):
        state.expire(now, DAY)
        assert len(state) == known


@pytest.mark.parametrize("jump", [50 * 365 * DAY, -DAY])
def test_a_clock_that_jumps_makes_nobody_old_who_has_just_written(jump: int) -> None:
    state = ProducerState()
    take(state, sent(0), 0)
    state.expire(60 * DAY, DAY)
    take(state, sent(1), 1)
    now = 60 * DAY + jump
    state.expire(now, DAY)
    state.expire(now + DAY - 1, DAY)
    assert len(state) == 1
    state.expire(now + DAY, DAY)
    assert len(state) == 0


def test_a_clock_that_is_set_back_lets_nobody_stay_for_ever() -> None:
    state = ProducerState()
    take(state, sent(0), 0)
    for now in (60 * DAY, 5 * DAY):
        state.expire(now, DAY)
    assert len(state) == 1
    state.expire(6 * DAY, DAY)
    assert len(state) == 0


def test_of_too_many_producers_those_that_wrote_first_are_forgotten_and_open_transactions_stay() -> (
    None
):
    state = ProducerState()
    takes_part = make_batch(1, producer=(1, 0, 0), attributes=0x10)
    state.add(read_header(takes_part), b"", 0, 1000)
    for number in range(2, MOST_PRODUCERS + 2):
        state.add(read_header(make_batch(1, producer=(number, 0, 0))), b"", number, 1000)
    known = {entry.producer_id for entry in state.entries()}
    assert len(known) <= MOST_PRODUCERS
    assert 2 not in known
    assert {1, MOST_PRODUCERS // 2, MOST_PRODUCERS + 1} <= known
    assert state.first_open_transaction() == 0
