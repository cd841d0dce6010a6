"""Kafka's release lines, in their order, and what was otherwise in the older ones.

Source: what brokers of 0.8.0 to 4.3 say of themselves when they start; KAFKA-4203, KIP-32, KIP-98,
KIP-186, KIP-541, KIP-937, KIP-1030.
"""

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


_LONG_MAX = 2**63 - 1

_BEFORE: Mapping[str, Mapping[str, object]] = MappingProxyType(
    {
        "delete.topic.enable": {"1.0": False},
        "fetch.max.bytes": {"2.5": 2**31 - 1},
        "log.cleaner.dedupe.buffer.size": {"0.9.0": 524_288_000},
        "log.cleaner.enable": {"0.9.0": False},
        "listener.dialect.map": {"0.8.0": ("PLAINTEXT:kafka-0.7",)},
        # Where offsets are bytes, so would these be; syncs go by time there.
        "log.flush.interval.messages": {"0.8.0": _LONG_MAX, "0.8.1": 10_000},
        "log.flush.interval.ms": {"0.8.1": 3_000},
        "log.flush.scheduler.interval.ms": {"0.8.1": 3_000},
        "log.message.timestamp.after.max.ms": {"4.0": _LONG_MAX},
        "log.retention.check.interval.ms": {"0.8.1": 600_000},
        "log.segment.bytes": {"0.8.0": 536_870_912},
        "message.max.bytes": {"0.8.0": 1_000_000, "2.5": 1_000_012},
        "offset.metadata.max.bytes": {"0.8.2": 1024},
        "transaction.partition.verification.enable": {"3.6": False},
        "offsets.retention.minutes": {"2.0": 1440},
        "log.message.format.version": {
            "0.8.0": "0.7", "0.8.1": "0.8.0", "0.8.2": "0.8.1", "0.9.0": "0.8.2", "0.10.0": "0.9.0",
            "0.10.1": "0.10.0-IV1", "0.10.2": "0.10.1-IV2", "0.11.0": "0.10.2-IV0",
            "1.0": "0.11.0-IV2", "1.1": "1.0-IV0", "2.0": "1.1-IV0", "2.1": "2.0-IV1",
            "2.2": "2.1-IV2", "2.3": "2.2-IV1", "2.4": "2.3-IV1", "2.5": "2.4-IV1",
            "2.6": "2.5-IV0", "2.7": "2.6-IV0", "2.8": "2.7-IV2", "3.0": "2.8-IV1",
        },
    }
)  # fmt: skip
"""Broker properties whose default was another one: before which release line, oldest first."""


def default_in(release: str, name: str, default: object) -> object:
    """The default of a broker property in a release line; `default` is today's, and that of ""."""
    if release:
        for bound, value in _BEFORE.get(name, {}).items():
            if is_before(release, bound):
                return value
    return default


_LOWEST_BEFORE_4: Mapping[str, int] = MappingProxyType({"log.segment.bytes": 14})


def lowest_in(release: str, name: str) -> int | None:
    """The least value of a broker property in a release line, where it was another one than today."""
    return _LOWEST_BEFORE_4.get(name) if release and is_before(release, "4.0") else None


_MAGIC_SINCE = (("0.11.0", 2), ("0.10.0", 1), ("0.8.0", 0), (RELEASE_07, -1))


def magic_of(version: str) -> int:
    """The magic of a record format, named as in `message.format.version`: "0.9.0", "0.10.2-IV0", "2.8".

    That of Kafka 0.7 is -1 here.

    Raises:
        ConfigError: there is no such version.
    """
    release = release_line(version.partition("-IV")[0])
    return next(magic for since, magic in _MAGIC_SINCE if not is_before(release, since))
