"""The text of a generated function, with the field that each line is about.

Nothing is tracked while a codec runs: when a line fails, its number says which field it was, and
the function's own variables say at which position and index.
"""

import linecache
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple


class FieldLocation(NamedTuple):
    """What a line reads or writes: (path, code) of each field, in order.

    A path holds the names of variables that count elements: "topics[{i1}].partitions[{i2}].index".
    """

    fields: tuple[tuple[str, str], ...]


class FunctionSource:
    """Lines of one function, the names they use from outside, and their spots."""

    def __init__(self, head: str) -> None:
        self.names: dict[str, Any] = {}
        self.spots: dict[int, FieldLocation] = {}
        self._lines = [head]
        self._indent = 1
        self._counter = 0
        self._bound: dict[tuple[str, Any], str] = {}

    def line(self, text: str, *fields: tuple[str, str]) -> None:
        """Add a line; `fields` are those it may fail on."""
        self._lines.append("    " * self._indent + text)
        if fields:
            self.spots[len(self._lines)] = FieldLocation(fields)

    @contextmanager
    def block(self, head: str, *fields: tuple[str, str]) -> Iterator[None]:
        """Add a line and indent what is added inside the context."""
        self.line(head, *fields)
        self._indent += 1
        yield
        self._indent -= 1

    def number(self) -> int:
        """A number that no other variable of the function has in its name."""
        self._counter += 1
        return self._counter

    def bind(self, prefix: str, value: Any, key: object = None) -> str:
        """A name for a value from outside; the same name for the same `key`."""
        known = (prefix, id(value) if key is None else key)
        if known not in self._bound:
            name = f"{prefix}{len(self._bound)}"
            self._bound[known] = name
            self.names[name] = value
        return self._bound[known]

    def compile(self, name: str, title: str) -> Any:
        """Compile the function `name`; tracebacks will show its lines under `title`."""
        text = "\n".join(self._lines) + "\n"
        linecache.cache[title] = (len(text), None, text.splitlines(keepends=True), title)
        exec(compile(text, title, "exec"), self.names)  # noqa: S102  (text from declarations only)
        return self.names[name]
