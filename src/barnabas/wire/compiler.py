"""Codecs: for each (message, version) a reader and a writer, created on first use.

`Codec.of(ProduceRequest, 9).decode(frame)`. Frequent callers keep the codec. Compiled kernels read and
write; generated functions do what the kernels leave, or everything if none are compiled.
"""

import re
from collections.abc import Callable
from functools import cache, cached_property
from struct import calcsize, error
from types import TracebackType
from typing import Any, Generic, Protocol, TypeVar

from barnabas.errors import DecodeError, LocalProtocolError, OverLimit
from barnabas.kernels.wire.struct_reading import Reader
from barnabas.kernels.wire.struct_writing import Writer
from barnabas.types import Buffer
from barnabas.wire.layout import layout_of
from barnabas.wire.reading import MOST_BYTES, Reading
from barnabas.wire.schema import declaration_of
from barnabas.wire.send import Send
from barnabas.wire.shapes import reader_of, writer_of
from barnabas.wire.source import FieldLocation, FunctionSource
from barnabas.wire.tagged import MalformedField, TooMuchMemory
from barnabas.wire.writing import Writing

_Message = TypeVar("_Message")
_Decoded_co = TypeVar("_Decoded_co", covariant=True)
_Encoded_contra = TypeVar("_Encoded_contra", contravariant=True)

_NUMBER_OF = re.compile(r"\{i\d+\}")
"""What says in a path of a field which element of an array it is in."""
_DECODE_FAILURES = (error, IndexError, UnicodeDecodeError, MalformedField)
_ENCODE_FAILURES = (error, AttributeError, TypeError, UnicodeEncodeError, OverflowError)


class _Decode(Protocol[_Decoded_co]):
    def __call__(
        self, data: Buffer, pos: int = 0, spare: int = MOST_BYTES
    ) -> tuple[_Decoded_co, int]: ...


class _Encode(Protocol[_Encoded_contra]):
    def __call__(self, message: _Encoded_contra, /) -> bytes: ...


class _Write(Protocol[_Encoded_contra]):
    def __call__(self, message: _Encoded_contra, send: Send, /) -> None: ...


class Codec(Generic[_Message]):
    """Reads and writes one version of one message.

    `decode(data, pos=0, spare=MOST_BYTES)` gives the message and the position after it; fields
    of records are views of `data`. `spare` bounds the memory that it takes (see `charges`). Raises
    DecodeError, which names the field and the byte, and nothing else; OverLimit for `spare`.

    `encode(message)` gives bytes. `write(message, send)` adds to a Send and does not copy records.
    Both raise LocalProtocolError where a value does not fit its field in this version.
    """

    def __init__(self, declared: type[_Message], version: int) -> None:
        """Nothing is made before it is used; to generate takes a millisecond each way. Use `of`."""
        declaration = declaration_of(declared)
        if version not in declaration.versions:
            raise LocalProtocolError(f"{declared.__name__} has no version {version}")
        self.version = version
        self._layout = layout_of(declared, version, declaration.encoding(version))
        self._title = f"<{declared.__name__} v{version} %s>"

    @cached_property
    def decode(self) -> _Decode[_Message]:
        """From bytes."""
        return self.generated_decode if self.reader is None else self.reader.decode

    @cached_property
    def reader(self) -> Reader | None:
        """Whose method `decode` is, for a kernel that reads whole frames; None where there is none."""
        return reader_of(self._layout, self._decode_unusual, MOST_BYTES)

    @cached_property
    def generated_decode(self) -> _Decode[_Message]:
        """From bytes by generated code, which says what is wrong with them."""
        decode: _Decode[_Message] = _compiled(Reading(self._layout).source, "decode", self._title)
        return decode

    @property
    def has_records(self) -> bool:
        """Whether it may hold record sets, which `write` does not copy."""
        return self._layout.has_records()

    @cached_property
    def encode(self) -> _Encode[_Message]:
        """To bytes."""
        if self.has_records:
            return self._joined
        return self.generated_encode if self.writer is None else self.writer.encode

    @cached_property
    def writer(self) -> Writer | None:
        """What `encode` and `write` ask, and writes whole frames too; None where there is none."""
        return writer_of(self._layout, self._encode_unusual)

    @cached_property
    def generated_encode(self) -> _Encode[_Message]:
        """To bytes by generated code, which says what does not fit; for what has no records."""
        encode: _Encode[_Message] = _compiled(Writing(self._layout).source, "encode", self._title)
        return encode

    @cached_property
    def write(self) -> _Write[_Message]:
        """To parts of a Send."""
        if not self.has_records:
            return self._added
        return self.generated_write if self.writer is None else self._in_parts

    @cached_property
    def generated_write(self) -> _Write[_Message]:
        """To parts of a Send by generated code, which says what does not fit; for what has records."""
        write: _Write[_Message] = _compiled(Writing(self._layout).source, "write", self._title)
        return write

    @staticmethod
    def of(declared: type[_Message], version: int) -> "Codec[_Message]":
        """The codec of a message in a version, made once.

        Raises:
            LocalProtocolError: the message has no such version.
        """
        known: Any = declared
        codec: Codec[_Message] = _codec(known, version)
        return codec

    def _decode_unusual(self, data: Buffer, pos: int, spare: int) -> tuple[_Message, int]:
        return self.generated_decode(data, pos, spare)

    def _encode_unusual(self, message: _Message, /) -> bytes:
        return self.generated_encode(message)

    def _joined(self, message: _Message, /) -> bytes:
        send = Send()
        self.write(message, send)
        return send.joined()

    def _in_parts(self, message: _Message, send: Send, /) -> None:
        assert self.writer is not None
        written = self.writer.parts(message)
        if written is None:
            self.generated_write(message, send)
        elif isinstance(written, bytes):
            send.add(written)
        else:
            send.add_all(*written)

    def _added(self, message: _Message, send: Send, /) -> None:
        send.add(self.encode(message))


