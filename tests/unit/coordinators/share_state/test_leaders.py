"""What leaders ask of a share coordinator.

Against Kafka: `tests/interop/differential/group_apis/share_states.py`.
"""

import pytest

from barnabas.coordinators.common.topic_partitions import TopicIdPartition
from barnabas.coordinators.share_partition.spans import DeliveryState, Span
from barnabas.coordinators.share_state.leaders import AS_BEFORE, StateUpdate, begin, read, write
from barnabas.coordinators.share_state.states import UNKNOWN, ShareState, ShareStates, StateKey
from barnabas.errors import BrokerError, ErrorCode

KEY = StateKey("g", TopicIdPartition(b"t" * 16, 3))
DONE = DeliveryState.ACKNOWLEDGED
SOME = Span(12, 14, DONE, 1)


def begun(start: int = 10, state_epoch: int = 2) -> ShareStates:
    states = ShareStates()
    states.replay(*begin(states, KEY, state_epoch, start, 1000))
    return states


def kept(states: ShareStates) -> ShareState:
    found = states.get(KEY)
    assert found is not None
    return found


@pytest.mark.parametrize(("start", "done"), [(10, 0), (UNKNOWN, UNKNOWN)])
def test_what_begins_is_begun_from_its_epoch_on(start: int, done: int) -> None:
    states = begun(start)
    assert (kept(states).start, kept(states).done, kept(states).state_epoch) == (start, done, 2)
    with pytest.raises(BrokerError) as raised:
        begin(states, KEY, 1, 0, 2000)
    assert raised.value.code is ErrorCode.FENCED_STATE_EPOCH


def test_who_reads_leads_from_then_on() -> None:
    states = begun()
    found, record = read(states, KEY, 5, 2000)
    assert (found.start, found.leader_epoch) == (10, 0)
    assert record is not None
    states.replay(*record)
    assert kept(states).leader_epoch == 5
    assert read(states, KEY, 5, 3000)[1] is None
    with pytest.raises(BrokerError) as raised:
        read(states, KEY, 4, 3000)
    assert raised.value.code is ErrorCode.FENCED_LEADER_EPOCH


def test_what_is_written_goes_over_what_there_was_and_raises_no_epoch() -> None:
    states = begun()
    states.replay(*write(states, KEY, StateUpdate(3, 7, UNKNOWN, 3, (SOME,)), 2000))
    assert kept(states)[:5] == ShareState(10, (SOME,), 2, 0, 3)[:5]
    states.replay(*write(states, KEY, StateUpdate(AS_BEFORE, AS_BEFORE, 13, 2, ()), 3000))
    assert kept(states)[:5] == ShareState(13, (Span(13, 14, DONE, 1),), 2, 0, 2)[:5]


@pytest.mark.parametrize(
    ("state_epoch", "leader_epoch", "code"),
    [(1, 5, ErrorCode.FENCED_STATE_EPOCH), (2, 4, ErrorCode.FENCED_LEADER_EPOCH)],
)
def test_who_was_overtaken_writes_nothing(
    state_epoch: int, leader_epoch: int, code: ErrorCode
) -> None:
    states = begun()
    record = read(states, KEY, 5, 2000)[1]
    assert record is not None
    states.replay(*record)
    with pytest.raises(BrokerError) as raised:
        write(states, KEY, StateUpdate(state_epoch, leader_epoch, 11, 1, ()), 3000)
    assert raised.value.code is code


def test_what_was_never_begun_is_neither_read_nor_written() -> None:
    states = ShareStates()
    for ask in (
        lambda: read(states, KEY, 0, 0),
        lambda: write(states, KEY, StateUpdate(0, 0, 0, 0, ()), 0),
    ):
        with pytest.raises(BrokerError) as raised:
            ask()
        assert raised.value.code is ErrorCode.INVALID_REQUEST
