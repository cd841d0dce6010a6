"""Errors that stop a migration. Fix the cause, and the next run continues where it stopped."""

from collections.abc import Iterable

from barnabas.errors import ConfigError, KafkaError


class TopicNotThere(ConfigError):
    """The source has no data of the topic. `known`: its topics, as far as it can list them."""

    def __init__(self, message: str, known: Iterable[str] = ()) -> None:
        super().__init__(message)
        self.known = frozenset(known)


class MigrationStopped(KafkaError):
    """Source, target and map do not match, or something is unreadable. No data was harmed."""
