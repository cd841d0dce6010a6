"""Merge a client's properties from a mapping and from keywords with underscores."""

from collections.abc import Mapping

from barnabas.errors import ConfigError

_MEANT = "properties are a mapping or keywords, as bootstrap_servers='localhost:9092'"


def properties(given: Mapping[str, object] | None, more: Mapping[str, object]) -> dict[str, object]:
    """Return one mapping of Kafka's property names. Servers may be a list or comma-separated text.

    Raises:
        ConfigError: a property is set both ways.
        TypeError: the argument is not a mapping of names.
    """
    if given is not None and not isinstance(given, Mapping):
        raise TypeError(f"{_MEANT}, not {type(given).__name__} {given!r}")
    joined = dict(given or {})
    for keyword, value in more.items():
        name = keyword.replace("_", ".")
        if name in joined or keyword in joined:
            raise ConfigError(f"{name} is given twice, in the mapping and as {keyword}=")
        joined[name] = value
    return joined
