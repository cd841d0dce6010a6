"""Calls and arguments of other clients that this one does not have, with their replacements."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, Never

CONSUMER: Final[Mapping[str, str]] = MappingProxyType(
    {
        "consume": "poll(timeout_s, max_records) returns many records",
        "getmany": "poll(timeout_s, max_records) returns many records",
        "getone": "poll(timeout_s, 1) returns one, and `for` iterates over all",
        "store_offsets": "commit({('flights', 0): offset}) saves an offset",
        "list_topics": "Admin has it",
    }
)
PRODUCER: Final[Mapping[str, str]] = MappingProxyType(
    {
        "produce": "send(topic, value, key) returns a Delivery; its result() waits",
        "poll": "records are sent without further calls; flush() waits for all",
        "send_and_wait": "send(...).result() waits; with asyncio: await (await send(...))",
    }
)
ARGUMENTS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "timeout": "use timeout_s=, in seconds",
        "timeout_ms": "use timeout_s=, in seconds",
        "num_messages": "use max_records=",
        "partitions": "use pause() for partitions that should return nothing",
    }
)


def unsupported_attribute(kind: str, instead: Mapping[str, str], name: str) -> Never:
    """Report that a `kind` has no attribute `name`.

    Raises:
        AttributeError: always; with the replacement, if there is one.
    """
    hint = f": {instead[name]}" if name in instead else ""
    raise AttributeError(f"a {kind} has no {name!r}{hint}", name=name)


def refuse_arguments(call: str, given: Mapping[str, object]) -> Never:
    """Report that `call` has no such arguments.

    Raises:
        TypeError: always; with the replacement, if there is one.
    """
    name = next(iter(given))
    hint = f": {ARGUMENTS[name]}" if name in ARGUMENTS else ""
    raise TypeError(f"{call}() got an unexpected keyword argument {name!r}{hint}")
