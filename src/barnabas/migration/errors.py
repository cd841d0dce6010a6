"""What ends a migration before it begins, or so that it goes on where it was, once it is put right."""

from collections.abc import Iterable

from barnabas.errors import ConfigError, KafkaError


class TopicNotThere(ConfigError):
    """The source has nothing of the topic. `known`: topics that it has, as far as it can tell."""

    def __init__(self, message: str, known: Iterable[str] = ()) -> None:
        super().__init__(message)
        self.known = frozenset(known)


class MigrationStopped(KafkaError):
    """Source, target and map do not fit, or something cannot be read. Nothing was made worse."""
