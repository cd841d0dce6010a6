"""For users' tests: a broker in process, pytest fixtures."""

from barnabas.testing.embedded_broker import EmbeddedBroker

__all__ = ["EmbeddedBroker"]
