"""Produce of one topic, straight between bytes and command: what most producers send.

Anything else is left to the generated codecs (see `produce`), with which this agrees byte for byte,
which is tested. It needs a fifth of their time; a small request costs half as much with it.
"""

from collections.abc import Mapping, Sequence
from struct import Struct, error

from barnabas.dialects.commands import Append, Appended, Produce
from barnabas.errors import ErrorCode
from barnabas.types import new_tuple

_NO_ID = bytes(16)
_LENGTH = Struct(">h")
_HEAD = Struct(">hiih")
_COUNT = Struct(">i")
_PARTITION = Struct(">ii")
_FLEXIBLE_HEAD = Struct(">hiBB")
_FLEXIBLE_ID_HEAD = Struct(">hiB16s")
_ENDS = b"\0\0"
_MOST_SHORT = 126
"""The longest name and the greatest number of partitions that are looked at here."""
FIRST_READ = 3
"""The first version that is read and written here: it has transactional ids, and one batch only."""


class ProduceHead:
    """What a request says before its partitions; all requests of a producer to a topic say the same.

    `end` is where the partitions begin. `topic` is empty where the topic is told by id.
    """

    __slots__ = (
        "acks", "end", "flexible", "timeout_ms", "topic", "topic_id", "transactional_id", "zstd",
    )  # fmt: skip

    def __init__(
        self,
        end: int,
        said: tuple[str | None, int, int],
        topic: str,
        topic_id: bytes,
        *,
        flexible: bool,
    ) -> None:
        self.end = end
        self.transactional_id, self.acks, self.timeout_ms = said
        self.topic = topic
        self.topic_id = topic_id
        self.flexible = flexible
        self.zstd = False

    def read(self, frame: memoryview) -> Produce | None:
        """The command of a request with this head; None unless its rest is of the shape known here."""
        try:
            appends = self._read_flexible(frame) if self.flexible else self._read_classic(frame)
        except (error, IndexError):
            return None
        if not appends:
            return None
        told = (self.acks, self.timeout_ms, self.transactional_id, self.zstd, appends, False)
        return new_tuple(Produce, told)

    def _read_classic(self, frame: memoryview) -> list[Append] | None:
        appends: list[Append] = []
        topic, position, total = self.topic, self.end + 4, len(frame)
        (count,) = _COUNT.unpack_from(frame, self.end)
        if count > _MOST_SHORT:
            return None
        while position < total:
            index, size = _PARTITION.unpack_from(frame, position)
            start = position + 8
            position = start + size
            if size < 0 or position > total:
                return None
            appends.append(new_tuple(Append, (topic, _NO_ID, index, frame[start:position])))
            if len(appends) > count:
                return None
        return appends if len(appends) == count else None

    def _read_flexible(self, frame: memoryview) -> list[Append] | None:
        appends: list[Append] = []
        topic, topic_id = self.topic, self.topic_id
        count = frame[self.end] - 1
        position, total = self.end + 1, len(frame) - 2
        if not 0 < count < 127 or frame[total:] != _ENDS:
            return None
        while position < total:
            (index,) = _COUNT.unpack_from(frame, position)
            start = position + 4
            size = shift = 0
            while True:
                byte = frame[start]
                start += 1
                size |= (byte & 127) << shift
                if byte < 128:
                    break
                shift += 7
            position = start + size
            if size == 0 or position > total or frame[position - 1]:
                return None
            appends.append(new_tuple(Append, (topic, topic_id, index, frame[start : position - 1])))
            if len(appends) > count:
                return None
        return appends if len(appends) == count else None


def read_head(frame: memoryview, position: int, version: int, *, zstd: bool) -> ProduceHead | None:
    """The head of the request at `position`; None if it does not have one topic."""
    if version < FIRST_READ:
        return None
    try:
        head = _read_head(frame, position, version)
    except (error, IndexError, UnicodeDecodeError):
        return None
    if head is not None:
        head.zstd = zstd
    return head


