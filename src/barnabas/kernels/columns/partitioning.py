# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Which partition each row of a column goes to, and rows in the order of their partitions.

Keys are hashed with murmur2, as Kafka's partitioner does; groups and the keys of 0.7 as Java hashes a String.

Compiled, a column of 8 byte keys takes about 3 ns a key.
"""

try:
    import cython
except ImportError:
    from barnabas.kernels import shadow as cython


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _murmur2(
    data: cython.const[cython.uchar][::1], start: cython.Py_ssize_t, length: cython.Py_ssize_t
) -> cython.uint:
    """The 32 bit hash. Source: Kafka's Utils.murmur2 (seed 0x9747b28c, m 0x5bd1e995, r 24)."""
    multiplier: cython.uint = 0x5BD1E995
    seed: cython.uint = 0x1747B28C
    word: cython.uint
    position: cython.Py_ssize_t = start
    end: cython.Py_ssize_t = start + length
    # 0x9747b28c, but a literal of 2^31 or more would be a Python object
    value: cython.uint = (seed | (cython.cast(cython.uint, 1) << 31)) ^ cython.cast(
        cython.uint, length
    )
    while end - position >= 4:
        word = (
            cython.cast(cython.uint, data[position])
            | (cython.cast(cython.uint, data[position + 1]) << 8)
            | (cython.cast(cython.uint, data[position + 2]) << 16)
            | (cython.cast(cython.uint, data[position + 3]) << 24)
        )
        word = _times(word, multiplier)
        word ^= word >> 24
        value = _times(value, multiplier) ^ _times(word, multiplier)
        position += 4
    left: cython.Py_ssize_t = end - position
    if left == 3:
        value ^= cython.cast(cython.uint, data[position + 2]) << 16
    if left >= 2:
        value ^= cython.cast(cython.uint, data[position + 1]) << 8
    if left >= 1:
        value ^= cython.cast(cython.uint, data[position])
        value = _times(value, multiplier)
    value ^= value >> 13
    value = _times(value, multiplier)
    return value ^ (value >> 15)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _times(value: cython.uint, by: cython.uint) -> cython.uint:
    if cython.compiled:
        return value * by
    return (value * by) & 0xFFFFFFFF


def murmur2(key: cython.const[cython.uchar][::1]) -> cython.uint:
    """The hash of one key, as an unsigned 32 bit number."""
    return _murmur2(key, 0, len(key))


def java_hash(units: cython.const[cython.uchar][::1]) -> cython.uint:
    """Java's String.hashCode of UTF-16 units, high byte first, as an unsigned 32 bit number.

    A byte without a second one is ignored. 32,767 units take about 30 us.
    """
    value: cython.uint = 0
    at: cython.Py_ssize_t
    for at in range(0, len(units) - 1, 2):
        value = _times(value, 31) + ((cython.cast(cython.uint, units[at]) << 8) | units[at + 1])
        if not cython.compiled:
            value &= 0xFFFFFFFF
    return value


def partitions_of_keys(
    ends: cython.const[cython.int][::1],
    data: cython.const[cython.uchar][::1],
    bits: cython.const[cython.uchar][::1],
    bit_offset: cython.Py_ssize_t,
    count: cython.int,
    partitions: cython.int[::1],
) -> cython.Py_ssize_t:
    """Partition of each key, as Kafka's default partitioner has it, where there is -1; null stays -1.

    Shapes: ends int32[n + 1] into data; bits the validity, empty where none is null, row 0 at bit
    `bit_offset`; partitions int32[n]. Returns n, or -1 - row where a key does not lie in `data`.
    """
    row: cython.Py_ssize_t
    bit: cython.Py_ssize_t
    rows: cython.Py_ssize_t = len(partitions)
    if len(ends) <= rows or count < 1:
        return -1
    if len(bits) and (bit_offset < 0 or len(bits) * 8 < bit_offset + rows):
        return -1
    for row in range(rows):
        if partitions[row] != -1:
            continue
        if len(bits):
            bit = bit_offset + row
            if (bits[bit >> 3] >> (bit & 7)) & 1 == 0:
                continue
        if ends[row] < 0 or ends[row + 1] < ends[row] or ends[row + 1] > len(data):
            return -1 - row
        partitions[row] = (
            cython.cast(
                cython.int, _murmur2(data, ends[row], ends[row + 1] - ends[row]) & 0x7FFFFFFF
            )
            % count
        )
    return rows


def spread(
    partitions: cython.int[::1],
    run: cython.longlong,
    partition: cython.longlong,
    count: cython.longlong,
) -> cython.longlong:
    """Give rows that have no partition yet (-1) one of `count`, changing after `run` of them.

    Starts with `partition` and returns the one to start with next time.
    """
    row: cython.Py_ssize_t
    given: cython.longlong = 0
    for row in range(len(partitions)):
        if partitions[row] == -1:
            if given == run:
                given = 0
                partition = (partition + 1) % count
            partitions[row] = cython.cast(cython.int, partition)
            given += 1
    return (partition + 1) % count if given else partition


def group(
    partitions: cython.int[::1], starts: cython.longlong[::1], order: cython.int[::1]
) -> cython.Py_ssize_t:
    """Order rows by partition, keeping their order within each.

    Shapes: partitions int32[n], of 0 to p - 1; starts int64[p + 1], zero before: partition i gets
    order[starts[i]:starts[i + 1]]; order int32[n]. Returns n, or -1 - row where a row has no such
    partition.
    """
    row: cython.Py_ssize_t
    partition: cython.Py_ssize_t
    rows: cython.Py_ssize_t = len(partitions)
    count: cython.Py_ssize_t = len(starts) - 1
    if count < 1 or len(order) < rows:
        return -1
    for row in range(rows):
        partition = partitions[row]
        if partition < 0 or partition >= count:
            return -1 - row
        starts[partition + 1] += 1
    for partition in range(count):
        starts[partition + 1] += starts[partition]
    # starts[i] is where partition i begins; while filling it moves to where it ends
    for row in range(rows):
        partition = partitions[row]
        order[starts[partition]] = row
        starts[partition] += 1
    for partition in range(count, 0, -1):
        starts[partition] = starts[partition - 1]
    starts[0] = 0
    return rows
