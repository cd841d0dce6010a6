# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Messages to bytes, by what `wire.shapes` says of their fields.

Only compiled; `struct_writing_plain` writes nothing, and generated Python writes all. That also takes
over here whatever is unusual (values that do not fit, tagged fields that nobody declared, records),
so that it alone explains. A reply of a group takes 0.2 to 0.4 us. Source: KIP-482.
"""

import cython
from cython.cimports.barnabas.kernels.big_endian import store
from cython.cimports.barnabas.kernels.slots import ascii_of, is_a, slot_get, slot_place
from cython.cimports.cpython.bytes import (
    PyBytes_AS_STRING,
    PyBytes_FromStringAndSize,
    PyBytes_GET_SIZE,
)
from cython.cimports.cpython.mem import PyMem_Free, PyMem_Malloc, PyMem_Realloc
from cython.cimports.cpython.unicode import PyUnicode_AsUTF8String
from cython.cimports.libc.string import memcpy, memmove

_MOST = cython.declare(cython.longlong, 0x7FFFFFFF)
_SMALL = cython.declare(cython.Py_ssize_t, 512)

Target = cython.struct(
    data=cython.p_uchar,
    at=cython.Py_ssize_t,
    room=cython.Py_ssize_t,
    owned=cython.bint,
)


class Unusual(ValueError):
    """Something that is left to generated Python."""


@cython.final
@cython.cclass
class Field:
    """One field of a struct that is on the wire.

    `told` is as in `struct_reading`. One with a tag is left out where it is as `default`.
    """

    kind: cython.uchar
    size: cython.Py_ssize_t
    place: cython.Py_ssize_t
    array: cython.bint
    nullable: cython.bint
    tag: cython.longlong
    inner: object
    default: object

    def __init__(self, descriptor: object, told: tuple, inner: object, default: object) -> None:
        self.place = slot_place(descriptor)
        self.kind, self.size, self.array, self.nullable, self.tag = told
        if self.kind == b"S" and not isinstance(inner, Shape):
            raise TypeError("a struct has a shape")
        self.inner = inner
        self.default = default


@cython.final
@cython.cclass
class Shape:
    """One struct in one version: its fields in order, and those that are tagged.

    `lengths` are the bytes of the length of a text, of bytes and of an array, 0 where it is a varint.
    """

    made: type
    fields: tuple
    tagged: tuple
    unknown: cython.Py_ssize_t
    text: cython.int
    blob: cython.int
    listed: cython.int

    def __init__(
        self, made: type, fields: tuple, tagged: tuple, unknown: object, lengths: tuple
    ) -> None:
        self.made = made
        self.fields = fields
        self.tagged = tagged
        self.unknown = slot_place(unknown)
        self.text, self.blob, self.listed = lengths


@cython.cfunc
@cython.inline
def _more(target: cython.pointer(Target), size: cython.Py_ssize_t) -> cython.p_uchar:
    """Where the next `size` bytes go."""
    room: cython.Py_ssize_t
    data: cython.p_uchar
    if size > target.room - target.at:
        if size > _MOST - target.at:
            raise Unusual
        room = 2 * (target.at + size)
        if target.owned:
            data = cython.cast(cython.p_uchar, PyMem_Realloc(target.data, room))
        else:
            data = cython.cast(cython.p_uchar, PyMem_Malloc(room))
        if data == cython.NULL:
            raise MemoryError
        if not target.owned:
            memcpy(data, target.data, target.at)
        target.data = data
        target.room = room
        target.owned = True
    target.at += size
    return target.data + target.at - size


@cython.cfunc
@cython.inline
@cython.exceptval(-1)
def _put_varint(target: cython.pointer(Target), value: cython.longlong) -> cython.int:
    while value >= 128:
        _more(target, 1)[0] = cython.cast(cython.uchar, value & 127 | 128)
        value >>= 7
    _more(target, 1)[0] = cython.cast(cython.uchar, value)
    return 0


@cython.cfunc
@cython.inline
@cython.exceptval(-1)
def _put_length(
    target: cython.pointer(Target), length: cython.longlong, size: cython.int
) -> cython.int:
    """A length of so many bytes; -1 for null."""
    if size == 0:
        return _put_varint(target, length + 1)
    if length > (_MOST if size == 4 else 0x7FFF):
        raise Unusual
    store(_more(target, size), length, size)
    return 0


@cython.cfunc
@cython.exceptval(-1)
def _put_fixed(field: Field, value: object, target: cython.pointer(Target)) -> cython.int:
    kind: cython.uchar = field.kind
    number: cython.longlong
    real: cython.double
    if kind == b"s":
        if type(value) is not bytes or len(value) != 16:
            raise Unusual
        memcpy(_more(target, 16), PyBytes_AS_STRING(value), 16)
        return 0
    if kind == b"d":
        if type(value) is not float:
            raise Unusual
        real = value
        memcpy(cython.address(number), cython.address(real), 8)
        store(_more(target, 8), number, 8)
        return 0
    if not isinstance(value, int):
        raise Unusual
    number = value
    if kind == b"?":
        number = number != 0
    elif kind == b"i":
        if number != cython.cast(cython.int, number):
            raise Unusual
    elif kind == b"h":
        if number != cython.cast(cython.short, number):
            raise Unusual
    elif kind == b"b":
        if number != cython.cast(cython.schar, number):
            raise Unusual
    elif kind != b"q" and (number < 0 or number >> (8 * field.size)):
        raise Unusual
    store(_more(target, field.size), number, cython.cast(cython.int, field.size))
    return 0


@cython.cfunc
@cython.exceptval(-1)
def _put_one(
    field: Field, shape: Shape, value: object, target: cython.pointer(Target)
) -> cython.int:
    """A value, or an element of an array."""
    size: cython.Py_ssize_t = 0
    start: cython.p_const_char
    encoded: bytes
    width: cython.int
    if field.size:
        return _put_fixed(field, value, target)
    if field.kind == b"S":
        if field.nullable and not field.array:
            _more(target, 1)[0] = 255 if value is None else 1
            if value is None:
                return 0
        return _put_struct(cython.cast(Shape, field.inner), value, target)
    width = shape.text if field.kind == b"T" else shape.blob
    if value is None:
        if field.array or not field.nullable:
            raise Unusual
        return _put_length(target, -1, width)
    if field.kind == b"T":
        if not isinstance(value, str):
            raise Unusual
        start = ascii_of(value, cython.address(size))
        if start != cython.NULL:
            _put_length(target, size, width)
            memcpy(_more(target, size), start, size)
            return 0
        encoded = PyUnicode_AsUTF8String(value)
    elif field.kind == b"B" and isinstance(value, (bytes, bytearray)):
        encoded = value if type(value) is bytes else bytes(value)
    else:
        raise Unusual
    size = PyBytes_GET_SIZE(encoded)
    _put_length(target, size, width)
    memcpy(_more(target, size), PyBytes_AS_STRING(encoded), size)
    return 0


@cython.cfunc
@cython.exceptval(-1)
def _put_array(
    field: Field, shape: Shape, values: object, target: cython.pointer(Target)
) -> cython.int:
    if values is None:
        if not field.nullable:
            raise Unusual
        return _put_length(target, -1, shape.listed)
    if type(values) is list:
        _put_length(target, len(cython.cast(list, values)), shape.listed)
        for value in cython.cast(list, values):
            _put_one(field, shape, value, target)
        return 0
    if type(values) is not tuple:
        raise Unusual
    _put_length(target, len(cython.cast(tuple, values)), shape.listed)
    for value in cython.cast(tuple, values):
        _put_one(field, shape, value, target)
    return 0


@cython.cfunc
@cython.exceptval(-1)
def _put_tags(shape: Shape, message: object, target: cython.pointer(Target)) -> cython.int:
    """The tagged fields whose values are not those of fields that are not there."""
    field: Field
    value: object
    count: cython.Py_ssize_t = target.at
    start: cython.Py_ssize_t
    size: cython.Py_ssize_t
    width: cython.int
    _more(target, 1)[0] = 0
    for field in shape.tagged:
        value = slot_get(message, field.place)
        if value is field.default or (field.default is not None and value == field.default):
            continue
        if target.data[count] == 127:
            raise Unusual
        target.data[count] += 1
        _put_varint(target, field.tag)
        # One byte is left for the size, and more when it is known that it takes more.
        start = target.at + 1
        _more(target, 1)
        if field.array:
            _put_array(field, shape, value, target)
        else:
            _put_one(field, shape, value, target)
        size = target.at - start
        width = 0
        while size >> 7 * (width + 1):
            width += 1
        _more(target, width)
        memmove(target.data + start + width, target.data + start, size)
        target.at = start - 1
        _put_varint(target, size)
        target.at += size
    return 0


@cython.cfunc
@cython.exceptval(-1)
def _put_struct(shape: Shape, message: object, target: cython.pointer(Target)) -> cython.int:
    if not is_a(message, shape.made):
        raise Unusual
    field: Field
    for field in shape.fields:
        if field.array:
            _put_array(field, shape, slot_get(message, field.place), target)
        else:
            _put_one(field, shape, slot_get(message, field.place), target)
    if shape.text:
        return 0
    if slot_get(message, shape.unknown) is not None:
        raise Unusual
    if shape.tagged:
        return _put_tags(shape, message, target)
    _more(target, 1)[0] = 0
    return 0


@cython.cfunc
def _written(
    shape: Shape, message: object, head: cython.Py_ssize_t, correlation_id: cython.longlong
) -> object:
    """The message behind a head of so many bytes; None: not written here."""
    small: cython.uchar[512]
    target: Target
    target.data = small
    target.at = head
    target.room = _SMALL
    target.owned = False
    try:
        _put_struct(shape, message, cython.address(target))
        if head:
            _put_head(target.data, target.at, head, correlation_id)
        return PyBytes_FromStringAndSize(cython.cast(cython.p_char, target.data), target.at)
    except (ValueError, AttributeError, TypeError, OverflowError):
        return None
    finally:
        if target.owned:
            PyMem_Free(target.data)


@cython.cfunc
@cython.exceptval(check=False)
def _put_head(
    data: cython.p_uchar,
    size: cython.Py_ssize_t,
    head: cython.Py_ssize_t,
    correlation_id: cython.longlong,
) -> cython.void:
    store(data, size - 4, 4)
    store(data + 4, correlation_id, 4)
    if head > 8:
        data[8] = 0


@cython.cfunc
def _framed(body: bytes, head: cython.Py_ssize_t, correlation_id: cython.longlong) -> bytes:
    start: cython.uchar[9]
    _put_head(start, head + PyBytes_GET_SIZE(body), head, correlation_id)
    return PyBytes_FromStringAndSize(cython.cast(cython.p_char, start), head) + body


@cython.final
@cython.cclass
class Writer:
    """Writes one version of a message; what is unusual `otherwise` writes, or says what is wrong."""

    shape: Shape
    otherwise: object

    def __init__(self, shape: Shape, otherwise: object) -> None:
        self.shape = shape
        self.otherwise = otherwise

    def encode(self, message: object, /) -> object:
        """All of a message; see `Codec.encode`."""
        whole: object = _written(self.shape, message, 0, 0)
        return self.otherwise(message) if whole is None else whole

    def reply(self, correlation_id: cython.longlong, message: object, /) -> object:
        """A whole response with its size, whose header has no tagged fields."""
        whole: object = _written(self.shape, message, 8, correlation_id)
        return _framed(self.otherwise(message), 8, correlation_id) if whole is None else whole

    def tagged_reply(self, correlation_id: cython.longlong, message: object, /) -> object:
        """The same with the number of tagged fields in its header, 0."""
        whole: object = _written(self.shape, message, 9, correlation_id)
        return _framed(self.otherwise(message), 9, correlation_id) if whole is None else whole
