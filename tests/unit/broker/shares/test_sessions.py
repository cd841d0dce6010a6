"""Sessions of share groups by themselves: what they take is charged, and given back."""

import pytest

from barnabas.broker.shares.sessions import OPENS, ShareSessions
from barnabas.coordinators.common.topic_partitions import TopicIdPartition
from barnabas.errors import BrokerError, ErrorCode
from tests.unit.broker.some_memory import some_memory

FULL = ErrorCode.SHARE_SESSION_LIMIT_REACHED


def places(count: int) -> list[TopicIdPartition]:
    return [TopicIdPartition(bytes(16), index) for index in range(count)]


def test_a_session_gives_back_what_it_forgets_and_the_rest_at_its_end() -> None:
    memory = some_memory()
    sessions = ShareSessions(10, memory)
    session = sessions.begin("g", "m", OPENS, 1)
    empty = memory.passing_bytes
    assert empty > 0
    sessions.change(session, [*places(3), *places(2)], [])
    three = memory.passing_bytes - empty
    sessions.change(session, places(3), [])
    assert memory.passing_bytes == empty + three, "they were there"
    sessions.change(session, [], [*places(1), *places(1), TopicIdPartition(bytes(16), 9)])
    assert memory.passing_bytes == empty + three * 2 // 3
    assert list(session.places) == places(3)[1:]
    sessions.begin("g", "m", OPENS, 1)
    assert memory.passing_bytes == empty, "another session takes its place"
    sessions.close("g", "m")
    assert memory.passing_bytes == 0


def test_what_does_not_fit_is_refused_and_nothing_of_it_is_kept() -> None:
    memory = some_memory(100_000)
    sessions = ShareSessions(1000, memory)
    session = sessions.begin("g", "m", OPENS, 1)
    before = memory.passing_bytes
    with pytest.raises(BrokerError) as refused:
        sessions.change(session, places(1000), [])
    assert refused.value.code == FULL
    assert (memory.passing_bytes, session.places) == (before, {})
    while memory.fits(1500):
        sessions.begin(f"g{memory.passing_bytes}", "m", OPENS, 1)
    with pytest.raises(BrokerError) as refused:
        sessions.change(session, places(7), [])
    assert refused.value.code == FULL
    assert memory.passing_bytes <= 100_000
