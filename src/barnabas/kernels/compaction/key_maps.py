# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The latest offset of each key, and which records are the latest of theirs.

Compiled, a look-up takes as long as one miss of the cache; uncompiled 1 us.
Sources: KIP-354, KIP-534; Kafka's SkimpyOffsetMap and Cleaner.
"""

try:
    import cython
except ImportError:
    from barnabas.kernels import shadow as cython

if cython.compiled:
    from cython.cimports.barnabas.kernels import layout
else:
    from barnabas.kernels import layout

_DELETE_HORIZON = cython.declare(cython.int, 0x40)


@cython.final
@cython.cclass
class KeyMap:
    """The latest offset of each key. `slots` is uint64[3 * n] of zeros: two of hash, offset + 1.

    It holds up to `most` keys, fewer than n, until it is given more room. `latest` is the last offset
    in it.
    """

    slots: cython.ulonglong[::1]
    most: cython.longlong
    count: cython.longlong
    last_offset: cython.longlong

    def __init__(
        self,
        slots: cython.ulonglong[::1],
        most: cython.longlong,
    ) -> None:
        if not 0 < most < len(slots) // 3:
            raise ValueError("a map needs more slots than it may have keys")
        self.slots = slots
        self.most = most
        self.count = 0
        self.last_offset = -1

    @property
    def used(self) -> int:
        """How many keys it holds."""
        return self.count

    @property
    def latest(self) -> int:
        """The last offset that it takes account of; -1 for none."""
        return self.last_offset

    @property
    def size(self) -> int:
        """How many slots it has."""
        return len(self.slots) // 3

    def move(self, slots: cython.ulonglong[::1], most: cython.longlong) -> None:
        """Take more slots, of zeros, in the place of those there are."""
        old: cython.ulonglong[::1] = self.slots
        if len(slots) < len(old) or not 0 < most < len(slots) // 3:
            raise ValueError("a map moves to more slots only")
        self.slots = slots
        self.most = most
        with cython.nogil:
            _move(old, self)

    def reach(self, offset: cython.longlong) -> None:
        """Take it that there is nothing more up to `offset`."""
        self.last_offset = max(self.last_offset, offset)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _find(keys: KeyMap, first: cython.ulonglong, second: cython.ulonglong) -> cython.Py_ssize_t:
    """The slot of a hash, or the empty one where it would go."""
    slots: cython.Py_ssize_t = len(keys.slots) // 3
    at: cython.Py_ssize_t = 3 * cython.cast(
        cython.Py_ssize_t, first % cython.cast(cython.ulonglong, slots)
    )
    while keys.slots[at + 2] != 0:
        if keys.slots[at] == first and keys.slots[at + 1] == second:
            return at
        at += 3
        if at == 3 * slots:
            at = 0
    return at


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _move(old: cython.ulonglong[::1], keys: KeyMap) -> cython.void:
    from_slot: cython.Py_ssize_t
    to_slot: cython.Py_ssize_t
    for from_slot in range(len(old) // 3):
        if old[3 * from_slot + 2] != 0:
            to_slot = _find(keys, old[3 * from_slot], old[3 * from_slot + 1])
            keys.slots[to_slot] = old[3 * from_slot]
            keys.slots[to_slot + 1] = old[3 * from_slot + 1]
            keys.slots[to_slot + 2] = old[3 * from_slot + 2]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _learn(
    keys: KeyMap,
    hashes: cython.const[cython.ulonglong][::1],
    places: cython.const[cython.longlong][::1],
    nulls: cython.const[cython.uchar][::1],
    count: cython.Py_ssize_t,
    start_offset: cython.longlong,
) -> cython.int:
    index: cython.Py_ssize_t
    slot: cython.Py_ssize_t
    for index in range(count):
        if nulls[index] & layout.HAS_KEY == 0 or places[2 * index] < start_offset:
            continue
        if keys.count >= keys.most:
            return layout.MAP_IS_FULL
        slot = _find(keys, hashes[2 * index], hashes[2 * index + 1])
        if keys.slots[slot + 2] == 0:
            keys.count += 1
            keys.slots[slot] = hashes[2 * index]
            keys.slots[slot + 1] = hashes[2 * index + 1]
        keys.slots[slot + 2] = cython.cast(cython.ulonglong, places[2 * index] + 1)
        keys.last_offset = places[2 * index]
    return 0


def learn(
    keys: KeyMap,
    hashes: cython.const[cython.ulonglong][::1],
    places: cython.const[cython.longlong][::1],
    nulls: cython.const[cython.uchar][::1],
    count: cython.Py_ssize_t,
    start_offset: cython.longlong,
) -> cython.int:
    """Take in the first `count` records that `look` has seen, those from `start_offset` on.

    Returns 0, MAP_IS_FULL where a record did not go in, or a negative code.
    """
    result: cython.int
    if count > len(nulls) or 2 * count > min(len(hashes), len(places)) or start_offset < 0:
        return layout.NO_ROOM
    with cython.nogil:
        result = _learn(keys, hashes, places, nulls, count, start_offset)
    return result


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _judge(
    keys: KeyMap,
    table: cython.const[cython.longlong][::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    now: cython.longlong,
    hashes: cython.const[cython.ulonglong][::1],
    places: cython.const[cython.longlong][::1],
    nulls: cython.uchar[::1],
    verdicts: cython.longlong[::1],
) -> cython.int:
    row: cython.Py_ssize_t
    at: cython.Py_ssize_t
    to: cython.Py_ssize_t
    index: cython.Py_ssize_t = 0
    slot: cython.Py_ssize_t
    keep: cython.int
    keep_deletes: cython.int
    for row in range(first, last):
        at = row * layout.WIDTH
        to = (row - first) * layout.VERDICT
        if table[at + layout.COUNT] < 0 or table[at + layout.COUNT] > len(nulls) - index:
            return layout.NO_ROOM
        # A tombstone stays until the horizon of its batch has passed.
        keep_deletes = (
            table[at + layout.ATTRIBUTES] & _DELETE_HORIZON == 0
            or now < table[at + layout.BASE_TIMESTAMP]
        )
        verdicts[to + layout.KEPT_RECORDS] = 0
        verdicts[to + layout.TOMBSTONES] = 0
        verdicts[to + layout.NEWEST] = -1
        verdicts[to + layout.MARKS_AT] = index
        for _ in range(table[at + layout.COUNT]):
            keep = 1
            if places[2 * index] <= keys.last_offset:
                keep = 0
                if nulls[index] & layout.HAS_KEY and (
                    nulls[index] & layout.HAS_VALUE or keep_deletes
                ):
                    slot = _find(keys, hashes[2 * index], hashes[2 * index + 1])
                    if cython.cast(cython.longlong, keys.slots[slot + 2] - 1) <= places[2 * index]:
                        keep = 1
            if keep:
                verdicts[to + layout.KEPT_RECORDS] += 1
                if nulls[index] & layout.HAS_VALUE == 0:
                    verdicts[to + layout.TOMBSTONES] += 1
                verdicts[to + layout.NEWEST] = max(
                    verdicts[to + layout.NEWEST], places[2 * index + 1]
                )
            nulls[index] = keep
            index += 1
    return 0


def judge(
    keys: KeyMap,
    table: cython.const[cython.longlong][::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    now: cython.longlong,
    hashes: cython.const[cython.ulonglong][::1],
    places: cython.const[cython.longlong][::1],
    nulls: cython.uchar[::1],
    verdicts: cython.longlong[::1],
) -> cython.int:
    """Find which records of rows [first, last), that `look` has seen, stay at the time `now`.

    `nulls` then has 1 for each that stays and 0 for each that goes; `verdicts` takes VERDICT numbers
    for each row: KEPT_RECORDS, TOMBSTONES (among those kept), NEWEST (timestamp of those kept, -1 if
    none), MARKS_AT. Returns 0 or a negative code.
    """
    result: cython.int
    if (
        first < 0
        or last > len(table) // layout.WIDTH
        or len(verdicts) < (last - first) * layout.VERDICT
    ):
        return layout.NO_ROOM
    if min(len(hashes), len(places)) < 2 * len(nulls):
        return layout.NO_ROOM
    with cython.nogil:
        result = _judge(keys, table, first, last, now, hashes, places, nulls, verdicts)
    return result
