"""The outputs of a scan for the kernels that are not compiled; `outputs.pxd` is the same for the others."""

from array import array

from barnabas.kernels import layout
from barnabas.types import Buffer


def records_with_room(
    data: Buffer,
    longs: memoryview,
    ints: memoryview,
    bits: memoryview,
    places: memoryview,
    state: "array[int]",
) -> int:
    """Records for which the outputs that are wanted have room; `scanning.scan` has their shapes.

    A negative number where that is none, or the buffers or the state make no sense.
    """
    room = 2**31 - 1
    if len(state) < layout.STATE or len(data) > room:
        return layout.NO_ROOM
    if (state[layout.KEYS_AT] < 0) != (state[layout.KEY_BITS_AT] < 0):
        return layout.NO_ROOM
    if (state[layout.VALUES_AT] < 0) != (state[layout.VALUE_BITS_AT] < 0):
        return layout.NO_ROOM
    room = _room_behind(state[layout.OFFSETS_AT], len(longs), room)
    room = _room_behind(state[layout.TIMESTAMPS_AT], len(longs), room)
    for column in range(layout.KEYS_AT, layout.HEADERS_AT + 1):
        room = _room_behind(state[column], len(ints) - 1, room)
        if state[column] >= 0:
            room = min(room, len(places) // 3)
    room = _room_behind(8 * state[layout.KEY_BITS_AT], 8 * len(bits), room)
    return _room_behind(8 * state[layout.VALUE_BITS_AT], 8 * len(bits), room)


def _room_behind(at: int, size: int, room: int) -> int:
    """The smaller of `room` and what an output from `at` on has; what is not wanted has any."""
    return room if at < 0 else min(room, size - at)
