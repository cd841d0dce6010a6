"""Kafka's release lines, in order. `past` lists the properties of older ones."""

from collections.abc import Mapping
from types import MappingProxyType

from barnabas.errors import ConfigError

RELEASES: tuple[str, ...] = (
    "0.8.0", "0.8.1", "0.8.2", "0.9.0", "0.10.0", "0.10.1", "0.10.2", "0.11.0",
    "1.0", "1.1",
    "2.0", "2.1", "2.2", "2.3", "2.4", "2.5", "2.6", "2.7", "2.8",
    "3.0", "3.1", "3.2", "3.3", "3.4", "3.5", "3.6", "3.7", "3.8", "3.9",
    "4.0", "4.1", "4.2", "4.3",
)  # fmt: skip
"""Oldest first."""

RELEASE_07 = "0.7"
"""Kafka 0.6 and 0.7, which precede all lines: they use another protocol and record format."""
_ORDER = (RELEASE_07, *RELEASES)


def release_line(text: str) -> str:
    """Return the line of a release: "2.8" and "2.8.2" belong to 2.8, "0.9" to 0.9.0.

    Raises:
        ConfigError: no line matches, or several do.
    """
    asked = text.strip().split(".")
    if asked[:2] == RELEASE_07.split("."):
        return RELEASE_07
    for release in RELEASES:
        parts = release.split(".")
        if asked[: len(parts)] == parts and len(asked) <= len(parts) + 1:
            return release
    begun = [one for one in _ORDER if one.split(".")[: len(asked)] == asked]
    if len(begun) == 1:
        return begun[0]
    raise ConfigError(f"{text} is not a release line of Kafka: {', '.join(begun or _ORDER)}")


def is_before(release: str, other: str) -> bool:
    """Whether a release line is older than another."""
    return _ORDER.index(release) < _ORDER.index(other)


def is_reported_by_07(release: str, name: str) -> bool:
    """Whether a 0.7 broker reports a later property: a reader needs it to interpret offsets."""
    return release == RELEASE_07 and name in {
        "message.format.version", "log.message.format.version",
    }  # fmt: skip


_LOWEST_BEFORE_4: Mapping[str, int] = MappingProxyType({"log.segment.bytes": 14})


def lowest_in(release: str, name: str) -> int | None:
    """The minimum of a broker property in a release line, if it differed from today's."""
    return lowest_ever(name) if release and is_before(release, "4.0") else None


def lowest_ever(name: str) -> int | None:
    """The smallest minimum of a broker property in any release line, if today's differs."""
    return _LOWEST_BEFORE_4.get(name)


_MAGIC_SINCE = (("0.11.0", 2), ("0.10.0", 1), ("0.8.0", 0), (RELEASE_07, -1))


def magic_of(version: str) -> int:
    """Return the magic of a record format named as in `message.format.version`: "0.9.0", "0.10.2-IV0", "2.8".

    Kafka 0.7 has the magic -1 here.

    Raises:
        ConfigError: there is no such version.
    """
    release = release_line(version.partition("-IV")[0])
    return next(magic for since, magic in _MAGIC_SINCE if not is_before(release, since))
