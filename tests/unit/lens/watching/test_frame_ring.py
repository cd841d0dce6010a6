"""Requests and responses become exchanges, of which the last are kept."""

from barnabas.lens.watching.exchanges import WatchedConnection, WatchedExchange
from barnabas.lens.watching.frame_ring import FrameRing

PRODUCE = WatchedConnection(1, "one:1", api_key=0, api_version=9)
FETCH = WatchedConnection(2, "two:2", api_key=1, api_version=12)
SECOND = 1_000_000_000


def all_of(ring: FrameRing, now: int = 0) -> list[WatchedExchange]:
    return list(ring.newer(0, now))


def test_a_response_is_paired_by_connection_and_correlation_id() -> None:
    ring = FrameRing()
    ring.request(FETCH, 7, b"first", 5, 100)
    ring.request(FETCH, 8, b"second", 6, 200)
    ring.response(1, 7, b"of another connection", 21, 250)
    ring.response(2, 8, b"answer", 600, 300)
    ring.response(2, 7, b"late", 4, 400)
    assert all_of(ring) == [
        WatchedExchange(1, FETCH, 8, 200, b"second", 6, 100, b"answer", 600),
        WatchedExchange(2, FETCH, 7, 100, b"first", 5, 300, b"late", 4),
    ]
    assert [each.number for each in ring.newer(1, 400)] == [2]


def test_without_correlation_ids_the_order_pairs() -> None:
    ring = FrameRing()
    ring.request(FETCH, -1, b"a", 1, 1)
    ring.request(FETCH, -2, b"b", 1, 2)
    ring.response(2, None, b"A", 1, 3)
    ring.response(2, None, b"B", 1, 4)
    assert [(each.request, each.response) for each in all_of(ring)] == [(b"a", b"A"), (b"b", b"B")]


def test_records_without_acknowledgement_are_there_with_the_next_response() -> None:
    ring = FrameRing()
    ring.request(PRODUCE, 1, b"acks 0", 6, 1)
    ring.request(PRODUCE._replace(api_key=3), 2, b"metadata", 8, 2)
    assert all_of(ring) == []
    ring.response(1, 2, b"topics", 6, 3)
    assert [(each.request, each.took_ns) for each in all_of(ring)] == [
        (b"acks 0", None), (b"metadata", 1),
    ]  # fmt: skip


def test_who_waits_is_shown_once_without_and_once_with_the_response() -> None:
    ring = FrameRing()
    ring.request(FETCH, 1, b"a", 1, 0)
    assert all_of(ring, SECOND) == []
    assert [each.took_ns for each in all_of(ring, 3 * SECOND)] == [None]
    assert len(all_of(ring, 9 * SECOND)) == 1
    ring.response(2, 1, b"A", 1, 10 * SECOND)
    assert [each.took_ns for each in all_of(ring)] == [None, 10 * SECOND]


def test_a_request_that_comes_again_is_one() -> None:
    ring = FrameRing()
    ring.request(FETCH, 1, b"a", 1, 0)
    ring.request(FETCH, 1, b"a", 1, 5)
    ring.response(2, 1, b"A", 1, 10)
    assert [each.took_ns for each in all_of(ring)] == [10]


def test_of_a_connection_that_is_gone() -> None:
    ring = FrameRing()
    ring.request(FETCH, 1, b"a", 1, 0)
    ring.request(PRODUCE, 1, b"b", 1, 0)
    ring.closed(2)
    assert [each.request for each in all_of(ring)] == [b"a"]


def test_only_so_many_and_so_large_ones_are_kept() -> None:
    ring = FrameRing()
    for number in range(2000):
        ring.request(FETCH, number, b"", 1, number)
        ring.response(2, number, b"", 1, number)
    assert [each.number for each in all_of(ring)] == list(range(1501, 2001))
    for number in range(100):
        ring.request(FETCH, number, bytes(1 << 18), 1, number)
        ring.response(2, number, b"", 1, number)
    assert len(all_of(ring)) == 16


def test_only_so_many_wait() -> None:
    ring = FrameRing()
    for number in range(300):
        ring.request(FETCH, number, b"", 1, number)
    assert [each.correlation_id for each in all_of(ring)] == list(range(44))
    ring.clear()
    ring.response(2, 299, b"", 1, 1)
    assert len(all_of(ring)) == 44
