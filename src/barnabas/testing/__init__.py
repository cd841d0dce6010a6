"""For your tests: a broker in your process, and pytest fixtures."""

from barnabas.testing.embedded_broker import EmbeddedBroker

__all__ = ["EmbeddedBroker"]
