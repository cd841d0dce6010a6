"""The language of message declarations: field types, `on`, `@struct`, `@message`.

One class carries all versions of a message; its objects have no version. What a version looks
like on the wire is worked out by `layout`, and only when it is first used.
"""

from collections.abc import Callable, Mapping
from functools import cache
from operator import attrgetter
from typing import Annotated, Any, Final, NamedTuple, TypeVar, cast, dataclass_transform

from barnabas.versions import VersionRange
from barnabas.wire.encoding import CLASSIC, FLEXIBLE, Encoding
from barnabas.wire.send import RecordData


class Fixed(NamedTuple):
    """A value of fixed size; `code` is the struct module's."""

    code: str


class _Kind:
    """A type without parameters: one is as good as another."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other)

    def __hash__(self) -> int:
        return hash(type(self))


class Text(_Kind):
    """UTF-8 after its length in bytes."""

    __slots__ = ()


class Blob(_Kind):
    """Bytes after their number."""

    __slots__ = ()


class RecordSet(_Kind):
    """Bytes after their number, never copied: a view when read, handed over when written."""

    __slots__ = ()


Int8 = Annotated[int, Fixed("b")]
Int16 = Annotated[int, Fixed("h")]
Int32 = Annotated[int, Fixed("i")]
Int64 = Annotated[int, Fixed("q")]
Uint16 = Annotated[int, Fixed("H")]
Uint32 = Annotated[int, Fixed("I")]
Float64 = Annotated[float, Fixed("d")]
Bool = Annotated[bool, Fixed("?")]
Uuid = Annotated[bytes, Fixed("16s")]
String = Annotated[str, Text()]
Bytes = Annotated[bytes, Blob()]
Records = Annotated[RecordData, RecordSet()]

_Item = TypeVar("_Item")
Array = list[_Item]

NO_UUID: Final = bytes(16)


class _Required:
    """The default of a field that has none."""

    def __repr__(self) -> str:
        return "<required>"


REQUIRED: Final = _Required()


class On(NamedTuple):
    """What a declaration says of one field beside its type."""

    versions: VersionRange
    default: Any = REQUIRED
    factory: Callable[[], Any] | None = None
    nullable: VersionRange | None = None
    tag: int | None = None
    tagged: VersionRange | None = None


def on(
    versions: str = "0+",
    *,
    default: Any = REQUIRED,
    factory: Callable[[], Any] | None = None,
    nullable: str | None = None,
    tag: int | None = None,
    tagged: str | None = None,
) -> Any:
    """Say in which versions a field is on the wire, and how.

    `default` (or what `factory` makes) is the value where it is not. `nullable`: the versions that
    can say null, if not all that have the field (its type says `| None` then). `tag`: its number
    among the tagged fields, in the versions `tagged` (or all). A tagged struct that is `| None` is
    None when absent; there is no null on the wire for it.
    """
    return On(
        VersionRange.parse(versions),
        default,
        factory,
        None if nullable is None else VersionRange.parse(nullable),
        tag,
        None if tagged is None else VersionRange.parse(tagged),
    )


_ALWAYS = On(VersionRange.parse("0+"))


class Declaration(NamedTuple):
    """What is declared by a class: its fields in order; key and versions where it is a message."""

    fields: Mapping[str, On]
    key: int | None = None
    versions: VersionRange = VersionRange(0, -1)
    flexible: VersionRange = VersionRange(0, -1)
    lengths: Encoding = CLASSIC

    def encoding(self, version: int) -> Encoding:
        """How lengths are written in `version`."""
        return FLEXIBLE if version in self.flexible else self.lengths


def declaration_of(declared: type) -> Declaration:
    """The declaration of a class made by `@message` or `@struct`."""
    found = declared.__dict__["DECLARATION"]
    assert isinstance(found, Declaration)
    return found


_Class = TypeVar("_Class")


@dataclass_transform(kw_only_default=True, field_specifiers=(on,))
def struct(declared: type[_Class]) -> type[_Class]:
    """Declare a part of messages: a class of slots, made with keywords."""
    return _build(declared, Declaration(_fields(declared)))


@dataclass_transform(kw_only_default=True, field_specifiers=(on,))
def message(
    *,
    versions: str,
    flexible: str = "none",
    key: int | None = None,
    lengths: Encoding = CLASSIC,
) -> Callable[[type[_Class]], type[_Class]]:
    """Declare a message: as `struct`, with all its versions and its API key, if it has one.

    `lengths`: how they are written in the versions that are not flexible.
    """

    def declare(declared: type[_Class]) -> type[_Class]:
        ranges = VersionRange.parse(versions), VersionRange.parse(flexible)
        return _build(declared, Declaration(_fields(declared), key, *ranges, lengths))

    return declare


def _fields(declared: type) -> dict[str, On]:
    declarations = vars(declared)
    return {
        name: declarations.get(name, _ALWAYS) for name in declarations.get("__annotations__", ())
    }


def _build(declared: type[_Class], declaration: Declaration) -> type[_Class]:
    """The class again with slots; at import a thirtieth of the cost of a dataclass."""
    kept = {
        name: value
        for name, value in vars(declared).items()
        if name not in declaration.fields and name not in ("__dict__", "__weakref__")
    }
    return type(
        declared.__name__,
        (),
        {
            **kept,
            "__slots__": (*declaration.fields, "unknown_tags"),
            "__init__": _first_init,
            "__repr__": _repr,
            "__eq__": _eq,
            "__hash__": None,
            "DECLARATION": declaration,
        },
    )


def maker(declared: type[_Class]) -> Callable[..., _Class]:
    """What makes objects as their class does, in half the time; for those that are made often."""
    make = _function(declared, "make", " self = NEW(MADE)\n", " return self\n")
    return cast("Callable[..., _Class]", make)


def _first_init(self: object, **values: object) -> None:
    """Stands in for `__init__` until the first object is made, then writes the real one."""
    made = type(self)
    type.__setattr__(made, "__init__", _function(made, "__init__", "", ""))
    made.__init__(self, **values)


def _function(made: type, name: str, begin: str, end: str) -> object:
    """One that fills an object with what it is given by name, made by `begin` or its first argument."""
    names: dict[str, object] = {"REQUIRED": REQUIRED, "MADE": made, "NEW": object.__new__}
    parameters, lines = [], []
    for field, spec in declaration_of(made).fields.items():
        if spec.factory is not None:
            names[f"make_{field}"] = spec.factory
            parameters.append(f"{field}=REQUIRED")
            lines.append(f" self.{field} = make_{field}() if {field} is REQUIRED else {field}\n")
            continue
        names[f"default_{field}"] = spec.default
        parameters.append(field if spec.default is REQUIRED else f"{field}=default_{field}")
        lines.append(f" self.{field} = {field}\n")
    given = [*([] if begin else ["self"]), *(["*", *parameters] if parameters else [])]
    head = f"def {name}({', '.join(given)}):\n{begin} self.unknown_tags = None\n"
    exec(head + "".join(lines) + end, names)  # noqa: S102  (text from spec, never from input)
    return names[name]


def _repr(self: object) -> str:
    fields = [f"{name}={getattr(self, name)!r}" for name in declaration_of(type(self)).fields]
    unknown = getattr(self, "unknown_tags", None)
    if unknown:
        fields.append(f"unknown_tags={unknown!r}")
    return f"{type(self).__name__}({', '.join(fields)})"


def _eq(self: object, other: object) -> Any:
    if type(self) is not type(other):
        return NotImplemented
    declared: Any = type(self)
    values = _values(declared)
    return values(self) == values(other)


@cache
def _values(declared: type) -> Callable[[object], object]:
    return attrgetter(*declaration_of(declared).fields, "unknown_tags")
