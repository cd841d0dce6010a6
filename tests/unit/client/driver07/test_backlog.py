"""What counts as consumed: what was handed out before, and nothing that was only fetched."""

from barnabas.client.driver07.assignment import BrokerPartition
from barnabas.client.driver07.backlog import Backlog
from barnabas.client.driver07.group_fetcher import Chunk
from barnabas.records.messages07.message07 import Message

FIRST, SECOND = BrokerPartition(0, 0), BrokerPartition(0, 1)
A, B, C, D = (Message(name, 10 * at, 1) for at, name in enumerate((b"a", b"b", b"c", b"d"), 1))


def a_backlog() -> Backlog:
    """The second chunk ends behind its last message: an empty compressed one follows."""
    backlog = Backlog()
    backlog.add([Chunk("dogs", FIRST, [A, B, C], 30), Chunk("dogs", SECOND, [D], 55)])
    return backlog


def test_one_by_one_all_before_the_present_message_is_consumed() -> None:
    backlog = a_backlog()
    seen = [(backlog.next(), backlog.consumed()) for _ in range(5)]
    assert seen == [
        (A, {}),
        (B, {("dogs", FIRST): 10}),
        (C, {("dogs", FIRST): 20}),
        (D, {("dogs", FIRST): 30}),
        (None, {("dogs", FIRST): 30, ("dogs", SECOND): 55}),
    ]
    assert not backlog


def test_the_rest_follows_what_was_handed_out_and_is_consumed() -> None:
    backlog = a_backlog()
    backlog.next()
    backlog.settle()
    assert backlog.consumed() == {("dogs", FIRST): 10}
    assert [chunk.messages for chunk in backlog.rest()] == [[B, C], [D]]
    assert backlog.consumed() == {("dogs", FIRST): 30, ("dogs", SECOND): 55}


def test_a_chunk_of_which_all_was_handed_out_is_not_left() -> None:
    backlog = Backlog()
    backlog.add([Chunk("dogs", SECOND, [D], 55)])
    assert backlog
    assert backlog.next() == D
    assert not backlog
    backlog.settle()
    assert backlog.consumed() == {("dogs", SECOND): 55}
    assert backlog.rest() == []


def test_what_others_own_now_is_not_handed_out_nor_committed() -> None:
    backlog = a_backlog()
    backlog.next()
    backlog.next()
    backlog.keep_only(frozenset({("dogs", SECOND)}))
    assert backlog.consumed() == {}
    assert backlog.next() == D
    assert backlog.next() is None
