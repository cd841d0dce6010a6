"""`objects` in plain Python, for where nothing is compiled: same classes, same results, same errors.

About thirty times slower. Source: KIP-98.
"""

from collections.abc import Callable, Generator, Iterable
from struct import Struct
from threading import Lock
from typing import Any, final

from barnabas.kernels.buffers.varints import wrapped

_HEADER_SIZE = 61
_PREFIX_SIZE = 12
_CRC_AT = 17
_CRC_FROM = 21
_HEADER = Struct(">qiibIhiqqqhii")
_CRC = Struct(">I")
_LARGEST = 2**31 - 1


@final
class Delivery:
    """The outcome of one record that was sent: the record `index` of a batch.

    `batch` is the sender's: it has done(index), result(index, timestamp, timeout_s), the
    coroutine awaited(index, timestamp) and shown(index).
    """

    __slots__ = ("batch", "index", "timestamp")

    batch: Any
    index: int
    timestamp: int

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{name} cannot be changed")

    def done(self) -> bool:
        """Whether it is known."""
        return bool(self.batch.done(self.index))

    def result(self, timeout_s: float | None = None) -> Any:
        """Wait for it, for up to `timeout_s` seconds; raises what made the delivery fail."""
        return self.batch.result(self.index, self.timestamp, timeout_s)

    def __await__(self) -> Generator[Any, None, Any]:
        waiting: Generator[Any, None, Any] = self.batch.awaited(
            self.index, self.timestamp
        ).__await__()
        return waiting

    def __repr__(self) -> str:
        return f"<Delivery {self.batch.shown(self.index)}>"


def _delivery(batch: object, index: int, timestamp: int) -> Delivery:
    delivery = Delivery()
    put = object.__setattr__
    put(delivery, "batch", batch)
    put(delivery, "index", index)
    put(delivery, "timestamp", timestamp)
    return delivery


def _put(target: bytearray, value: int) -> None:
    """Write a zigzag varint."""
    raw = value << 1 if value >= 0 else ~(value << 1)
    while raw >= 128:
        target.append(raw & 127 | 128)
        raw >>= 7
    target.append(raw)


def _put_bytes(target: bytearray, data: bytes | None) -> None:
    """Write a length and bytes; -1 alone for null."""
    if data is None:
        target.append(1)
    else:
        _put(target, len(data))
        target += data


def _as_bytes(data: object, what: str) -> bytes | None:
    if data is None or type(data) is bytes:
        return data
    if isinstance(data, bytes | bytearray | memoryview):
        return bytes(data)
    raise TypeError(f"a {what} is bytes or None, not {type(data).__name__}")


def _as_headers(headers: Iterable[tuple[str, object]]) -> list[tuple[bytes, bytes | None]]:
    checked = []
    for pair in headers:
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise TypeError(f"a header is a pair of str and bytes, not {pair!r}")
        name, value = pair
        if type(name) is not str:
            raise TypeError(f"the name of a header is str, not {type(name).__name__}")
        checked.append((name.encode(), _as_bytes(value, "header's value")))
    return checked


def _fits(value: int, bits: int) -> int:
    if not -(1 << bits - 1) <= value < 1 << bits - 1:
        raise OverflowError(f"{value} does not fit into {bits} bits")
    return value


