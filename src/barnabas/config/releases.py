"""Kafka's release lines, in their order. What properties were in the older ones is in `past`."""

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
"""Stands for Kafka 0.6 and 0.7, which are before all lines: they speak another wire, and store others."""
_ORDER = (RELEASE_07, *RELEASES)


def release_line(text: str) -> str:
    """The line that a release belongs to: "2.8" and "2.8.2" are of 2.8, "0.9" is 0.9.0.

    Raises:
        ConfigError: there is none, or several.
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
    raise ConfigError(f"{text} is no release line of Kafka: {', '.join(begun or _ORDER)}")


def is_before(release: str, other: str) -> bool:
    """Whether a release line is older than another."""
    return _ORDER.index(release) < _ORDER.index(other)


def is_told_by_07(release: str, name: str) -> bool:
    """Whether a broker as of 0.7 has a property of later: who looks has to see what offsets are."""
    return release == RELEASE_07 and name in {
        "message.format.version", "log.message.format.version",
    }  # fmt: skip


_LOWEST_BEFORE_4: Mapping[str, int] = MappingProxyType({"log.segment.bytes": 14})


def lowest_in(release: str, name: str) -> int | None:
    """The least value of a broker property in a release line, where it was another one than today."""
    return lowest_ever(name) if release and is_before(release, "4.0") else None


def lowest_ever(name: str) -> int | None:
    """The least value of a broker property in any release line, where today's is another one."""
    return _LOWEST_BEFORE_4.get(name)


_MAGIC_SINCE = (("0.11.0", 2), ("0.10.0", 1), ("0.8.0", 0), (RELEASE_07, -1))


def magic_of(version: str) -> int:
    """The magic of a record format, named as in `message.format.version`: "0.9.0", "0.10.2-IV0", "2.8".

    That of Kafka 0.7 is -1 here.

    Raises:
        ConfigError: there is no such version.
    """
    release = release_line(version.partition("-IV")[0])
    return next(magic for since, magic in _MAGIC_SINCE if not is_before(release, since))
