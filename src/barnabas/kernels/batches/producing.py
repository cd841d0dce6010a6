# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The one batch that a producer sends for a partition: header, CRC and records, checked in one call.

Nothing is trusted: every length is compared with what remains of its record, batch and buffer before
it is used, and the greatest time is that of the records. Compiled, a batch of one record takes 0.3 us,
each further record 8 ns. Source: KIP-98; Kafka's ProduceRequest.validateRecords, LogValidator.
"""

try:
    import cython
except ImportError:
    from barnabas.kernels import shadow as cython

if cython.compiled:
    from cython.cimports.barnabas.kernels import layout
    from cython.cimports.barnabas.kernels.buffers.big_endian import int16, int32, int64, put, uint32
    from cython.cimports.barnabas.kernels.buffers.castagnoli import castagnoli, castagnoli_here
    from cython.cimports.barnabas.kernels.buffers.longs import add as add_long
    from cython.cimports.barnabas.kernels.buffers.varints import varint, varlong, wrapped
else:
    from barnabas.kernels import layout
    from barnabas.kernels.buffers.big_endian import int16, int32, int64, put, uint32
    from barnabas.kernels.buffers.longs import add as add_long
    from barnabas.kernels.buffers.varints import varint, varlong, wrapped

_HEADER_SIZE = cython.declare(cython.int, 61)
_COVERED_FROM = cython.declare(cython.int, 21)
_CODEC_MASK = cython.declare(cython.int, 7)
_HIGHEST_CODEC = cython.declare(cython.int, 4)
_CONTROL = cython.declare(cython.int, 0x20)
_LOG_APPEND_TIME = cython.declare(cython.int, 0x08)
_NO_TIME = cython.declare(cython.longlong, -1)
_SUMMED = cython.declare(cython.Py_ssize_t, 4096)
"""Bytes up to which a batch is summed here; for a larger one a call of the library costs less."""
_INT64_MAX = cython.declare(cython.longlong, 9223372036854775807)
_INT32_MAX = cython.declare(cython.longlong, 2147483647)
_RELEASE = cython.declare(cython.Py_ssize_t, 500000)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _headers_end(
    data: cython.const[cython.uchar][::1],
    position: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    count: cython.int,
) -> cython.Py_ssize_t:
    """Check `count` headers up to `end`; returns the position after them, or a negative code."""
    bad: cython.bint
    length: cython.int
    while count > 0:
        bad, position, length = varint(data, position, end)
        if bad:
            return layout.BAD_VARINT
        if length < 0 or length > end - position:
            return layout.BAD_HEADER_LENGTH
        position += length
        bad, position, length = varint(data, position, end)
        if bad:
            return layout.BAD_VARINT
        if length > end - position:
            return layout.BAD_HEADER_LENGTH
        if length > 0:
            position += length
        count -= 1
    return position


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _check(
    data: cython.const[cython.uchar][::1],
    position: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    count: cython.int,
    base_time: cython.longlong,
) -> tuple[cython.int, cython.int, cython.longlong]:
    """0 or a negative code, the record that it is about, the greatest time of those before."""
    bad: cython.bint
    length: cython.int
    offset: cython.int
    time: cython.longlong
    newest: cython.longlong = _NO_TIME
    record_end: cython.Py_ssize_t
    index: cython.int = 0
    for index in range(count):
        bad, position, length = varint(data, position, end)
        if bad:
            return layout.TOO_FEW_RECORDS, index, newest
        if length < 1 or length > end - position:
            return layout.BAD_RECORD_LENGTH, index, newest
        record_end = position + length
        bad, position, time = varlong(data, position + 1, record_end)
        if bad:
            return layout.BAD_VARINT, index, newest
        time = wrapped(base_time + time)
        newest = max(newest, time)
        bad, position, offset = varint(data, position, record_end)
        if bad:
            return layout.BAD_VARINT, index, newest
        if offset != index:
            return layout.BAD_OFFSET, index, newest
        bad, position, length = varint(data, position, record_end)
        if bad:
            return layout.BAD_VARINT, index, newest
        if length > record_end - position:
            return layout.BAD_KEY_LENGTH, index, newest
        if length > 0:
            position += length
        bad, position, length = varint(data, position, record_end)
        if bad:
            return layout.BAD_VARINT, index, newest
        if length > record_end - position:
            return layout.BAD_VALUE_LENGTH, index, newest
        if length > 0:
            position += length
        bad, position, length = varint(data, position, record_end)
        if bad:
            return layout.BAD_VARINT, index, newest
        if length < 0 or length > record_end - position:
            return layout.BAD_HEADER_COUNT, index, newest
        if length > 0:
            position = _headers_end(data, position, record_end, length)
            if position < 0:
                return cython.cast(cython.int, position), index, newest
        if position != record_end:
            return layout.RECORD_HAS_MORE, index, newest
    if position != end:
        return layout.BATCH_HAS_MORE, index, newest
    return 0, index, newest


def check(
    data: cython.const[cython.uchar][::1],
    start: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    count: cython.int,
    base_time: cython.longlong,
) -> tuple[int, int, int]:
    """Whether `count` records fill [start, end) exactly and have the offsets 0 to count - 1.

    A null key or value may have any negative length, as in Kafka's own reader. Returns 0 or a negative
    code, the record of that code, and the greatest time of the records before it, at least -1;
    times count from `base_time`.
    """
    result: tuple[cython.int, cython.int, cython.longlong]
    if start < 0 or end > len(data) or start > end or count < 0:
        return layout.BAD_COUNT, 0, _NO_TIME
    if end - start > _RELEASE:
        with cython.nogil:
            result = _check(data, start, end, count, base_time)
    else:
        result = _check(data, start, end, count, base_time)
    return result


def summed() -> cython.Py_ssize_t:
    """Bytes up to which `produced` looks at the CRC itself; 0 without an instruction for it."""
    if cython.compiled and castagnoli_here():
        return _SUMMED
    return 0


@cython.cfunc
@cython.exceptval(check=False)
def _is_fit(
    data: cython.const[cython.uchar][::1], size: cython.Py_ssize_t, max_bytes: cython.Py_ssize_t
) -> cython.bint:
    """As `produced` says."""
    if size < _HEADER_SIZE or size > max_bytes or data[16] != 2:
        return False
    attributes: cython.int = int16(data, 21)
    count: cython.int = int32(data, 57)
    codec: cython.int = attributes & _CODEC_MASK
    result: tuple[cython.int, cython.int, cython.longlong]
    if int32(data, 8) + 12 != size or int64(data, 0) != 0:
        return False
    if count < 1 or int32(data, 23) != count - 1:
        return False
    if attributes & (_CONTROL | _LOG_APPEND_TIME) != 0 or codec > _HIGHEST_CODEC:
        return False
    if int64(data, 43) >= 0 and (int16(data, 51) < 0 or int32(data, 53) < 0):
        return False
    if cython.compiled and size <= _SUMMED and castagnoli_here():  # noqa: SIM102 - too long
        if castagnoli(cython.address(data[_COVERED_FROM]), size - _COVERED_FROM) != uint32(
            data, 17
        ):
            return False
    if codec == 0:
        if size > _RELEASE:
            with cython.nogil:
                result = _check(data, _HEADER_SIZE, size, count, int64(data, 27))
        else:
            result = _check(data, _HEADER_SIZE, size, count, int64(data, 27))
        return result[0] >= 0 and result[2] == int64(data, 35)
    return True


def produced(
    data: cython.const[cython.uchar][::1], max_bytes: cython.Py_ssize_t
) -> tuple[int, ...] | None:
    """The header of the batch that fills `data`, if it is fit to be appended as it is, or else None.

    Fit: one whole batch of magic 2 and up to `max_bytes`, from offset 0, with as many records as its
    last offset delta says, no control batch, with its producers' times, of a known codec,
    sequenced if its producer is; a right CRC; uncompressed records that `check` would pass, the
    greatest time being what the header states. The CRC of more than `summed()` bytes, and compressed
    records, are left to the caller. The numbers are in the order of a `BatchHeader`.
    """
    size: cython.Py_ssize_t = len(data)
    if not _is_fit(data, size, max_bytes):
        return None
    return (
        0,
        size,
        int64(data, 0),
        int32(data, 12),
        2,
        uint32(data, 17),
        int16(data, 21),
        int32(data, 23),
        int64(data, 27),
        int64(data, 35),
        int64(data, 43),
        int16(data, 51),
        int32(data, 53),
        int32(data, 57),
    )


def queued(
    log: object,
    view: object,
    places: list,
    leader_epoch: cython.longlong,
    now_ms: cython.longlong,
    crc: object,
    bases: list,
) -> cython.Py_ssize_t:
    """Queue batches in a log, as far as they are fit and usual; returns their bytes.

    `places` has where each starts and ends in `view`; `bases` gets their offsets. Usual: uncompressed,
    of no transaction, the next one of its producer if it has one, within all limits of the log, and
    the active segment has room for it. With the first that is not, it ends: nothing is done with that.
    `crc` computes a CRC32C, for where `produced` leaves it to its caller.
    """
    received: cython.uchar[::1] = view
    batch: cython.uchar[::1]
    config = log.config
    epoch_known: cython.longlong = log.epochs.latest
    if log.refusal is not None or not config.takes_as_sent or leader_epoch > epoch_known:
        return 0
    segment = log.segments.active
    recent = log.recent
    producers = log.producers
    entry: object
    offsets = recent.offsets
    positions = recent.positions
    queue: list = log.queue
    most: cython.Py_ssize_t = config.sure_batch_bytes
    # Either may be as large as a long can be: their sum is at most that.
    latest: cython.longlong = min(config.message_timestamp_after_max_ms, _INT64_MAX - now_ms)
    latest += now_ms
    most_ms: cython.longlong = config.sure_segment_ms
    most_position: cython.longlong = config.segment_bytes
    first_offset: cython.longlong = segment.base_offset
    first_seen: cython.longlong = segment.first_seen
    interval: cython.longlong = segment.index_interval
    since: cython.longlong = segment.since_index
    newest: cython.longlong = segment.newest_seen
    room: cython.longlong = segment.room
    base: cython.longlong = log.end_offset
    position: cython.longlong = segment.size
    last: cython.longlong
    time: cython.longlong
    size: cython.Py_ssize_t
    taken: cython.Py_ssize_t = 0
    at: cython.Py_ssize_t
    end: cython.Py_ssize_t
    number: cython.Py_ssize_t
    for number in range(0, len(places), 2):
        at = places[number]
        end = places[number + 1]
        if at < 0 or end > len(received) or at > end:
            raise ValueError("outside of what was received")
        batch = received[at:end]
        size = end - at
        if not _is_fit(batch, size, most) or int16(batch, 21) != 0:
            break
        last = base + int32(batch, 23)
        time = int64(batch, 35)
        # As `Segment.surely_takes`.
        if room <= 0 or position + size > most_position or last - first_offset > _INT32_MAX:
            break
        if time > latest or first_seen < 0 or not 0 <= time - first_seen <= most_ms:
            break
        entry = None
        if int64(batch, 43) >= 0:
            entry = producers.next_of(int64(batch, 43), int16(batch, 51), int32(batch, 53))
            if entry is None:
                break
        records = view[at:end]
        if not (cython.compiled and size <= _SUMMED and castagnoli_here()):  # noqa: SIM102
            if crc(records[_COVERED_FROM:]) != uint32(batch, 17):
                break
        put(batch, 0, base, 8)
        put(batch, 12, leader_epoch, 4)
        if entry is not None:
            entry.add(int16(batch, 51), int32(batch, 53), last, last - base, time)
        bases.append(base)
        # As `queue_batch` and `Segment.add`.
        if since > interval or newest < -1:
            segment.size = position + size
            segment.since_index = since
            segment.index_batch(position, size, last, time)
            since = segment.since_index
            newest = segment.newest_seen
            room = segment.room
        else:
            since += size
            if time > newest:
                newest = time
                segment.newest_seen = newest
                segment.max_timestamp_offset = last
        add_long(offsets, base)
        add_long(positions, position)
        queue.append(records)
        base = last + 1
        position += size
        taken += size
    if taken:
        segment.size = position
        segment.since_index = since
        log.end_offset = base
        if len(offsets) >= recent.most:
            recent.forget_oldest()
    return taken