@cache
def _codec(declared: Any, version: int) -> Any:
    return Codec(declared, version)


def _compiled(source: FunctionSource, name: str, title: str) -> Any:
    spots, title = source.spots, title % name
    decoding = name == "decode"
    source.names["FAILURES"] = _DECODE_FAILURES if decoding else _ENCODE_FAILURES
    explain: Callable[[Exception], Exception] = lambda failure: (  # noqa: E731
        _misread(failure, spots, title) if decoding else _unwritable(failure, spots, title)
    )
    source.names["explain"] = explain
    return source.compile(name, title)


def _failed_at(
    failure: Exception, spots: dict[int, FieldLocation], title: str
) -> tuple[FieldLocation, dict[str, Any]]:
    """The spot of the generated line that failed, and the variables of its function."""
    trace: TracebackType | None = failure.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == title:
            return spots.get(
                trace.tb_lineno, FieldLocation((("message", "B"),))
            ), trace.tb_frame.f_locals
        trace = trace.tb_next
    raise AssertionError("a generated function explains its own failures only") from failure


def _misread(failure: Exception, spots: dict[int, FieldLocation], title: str) -> DecodeError:
    """Say which field could not be read, where, and what should have been there."""
    spot, found = _failed_at(failure, spots, title)
    position, end = found.get("pos", 0), found.get("end", 0)
    path, _ = spot.fields[0]
    if isinstance(failure, TooMuchMemory):
        return OverLimit(_NUMBER_OF.sub("", path), position, *failure.details)
    if isinstance(failure, MalformedField):
        return DecodeError(path.format_map(found), position, str(failure))
    if isinstance(failure, UnicodeDecodeError):
        return DecodeError(path.format_map(found), position + failure.start, "UTF-8")
    for path, code in spot.fields:  # noqa: B007  (the field where the bytes ran out)
        size = calcsize(">" + code)
        if position + size > end:
            break
        position += size
    left = max(0, end - position)
    return DecodeError(path.format_map(found), position, f"more bytes; {left} are left")


def _unwritable(
    failure: Exception, spots: dict[int, FieldLocation], title: str
) -> LocalProtocolError:
    """Say which field holds a value that cannot be written."""
    spot, found = _failed_at(failure, spots, title)
    indexes = {
        f"i{name[1:]}": _index(found.get(f"a{name[1:]}"), value)
        for name, value in found.items()
        if name.startswith("o")
    }
    paths = " or ".join(dict.fromkeys(path.format_map(indexes) for path, _ in spot.fields))
    return LocalProtocolError(f"{title.strip('<>')}: {paths}: {failure}")


def _index(items: Any, item: Any) -> int:
    if not isinstance(items, list | tuple):  # what there is may be what does not fit
        return 0
    return next((index for index, other in enumerate(items) if other is item), 0)
