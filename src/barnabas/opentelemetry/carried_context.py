"""A span's context in the headers of a record: `traceparent`."""

from collections.abc import Iterable, Mapping
from typing import Final

from opentelemetry.propagate import inject
from opentelemetry.propagators.textmap import Getter, Setter
from opentelemetry.trace import Span, set_span_in_context

from barnabas.client.core.arguments.record_input import Headers

_Pairs = list[tuple[str, bytes | None]]


class _HeaderSetter(Setter[_Pairs]):
    """Puts a context into headers, in place of one that is there: a record may be passed on."""

    def set(self, carrier: _Pairs, key: str, value: str) -> None:
        carrier[:] = [pair for pair in carrier if not (pair and pair[0] == key)]
        carrier.append((key, value.encode()))


class _HeaderGetter(Getter[Iterable[tuple[str, bytes | None]]]):
    """Reads a context from headers; the last of a name counts, as in Kafka's own clients."""

    def get(self, carrier: Iterable[tuple[str, bytes | None]], key: str) -> list[str] | None:
        found = [value for name, value in carrier if name == key and value is not None]
        return [found[-1].decode(errors="replace")] if found else None

    def keys(self, carrier: Iterable[tuple[str, bytes | None]]) -> list[str]:
        return [name for name, _ in carrier]


_SETTER: Final = _HeaderSetter()


GETTER: Final = _HeaderGetter()


def with_context(headers: Headers, span: Span) -> Headers:
    """Headers with the span's context; what are none are left for the client to refuse."""
    if isinstance(headers, Mapping | str | bytes) or not isinstance(headers, Iterable):
        return headers
    carried = list(headers)
    inject(carried, set_span_in_context(span), _SETTER)
    return carried
