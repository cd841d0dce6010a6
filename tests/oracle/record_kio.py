"""Writes shapes_kio.txt and errors_kio.txt: all messages and error codes as kio has them.

Run it where kio is installed (`pip install kio`), from this folder: python record_kio.py
"""

import sys
from collections.abc import Iterator
from dataclasses import MISSING, Field, fields
from datetime import timedelta
from importlib import import_module
from importlib.metadata import version as version_of
from pathlib import Path
from types import NoneType
from typing import Any, get_args, get_origin, get_type_hints

KINDS = {
    "int8": "b",
    "int16": "h",
    "int32": "i",
    "int64": "q",
    "uint16": "H",
    "float64": "d",
    "bool": "?",
    "uuid": "16s",
    "error_code": "h",
    "timedelta_i32": "i",
    "timedelta_i64": "q",
    "datetime_i64": "q",
}

NONE_IS_A_VALUE = {"uuid", "datetime_i64"}
"""Kinds whose None is zeros or -1 on the wire."""

HEAD = """\
# Facts: the layout of every message version that kio {} knows, written by record_kio.py.
# MESSAGE VERSIONS | fields as in shapes.txt, names without "ms"; behind a tag its default.
"""


HEAD_OF_ERRORS = """\
# Facts: the error codes that kio {} knows, written by record_kio.py: can a retry help?
"""


def classes() -> Iterator[tuple[str, int, Any]]:
    """Every message of every version: its name, the version, kio's class."""
    index = import_module("kio.schema.index")
    for versions in index.schema_name_map.values():
        for version, kinds in versions.items():
            for where in kinds.values():
                module, _, name = where.partition(":")
                yield name, version, getattr(import_module(module), name)


def shape(declared: Any) -> str:
    """The fields in order, those with tags behind the others."""
    hints = get_type_hints(declared)
    plain, tagged = [], {}
    for field in fields(declared):
        name = field.name.replace("_", "").removesuffix("ms")
        text = f"{name}:{kind_of(field, hints[field.name])}"
        tag = field.metadata.get("tag")
        if tag is None:
            plain.append(text)
        else:
            tagged[tag] = f"{text}#{tag}{default_of(field)}"
    return " ".join([*plain, *(tagged[tag] for tag in sorted(tagged))])


def kind_of(field: "Field[Any]", hint: Any) -> str:
    """What a field holds: [] for arrays, ? for null."""
    parts = [part for part in get_args(hint) if part is not NoneType]
    nullable = NoneType in get_args(hint)
    inner = parts[0] if nullable else hint
    array = get_origin(inner) is tuple
    if array:
        (inner, _) = get_args(inner)
        if NoneType in get_args(inner):
            (inner,) = [part for part in get_args(inner) if part is not NoneType]
    kafka = field.metadata.get("kafka_type")
    kind = f"({shape(inner)})" if kafka is None else KINDS.get(kafka, kafka)
    null = nullable and (array or kafka not in NONE_IS_A_VALUE)
    return f"{'[]' * array}{kind}{'?' * null}"


def default_of(field: "Field[Any]") -> str:
    """The default of a tagged field, if it is a plain value."""
    value = field.default
    if value is MISSING or hasattr(value, "__dataclass_fields__"):
        return ""
    if isinstance(value, timedelta):
        value = round(value / timedelta(milliseconds=1))
    if isinstance(value, tuple):
        value = list(value)
    elif field.metadata.get("kafka_type") == "uuid" and "tuple" not in str(field.type):
        value = 0
    return f"={value!r}"


def write(name: str, head: str, lines: list[str]) -> None:
    """Write a file beside this one."""
    text = "\n".join([head.format(version_of("kio")).rstrip(), *lines, ""])
    Path(__file__).with_name(name).write_text(text, encoding="utf-8")
    sys.stdout.write(f"{name}: {len(lines)} lines\n")


def shapes() -> list[str]:
    """A line for each message and range of versions that look alike."""
    found: list[tuple[str, int, int, str]] = []
    for name, version, declared in sorted(classes(), key=lambda each: each[:2]):
        text = ("flexible " if declared.__flexible__ else "") + shape(declared)
        if found and found[-1][0] == name and found[-1][3] == text:
            found[-1] = (name, found[-1][1], version, text)
        else:
            found.append((name, version, version, text))
    return [
        f"{name} {first if first == last else f'{first}-{last}'} | {text}".rstrip()
        for name, first, last, text in found
    ]


def errors() -> list[str]:
    """A line for each error code."""
    return [
        f"{int(code)} {code.name.upper()} {'retriable' if code.retriable else '-'}"
        for code in import_module("kio.schema.errors").ErrorCode
    ]


if __name__ == "__main__":
    write("shapes_kio.txt", HEAD, shapes())
    write("errors_kio.txt", HEAD_OF_ERRORS, errors())
