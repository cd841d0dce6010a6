# cython: boundscheck=False, wraparound=False, initializedcheck=False
"""The outputs of a scan for the kernels that are compiled; `outputs.py` is the same for the others."""

from barnabas.kernels cimport layout


cdef inline long long room_behind(long long at, long long size, long long room) noexcept nogil:
    return room if at < 0 else min(room, size - at)


cdef inline long long records_with_room(
    const unsigned char[::1] data,
    long long[::1] longs,
    int[::1] ints,
    unsigned char[::1] bits,
    int[::1] places,
    long long[::1] state,
) noexcept nogil:
    cdef long long room = 2147483647
    cdef int column
    if len(state) < layout.STATE or len(data) > room:
        return layout.NO_ROOM
    if (state[layout.KEYS_AT] < 0) != (state[layout.KEY_BITS_AT] < 0):
        return layout.NO_ROOM
    if (state[layout.VALUES_AT] < 0) != (state[layout.VALUE_BITS_AT] < 0):
        return layout.NO_ROOM
    room = room_behind(state[layout.OFFSETS_AT], len(longs), room)
    room = room_behind(state[layout.TIMESTAMPS_AT], len(longs), room)
    for column in range(layout.KEYS_AT, layout.HEADERS_AT + 1):
        room = room_behind(state[column], len(ints) - 1, room)
        if state[column] >= 0:
            room = min(room, len(places) // 3)
    room = room_behind(8 * state[layout.KEY_BITS_AT], 8 * len(bits), room)
    return room_behind(8 * state[layout.VALUE_BITS_AT], 8 * len(bits), room)