def _read_head(frame: memoryview, position: int, version: int) -> ProduceHead | None:
    transactional_id, name, topic_id = None, "", _NO_ID
    if version < 9:
        (length,) = _LENGTH.unpack_from(frame, position)
        position += _LENGTH.size
    else:
        length = frame[position] - 1
        position += 1
        if length > _MOST_SHORT:
            return None
    if length >= 0:
        transactional_id = str(frame[position : position + length], "utf-8")
        position += length
    elif length != -1:
        return None
    if version < 9:
        acks, timeout_ms, topics, length = _HEAD.unpack_from(frame, position)
        if topics != 1 or length < 0:
            return None
        end = position + 12 + length
        name = str(frame[end - length : end], "utf-8")
    elif version < 13:
        acks, timeout_ms, topics, length = _FLEXIBLE_HEAD.unpack_from(frame, position)
        if topics != 2 or not 0 < length < 128:
            return None
        end = position + 7 + length
        name = str(frame[end - length + 1 : end], "utf-8")
    else:
        acks, timeout_ms, topics, topic_id = _FLEXIBLE_ID_HEAD.unpack_from(frame, position)
        if topics != 2:
            return None
        end = position + 23
    said = (transactional_id, acks, timeout_ms)
    return ProduceHead(end, said, name, topic_id, flexible=version > 8)


_CLASSIC_PARTS = {3: "ihqq", 4: "ihqq", 5: "ihqqq", 6: "ihqqq", 7: "ihqqq", 8: "ihqqqih"}
_CLASSIC_RESTS: Mapping[int, tuple[int, ...]] = {8: (0, -1)}
"""Behind the offsets: no errors of records and no message."""
_FLEXIBLE_REST = (1, 0, 0)


class ProduceReply:
    """Replies of one version about one topic: their bytes differ in few places."""

    __slots__ = (
        "_behind", "_count", "_one", "_part", "_place", "_rest", "_size", "_tail", "_with_start",
        "topic", "topic_id",
    )  # fmt: skip

    def __init__(self, version: int, topic: str, topic_id: bytes) -> None:
        self.topic = topic
        self.topic_id = topic_id
        self._with_start = version > 4
        name = topic.encode()
        self._tail: tuple[int, ...]
        if version < 9:
            part, count, tail = _CLASSIC_PARTS[version], "i", "i"
            self._place = b"\0\0\0\1" + len(name).to_bytes(2, "big") + name
            self._rest = _CLASSIC_RESTS.get(version, ())
            self._tail = (0,)
        else:
            part, count, tail = "ihqqqBBB", "B", "BiB"
            where = bytes((len(name) + 1,)) + name if version < 13 else topic_id
            # The tagged fields of the header, of which there are none, and one topic.
            self._place = b"\0\2" + where
            self._rest = _FLEXIBLE_REST
            self._tail = (0, 0, 0)
        place = f">ii{len(self._place)}s{count}"
        self._part = part
        self._one = Struct(place + part + tail)
        self._size = self._one.size - 4
        self._count = 1 if count == "i" else 2
        self._behind = (*self._rest, *self._tail)

    @staticmethod
    def can_say(version: int, topic: str) -> bool:
        """Whether the version and the length of the topic's name are written here."""
        return version >= FIRST_READ and (
            not 9 <= version <= 12 or len(topic.encode()) <= _MOST_SHORT
        )

    def write(
        self,
        correlation_id: int,
        appends: Sequence[Append],
        answers: Sequence[Appended],
        codes: Mapping[int, ErrorCode],
    ) -> bytes | None:
        """The whole reply with its size; None if an answer says more than a code and offsets.

        `codes`: what clients of this version get for a code.
        """
        count = len(appends)
        if count == 1:
            return self._write_one(correlation_id, appends[0][2], answers[0], codes)
        topic, topic_id = self.topic, self.topic_id
        if count > _MOST_SHORT or any(
            append[0] != topic or append[1] != topic_id for append in appends
        ):
            return None
        layout = Struct(self._one.format.replace(self._part, count * self._part))
        values: list[int] = []
        for append, answer in zip(appends, answers, strict=True):
            error_code, base, time, start, errors, message = answer
            if message is not None or errors:
                return None
            code: int = codes.get(error_code, error_code) if error_code else 0
            if self._with_start:
                values += append[2], code, base, time, start, *self._rest
            else:
                values += append[2], code, base, time
        if layout.format[-1] == "B":
            count += 1
        size = layout.size - 4
        return layout.pack(size, correlation_id, self._place, count, *values, *self._tail)

    def _write_one(
        self, correlation_id: int, index: int, answer: Appended, codes: Mapping[int, ErrorCode]
    ) -> bytes | None:
        error_code, base, time, start, errors, message = answer
        if message is not None or errors:
            return None
        code: int = codes.get(error_code, error_code) if error_code else 0
        head = (self._size, correlation_id, self._place, self._count, index, code, base, time)
        if self._with_start:
            return self._one.pack(*head, start, *self._behind)
        return self._one.pack(*head, *self._behind)
