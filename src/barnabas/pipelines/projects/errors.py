"""Errors about a pipeline project. Each is one sentence that says what to change."""

from barnabas.errors import ConfigError, KafkaError


class ProjectError(ConfigError):
    """A file of a project is wrong, or a command cannot be applied to the project."""


class RunFailed(KafkaError):
    """A run of a pipeline failed; the message has the first sentence of the reason."""
