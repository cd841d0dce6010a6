"""Calls and arguments that other clients have and this one has not, with what to do instead."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, Never

CONSUMER: Final[Mapping[str, str]] = MappingProxyType(
    {
        "consume": "poll(timeout_s, max_records) gives many records",
        "getmany": "poll(timeout_s, max_records) gives many records",
        "getone": "poll(timeout_s, 1) gives one, and `for` goes through all",
        "store_offsets": "commit({('flights', 0): offset}) saves an offset",
        "list_topics": "Admin has it",
    }
)
PRODUCER: Final[Mapping[str, str]] = MappingProxyType(
    {
        "produce": "send(topic, value, key) gives a Delivery; result() of it waits",
        "poll": "nothing needs to be called for records to be sent; flush() waits for all",
        "send_and_wait": "send(...).result() waits; with asyncio: await (await send(...))",
    }
)
ARGUMENTS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "timeout": "timeout_s= is the time to wait, in seconds",
        "timeout_ms": "timeout_s= is the time to wait, in seconds",
        "num_messages": "max_records= is the most that is given",
        "partitions": "pause() those that nothing shall be given of",
    }
)


def missing(kind: str, instead: Mapping[str, str], name: str) -> Never:
    """Say that a `kind` has no `name`.

    Raises:
        AttributeError: always; with what to do instead, where that is known.
    """
    hint = f": {instead[name]}" if name in instead else ""
    raise AttributeError(f"a {kind} has no {name!r}{hint}", name=name)


def refuse_arguments(call: str, given: Mapping[str, object]) -> Never:
    """Say that `call` takes no such arguments.

    Raises:
        TypeError: always; with what to do instead, where that is known.
    """
    name = next(iter(given))
    hint = f": {ARGUMENTS[name]}" if name in ARGUMENTS else ""
    raise TypeError(f"{call}() got an unexpected keyword argument {name!r}{hint}")
