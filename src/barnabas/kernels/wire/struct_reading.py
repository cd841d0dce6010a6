# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Decode messages by the field descriptions of `wire.shapes`.

This exists only compiled; otherwise `struct_reading_plain` stands in, and generated Python decodes every
message. Generated Python also decodes unusual messages (wrong bytes, undeclared tagged fields), so that it
alone reports errors: a ValueError here means "decode it there". Every length is compared with the remaining
bytes before it is used, shapes are as deep as a declaration, and the memory of a message is charged before
it is allocated (see `wire.charges`). A request of a group takes 0.5 to 1 us. Source: KIP-482.
"""

import cython
from cython.cimports.barnabas.kernels.buffers.big_endian import load32
from cython.cimports.barnabas.kernels.wire.message_bytes import (
    Source,
    fixed,
    length_of,
    varint,
)
from cython.cimports.barnabas.kernels.wire.slots import empty_object, slot_place, slot_set
from cython.cimports.barnabas.kernels.wire.texts import is_ascii, text_of
from cython.cimports.cpython.buffer import (
    Py_buffer,
    PyBUF_SIMPLE,
    PyBuffer_Release,
    PyObject_GetBuffer,
)
from cython.cimports.cpython.bytes import PyBytes_FromStringAndSize

from barnabas.errors import OverLimit

_LEAST_ELEMENT = cython.declare(cython.longlong, 192)
_LONG_TEXT = cython.declare(cython.longlong, 32767)
_WIDEST_CHARACTER = cython.declare(cython.longlong, 4)
"""As in `wire.charges`."""
_FIXED_HEAD = cython.declare(cython.Py_ssize_t, 10)  # of a request, before its client id


@cython.final
@cython.cclass
class Field:
    """One field of a struct that is on the wire.

    `form`: a code of the struct module, or T text, B bytes, R records, S the struct `inner`; the size
    of a fixed value, else 0; whether it is an array; whether there is a null; its tag or -1.
    `cost`: the bytes that are charged for an element, or for a struct that is not null. `path` leads to
    the field, `item` to an element.
    """

    kind: cython.uchar
    size: cython.Py_ssize_t
    place: cython.Py_ssize_t
    array: cython.bint
    nullable: cython.bint
    tag: cython.longlong
    inner: object
    cost: cython.longlong
    path: object
    item: object

    def __init__(
        self, descriptor: object, form: tuple, inner: object, cost: cython.longlong, path: str
    ) -> None:
        self.place = slot_place(descriptor)
        self.cost = cost
        self.kind, self.size, self.array, self.nullable, self.tag = form
        self.path = path
        self.item = path + "[]" if self.array else path
        if self.kind == b"S" and not isinstance(inner, Shape):
            raise TypeError("a struct has a shape")
        self.inner = inner


@cython.final
@cython.cclass
class Missing:
    """A field that is not there, or may not be: its value then, or what makes it."""

    place: cython.Py_ssize_t
    default: object
    factory: object

    def __init__(self, descriptor: object, default: object, factory: object) -> None:
        self.place = slot_place(descriptor)
        self.default = default
        self.factory = factory


@cython.final
@cython.cclass
class Shape:
    """One struct in one version: its fields in order, tagged, and those that may be missing.

    `lengths` are the bytes of the length of a text, of bytes and of an array, 0 where it is a varint;
    `least` is the fewest bytes that the struct takes.
    """

    made: type
    fields: tuple
    tagged: tuple
    missing: tuple
    unknown: cython.Py_ssize_t
    least: cython.Py_ssize_t
    text: cython.int
    blob: cython.int
    listed: cython.int
    tags_path: object

    def __init__(
        self,
        made: type,
        fields: tuple,
        tagged: tuple,
        missing: tuple,
        unknown: object,
        least: cython.Py_ssize_t,
        lengths: tuple,
        tags_path: str,
    ) -> None:
        self.made = made
        self.fields = fields
        self.tagged = tagged
        self.missing = missing
        self.unknown = slot_place(unknown)
        self.least = max(1, least)
        self.text, self.blob, self.listed = lengths
        self.tags_path = tags_path


@cython.cfunc
@cython.inline
@cython.exceptval(-1)
def _charge(
    source: cython.pointer(Source), path: object, count: cython.longlong, cost: cython.longlong
) -> cython.int:
    """Take so many objects from what the message may cost."""
    source.spare -= count * cost
    if source.spare < 0:
        raise OverLimit(path, source.at, count, cost, source.spare + count * cost)
    return 0


@cython.cfunc
def _one(field: Field, shape: Shape, source: cython.pointer(Source), data: object) -> object:
    """A value, or an element of an array."""
    if field.size:
        return fixed(source, field.kind, field.size)
    if field.kind == b"S":
        if field.nullable and not field.array:
            if source.at >= source.end:
                raise ValueError
            source.at += 1
            if source.data[source.at - 1] >= 128:
                return None
            _charge(source, field.path, field.cost, 1)
        return _struct(cython.cast(Shape, field.inner), source, data)
    length: cython.longlong = length_of(source, shape.text if field.kind == b"T" else shape.blob)
    if length < 0:
        if field.nullable and not field.array:
            return None
        raise ValueError
    if length > source.end - source.at:
        raise ValueError
    start: cython.p_char = cython.cast(cython.p_char, source.data + source.at)
    found: object
    if field.kind == b"T":
        found = _text(field, start, length, source)
    elif field.kind == b"B":
        _charge(source, field.item, length, 1)
        found = PyBytes_FromStringAndSize(start, length)
    else:
        whole: object = data if isinstance(data, memoryview) else memoryview(data)
        found = whole[source.at : source.at + length]
    source.at += length
    return found


@cython.cfunc
def _text(
    field: Field, start: cython.p_char, size: cython.longlong, source: cython.pointer(Source)
) -> object:
    cost: cython.longlong = size * _WIDEST_CHARACTER
    if size > _LONG_TEXT:
        _charge(source, field.item, cost, 1)
        return text_of(start, size, cython.NULL)
    text: object = text_of(start, size, cython.NULL)
    _charge(source, field.item, size if is_ascii(text) else cost, 1)
    return text


@cython.cfunc
def _array(field: Field, shape: Shape, source: cython.pointer(Source), data: object) -> object:
    count: cython.longlong = length_of(source, shape.listed)
    least: cython.Py_ssize_t = field.size
    if count < 0:
        if field.nullable:
            return None
        raise ValueError
    if field.kind == b"S":
        least = cython.cast(Shape, field.inner).least
    elif not least:
        least = 2 if shape.text else 1
    if count > (source.end - source.at) // least:
        raise ValueError
    _charge(source, field.path, count, field.cost)
    found: list = []
    while count > 0:
        count -= 1
        found.append(_one(field, shape, source, data))
    return found


@cython.cfunc
@cython.inline
def _value(field: Field, shape: Shape, source: cython.pointer(Source), data: object) -> object:
    if field.array:
        return _array(field, shape, source, data)
    return _one(field, shape, source, data)


@cython.cfunc
@cython.exceptval(-1)
def _tags(
    shape: Shape,
    made: object,
    count: cython.longlong,
    source: cython.pointer(Source),
    data: object,
) -> cython.int:
    """Tagged fields, all of which must be declared."""
    tag: cython.longlong
    size: cython.longlong
    stop: cython.Py_ssize_t
    field: Field
    _charge(source, shape.tags_path, count, _LEAST_ELEMENT)
    while count > 0:
        count -= 1
        tag = varint(source)
        size = varint(source)
        if size > source.end - source.at:
            raise ValueError
        stop = source.at + size
        for field in shape.tagged:
            if field.tag == tag:
                break
        else:
            raise ValueError
        slot_set(made, field.place, _value(field, shape, source, data))
        if source.at != stop:
            raise ValueError
    return 0


@cython.cfunc
def _struct(shape: Shape, source: cython.pointer(Source), data: object) -> object:
    made: object = empty_object(shape.made)
    field: Field
    missing: Missing
    count: cython.longlong
    for field in shape.fields:
        slot_set(made, field.place, _value(field, shape, source, data))
    for missing in shape.missing:
        if missing.factory is None:
            slot_set(made, missing.place, missing.default)
        elif missing.factory is list:
            slot_set(made, missing.place, [])
        else:
            slot_set(made, missing.place, missing.factory())
    slot_set(made, shape.unknown, None)
    if shape.text == 0:
        count = varint(source)
        if count:
            _tags(shape, made, count, source, data)
    return made


@cython.final
@cython.cclass
class Reader:
    """Reads one version of a message; `otherwise` reads unusual ones, or reports what is wrong.

    `most` is the memory that a message may take, in bytes, unless a call sets less.
    """

    shape: Shape
    otherwise: object
    most: cython.longlong

    def __init__(self, shape: Shape, otherwise: object, most: cython.longlong) -> None:
        self.shape = shape
        self.otherwise = otherwise
        self.most = most

    def decode(self, data: object, pos: cython.Py_ssize_t = 0, spare: object = None) -> object:
        """The message from `pos` on, and the position after it; see `Codec.decode`."""
        view: Py_buffer
        source: Source
        source.spare = self.most if spare is None else spare
        PyObject_GetBuffer(data, cython.address(view), PyBUF_SIMPLE)
        try:
            source.data = cython.cast(cython.pointer(cython.const[cython.uchar]), view.buf)
            source.at = pos
            source.end = view.len
            if 0 <= pos <= view.len:
                message: object = _struct(self.shape, cython.address(source), data)
                return message, source.at
        except ValueError:  # what is unusual, or a text that is not UTF-8
            pass
        finally:
            PyBuffer_Release(cython.address(view))
        return self.otherwise(data, pos, self.most if spare is None else spare)


@cython.final
@cython.cclass
class Requests:
    """Reads whole requests as objects of `made`, which has five slots.

    `most` is the memory that one may take, in bytes. `readers` has Readers under key << 16 | version,
    and none of the first version of ControlledShutdown, whose header ends before the client id. A
    header has tagged fields where its message has them. When a request came is left at 0.0.
    """

    readers: dict
    made: type
    places: cython.Py_ssize_t[6]
    most: cython.longlong

    def __init__(self, readers: dict, made: type, most: object) -> None:
        names: tuple = (
            "api_key",
            "api_version",
            "correlation_id",
            "client_id",
            "body",
            "received_s",
        )
        self.readers, self.made = readers, made
        self.most = most
        for at in range(6):
            self.places[at] = slot_place(getattr(made, names[at]))

    @cython.cfunc
    def _read(self, source: cython.pointer(Source), frame: object) -> object:
        data: cython.pointer(cython.const[cython.uchar]) = source.data
        if source.end < _FIXED_HEAD:
            return None
        found: object = self.readers.get(load32(data))
        key: cython.int = data[0] << 8 | data[1]
        if found is None:
            return None
        reader: Reader = found
        version: cython.int = data[2] << 8 | data[3]
        length: cython.Py_ssize_t = cython.cast(cython.short, data[8] << 8 | data[9])
        source.at = _FIXED_HEAD
        client: object = None
        if length >= 0:
            if length > source.end - source.at:
                return None
            client = text_of(cython.cast(cython.p_char, data + source.at), length, b"replace")
            source.at += length
        if reader.shape.text == 0:
            if source.at >= source.end or data[source.at]:
                return None
            source.at += 1
        body: object = _struct(reader.shape, source, frame)
        correlation_id: cython.int = load32(data + 4)
        values: tuple = (key, version, correlation_id, client, body, 0.0)
        made: object = empty_object(self.made)
        for at in range(6):
            slot_set(made, self.places[at], values[at])
        return made

    def read(self, frame: object, /) -> object:
        """Decode a frame; None if its message is unknown, or anything in it is unusual."""
        view: Py_buffer
        source: Source
        PyObject_GetBuffer(frame, cython.address(view), PyBUF_SIMPLE)
        try:
            source.data = cython.cast(cython.pointer(cython.const[cython.uchar]), view.buf)
            source.at, source.end, source.spare = 0, view.len, self.most
            return self._read(cython.address(source), frame)
        except ValueError:  # what is unusual, or a text that is not UTF-8
            return None
        finally:
            PyBuffer_Release(cython.address(view))
