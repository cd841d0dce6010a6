"""Kafka's release lines, in their order."""

from barnabas.errors import ConfigError

RELEASES: tuple[str, ...] = (
    "0.8.0", "0.8.1", "0.8.2", "0.9.0", "0.10.0", "0.10.1", "0.10.2", "0.11.0",
    "1.0", "1.1",
    "2.0", "2.1", "2.2", "2.3", "2.4", "2.5", "2.6", "2.7", "2.8",
    "3.0", "3.1", "3.2", "3.3", "3.4", "3.5", "3.6", "3.7", "3.8", "3.9",
    "4.0", "4.1", "4.2", "4.3",
)  # fmt: skip
"""Oldest first."""


def release_line(text: str) -> str:
    """The line that a release belongs to: "2.8" and "2.8.2" are of 2.8, "0.9" is 0.9.0.

    Raises:
        ConfigError: there is none, or several.
    """
    asked = text.strip().split(".")
    for release in RELEASES:
        parts = release.split(".")
        if asked[: len(parts)] == parts and len(asked) <= len(parts) + 1:
            return release
    begun = [one for one in RELEASES if one.split(".")[: len(asked)] == asked]
    if len(begun) == 1:
        return begun[0]
    raise ConfigError(f"{text} is no release line of Kafka: {', '.join(begun or RELEASES)}")


def is_before(release: str, other: str) -> bool:
    """Whether a release line is older than another."""
    return RELEASES.index(release) < RELEASES.index(other)