@final
class RecordAppender:
    """The records of one batch, growing up to a limit.

    `size` is that of the batch without compression, header included; `limit` bounds it, but the
    first record always fits. Timestamps are milliseconds since the epoch; both are -1 while empty.
    """

    __slots__ = (
        "_buffer", "_lock", "batch", "count", "first_timestamp", "limit", "max_timestamp", "sealed",
        "size",
    )  # fmt: skip

    def __init__(self, limit: int, batch: object = None) -> None:
        self.batch = batch
        self.limit = min(limit, _LARGEST)
        self.size = _HEADER_SIZE
        self.count = 0
        self.sealed = False
        self.first_timestamp = -1
        self.max_timestamp = -1
        self._buffer: bytearray | None = bytearray(_HEADER_SIZE)
        # One append is one step for other threads; compiled that comes by itself.
        self._lock = Lock()

    def append(
        self, timestamp: int, key: object, value: object, headers: Iterable[Any] | None = ()
    ) -> Delivery | None:
        """Add a record; returns None if the batch is sealed or has no room for it.

        Raises:
            TypeError: key or value is not bytes, a header not (str, bytes).
        """
        _fits(timestamp, 64)
        names = _as_headers(headers or ())
        key_bytes, value_bytes = _as_bytes(key, "key"), _as_bytes(value, "value")
        with self._lock:
            return self._append(timestamp, key_bytes, value_bytes, names)

    def _append(
        self,
        timestamp: int,
        key: bytes | None,
        value: bytes | None,
        names: list[tuple[bytes, bytes | None]],
    ) -> Delivery | None:
        body = bytearray(1)
        _put(body, wrapped(timestamp - self.first_timestamp) if self.count else 0)
        _put(body, self.count)
        _put_bytes(body, key)
        _put_bytes(body, value)
        _put(body, len(names))
        for name, content in names:
            _put_bytes(body, name)
            _put_bytes(body, content)
        record = bytearray()
        _put(record, len(body))
        record += body
        if self.sealed or self._buffer is None or len(record) > _LARGEST - self.size:
            return None
        if self.count and len(record) > self.limit - self.size:
            return None
        self._buffer += record
        delivery = _delivery(self.batch, self.count, timestamp)
        if self.count == 0:
            self.first_timestamp = timestamp
        self.max_timestamp = max(self.max_timestamp, timestamp) if self.count else timestamp
        self.count += 1
        self.size += len(record)
        return delivery

    def seal(self) -> None:
        """Take no more records."""
        with self._lock:
            self.sealed = True

    def take(self) -> bytearray:
        """Seal, and give away the batch: 61 bytes for its header, to be filled, and the records."""
        self.seal()
        taken = self._buffer
        if taken is None:
            raise ValueError("the records were taken already")
        self._buffer = None
        return taken

    def finish(
        self,
        base_offset: int,
        leader_epoch: int,
        attributes: int,
        producer_id: int,
        producer_epoch: int,
        base_sequence: int,
        crc32c: Callable[[memoryview], int],
    ) -> bytearray:
        """As `take`, with its header: `attributes` may not say that it is compressed.

        `crc32c` sums it.
        """
        batch = self.take()
        _HEADER.pack_into(
            batch, 0, base_offset, self.size - _PREFIX_SIZE, leader_epoch, 2, 0, attributes,
            self.count - 1, self.first_timestamp, self.max_timestamp, producer_id, producer_epoch,
            base_sequence, self.count,
        )  # fmt: skip
        _CRC.pack_into(batch, _CRC_AT, crc32c(memoryview(batch)[_CRC_FROM:]))
        return batch


@final
class OpenBatches:
    """Adds a producer's records without key and partition to the open batches in `by_topic`.

    `time_ns` returns the time since the epoch in nanoseconds.
    """

    __slots__ = ("_time_ns", "by_topic")

    def __init__(self, by_topic: dict[str, RecordAppender], time_ns: Callable[[], int]) -> None:
        self.by_topic = by_topic
        self._time_ns = time_ns

    def append(
        self,
        topic: str,
        value: object,
        timestamp: int | None = None,
        headers: Iterable[Any] | None = (),
    ) -> Delivery | None:
        """Add a record, of now where `timestamp` is None; text is sent as UTF-8.

        None where the topic has no open batch, or that is sealed or has no room for it, and where
        topic, timestamp or headers are not of the usual types: nothing of them is used up then.

        Raises:
            TypeError: the value is not bytes or text, a header not (str, bytes).
        """
        found = self.by_topic.get(topic) if type(topic) is str else None
        if found is None or (headers != () and type(headers) not in {list, tuple}):
            return None
        if timestamp is None:
            when = self._time_ns() // 1_000_000
        elif type(timestamp) is int and timestamp >= 0:
            when = timestamp
        else:
            return None
        if type(value) is str:
            value = value.encode()
        return found.append(when, None, value, headers)
