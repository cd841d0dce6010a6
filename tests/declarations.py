"""All that is declared in `protocol`: the messages of APIs, and the records."""

import pkgutil
from collections.abc import Iterator
from importlib import import_module

from barnabas.protocol import consumer_protocol, internal
from barnabas.protocol.declared import DECLARED
from barnabas.wire.schema import Declaration


def every_message() -> Iterator[type]:
    """Requests and responses by key, then records by file."""
    for api in DECLARED.values():
        yield from (api.request, api.response)
    yield from every_record()


def every_record() -> Iterator[type]:
    """Messages that are no request and no response."""
    files = [
        f"{internal.__name__}.{found.name}" for found in pkgutil.iter_modules(internal.__path__)
    ]
    for name in (consumer_protocol.__name__, *files):
        for declared in vars(import_module(name)).values():
            answer = getattr(declared, "DECLARATION", None)
            message = isinstance(answer, Declaration) and not answer.versions.is_empty
            if message and declared.__module__ == name:
                yield declared
