"""DECLARED: every API of every release, also those that nobody here speaks.

A declaration is in the file that is called as its key, and imported when it is first asked for: a
broker pays for what it serves and for nothing else.
"""

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Final

from barnabas.protocol.api_keys import APIS, Api, ApiKey, apis_of

_KEYS = frozenset(ApiKey)


class _Declared(Mapping[ApiKey, Api]):
    """All keys; an API is found by its name."""

    def __init__(self) -> None:
        self._known = dict(APIS)

    def __getitem__(self, key: ApiKey) -> Api:
        if key not in self._known:
            if key not in _KEYS:
                raise KeyError(key)
            module = import_module(f"barnabas.protocol.{key.name.lower()}")
            name = key.name.title().replace("_", "")
            pair = getattr(module, f"{name}Request"), getattr(module, f"{name}Response")
            self._known[key] = apis_of(pair)[key]
        return self._known[key]

    def __iter__(self) -> Iterator[ApiKey]:
        return iter(ApiKey)

    def __len__(self) -> int:
        return len(ApiKey)


DECLARED: Final[Mapping[ApiKey, Api]] = _Declared()
