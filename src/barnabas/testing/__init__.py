"""For your tests: a broker or a cluster in your process, and pytest fixtures."""

from barnabas.testing.embedded_broker import EmbeddedBroker
from barnabas.testing.embedded_cluster import EmbeddedCluster

__all__ = ["EmbeddedBroker", "EmbeddedCluster"]
