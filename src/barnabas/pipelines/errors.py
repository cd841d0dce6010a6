"""Errors of pipelines. Each message suggests what to do next."""

from barnabas.errors import ConfigError, KafkaError


class PipelineRefused(ConfigError):
    """A pipeline cannot start as requested; nothing was read or written."""


class RecordsDiffer(KafkaError):
    """A record is missing, doubled, changed or out of order; the message names the first ones."""
