"""What ends a migration that goes on, once it is put right, where it was."""

from barnabas.errors import KafkaError


class MigrationStopped(KafkaError):
    """Source, target and map do not fit, or something cannot be read. Nothing was made worse."""
