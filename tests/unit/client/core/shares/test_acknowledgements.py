import pytest

from barnabas.client.core.group.epoch_membership import TopicIdIndex
from barnabas.client.core.shares.acknowledgements import AcknowledgeType, Acquired
from barnabas.errors import LocalProtocolError
from barnabas.protocol.share_fetch import AcknowledgementBatch, AcquiredRecords

ACCEPT, RELEASE, REJECT = AcknowledgeType
HERE, THERE = TopicIdIndex(b"a" * 16, 0), TopicIdIndex(b"a" * 16, 1)


def acquired(first: int, last: int, count: int = 1) -> AcquiredRecords:
    return AcquiredRecords(first_offset=first, last_offset=last, delivery_count=count)


def rows(batches: list[AcknowledgementBatch]) -> list[tuple[int, int, list[int]]]:
    return [(row.first_offset, row.last_offset, row.acknowledge_types) for row in batches]


def test_neighbours_of_one_kind_are_one_range() -> None:
    it = Acquired()
    it.take(HERE, 1, [acquired(5, 9)], range(5, 10))
    it.acknowledge(HERE, 7, REJECT)
    it.acknowledge_rest(ACCEPT)
    assert rows(it.due(1)[HERE]) == [(5, 6, [1]), (7, 7, [3]), (8, 9, [1])]
    assert it.due(1) == {}


def test_offsets_without_a_record_are_gaps() -> None:
    it = Acquired()
    it.take(HERE, 1, [acquired(0, 3)], [0, 3])
    assert it.open_count == 2
    it.acknowledge_rest(RELEASE)
    assert rows(it.due(1)[HERE]) == [(0, 0, [2]), (1, 2, [0]), (3, 3, [2])]


def test_each_broker_gets_what_was_acquired_from_it() -> None:
    it = Acquired()
    it.take(HERE, 1, [acquired(0, 0)], [0])
    it.take(THERE, 2, [acquired(0, 0)], [0])
    it.acknowledge_rest(ACCEPT)
    assert it.nodes() == {1, 2}
    assert it.due(2).keys() == {THERE}
    assert it.nodes() == {1}
    assert it.due_places() == [HERE]


def test_a_record_is_acknowledged_once() -> None:
    it = Acquired()
    it.take(HERE, 1, [acquired(4, 4, 3)], [4])
    assert it.delivery_count(HERE, 4) == 3
    it.acknowledge(HERE, 4, ACCEPT)
    for offset in (4, 5):
        with pytest.raises(LocalProtocolError, match=f"offset {offset} is not acquired"):
            it.acknowledge(HERE, offset, ACCEPT)


def test_after_a_session_acknowledgements_are_refused_later() -> None:
    it = Acquired()
    it.take(HERE, 1, [acquired(0, 1)], [0, 1])
    it.acknowledge(HERE, 0, ACCEPT)
    it.lost(1)
    assert it.refused == {HERE}
    it.refused.clear()
    assert it.open_count == 1
    it.acknowledge(HERE, 1, ACCEPT)
    assert it.refused == {HERE}
    assert it.open_count == 0
    assert it.nodes() == set()


def test_some_may_stay_open() -> None:
    it = Acquired()
    it.take(HERE, 1, [acquired(0, 2)], range(3))
    it.acknowledge_rest(ACCEPT, [(HERE, 1), (THERE, 1)])
    assert it.open_count == 1
    assert rows(it.due(1)[HERE]) == [(0, 0, [1]), (2, 2, [1])]
    assert it.delivery_count(HERE, 1) == 1


def test_what_cannot_be_returned_is_released_and_no_more() -> None:
    it = Acquired()
    it.take(THERE, 1, [acquired(0, 0)], [0])
    it.give_back(HERE, 1, [acquired(3, 4), acquired(8, 8)])
    assert rows(it.due(1)[HERE]) == [(3, 4, [2]), (8, 8, [2])]
    assert it.open_count == 1
