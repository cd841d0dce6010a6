"""Selected connections, for how long, and what is noted of frames."""

from struct import pack

import pytest

from barnabas.lens.watching.exchanges import KEPT_BYTES, WatchedConnection
from barnabas.lens.watching.frame_ring import FrameRing
from barnabas.lens.watching.frame_watch import FrameWatch, Selection, note_request, note_response

REX = WatchedConnection(1, "one:1", client_id="rex")
TOM = WatchedConnection(2, "two:2", client_id="tom")
REQUEST = pack(">hhih", 18, 0, 7, 3) + b"rex"
SECOND = 1_000_000_000


@pytest.mark.parametrize("selection", [Selection(1), Selection(client_id="rex")])
def test_one_selection_for_five_seconds_after_the_last_look(selection: Selection) -> None:
    watch = FrameWatch()
    assert not watch.wants(REX)
    watch.look(selection, 0, 0)
    assert (watch.wants(REX), watch.wants(TOM)) == (True, False)
    watch.look(selection, 0, 4 * SECOND)
    assert watch.expire(8 * SECOND)
    assert not watch.expire(10 * SECOND)
    assert not watch.wants(REX)


def test_a_look_has_only_what_was_selected() -> None:
    watch = FrameWatch()
    for connection in (REX, TOM):
        note_request(watch.ring, connection, REQUEST, len(REQUEST), 10)
        note_response(watch.ring, connection, pack(">ih", 7, 0), 6, 30)
    (found,) = watch.look(Selection(2), 0, 40)
    assert (found.connection.number, found.number) == (2, 2)
    assert watch.look(Selection(2), 2, 40) == []
    assert watch.exchange(1, 40) != found == watch.exchange(2, 40)
    assert watch.exchange(3, 40) is None


def test_what_is_noted_of_a_frame() -> None:
    ring = FrameRing()
    large = pack(">i", 7) + bytes(KEPT_BYTES * 2)
    note_request(ring, TOM, REQUEST, len(REQUEST), 10)
    note_response(ring, TOM, large, len(large), 30)
    (found,) = ring.newer(0, 40)
    assert found.request == pack(">i", len(REQUEST)) + REQUEST
    assert (found.connection.api_key, found.connection.client_id) == (18, "rex")
    assert (len(found.response), found.response_size) == (KEPT_BYTES, len(large) + 4)
    assert found.took_ns == 20


def test_a_dialect_without_correlation_ids() -> None:
    ring = FrameRing()
    old = TOM._replace(dialect="kafka-0.7")
    note_request(ring, old, b"\0\4old", 5, 10)
    note_response(ring, old, b"\0\0", 2, 30)
    (found,) = ring.newer(0, 40)
    assert (found.request[4:], found.response[4:]) == (b"\0\4old", b"\0\0")
