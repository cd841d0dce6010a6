"""For your tests: an in-process broker or cluster, faults, fixtures for pytest and unittest.

Each name is imported on first use: pytest loads the plugin in this package also for tests without a broker.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from barnabas.testing.broker_case import BrokerCase
    from barnabas.testing.embedded_broker import EmbeddedBroker
    from barnabas.testing.embedded_cluster import EmbeddedCluster
    from barnabas.testing.faults.fault import InjectedFault, SeenRequest
    from barnabas.testing.request_log import ReceivedRequest

__all__ = [
    "BrokerCase",
    "EmbeddedBroker",
    "EmbeddedCluster",
    "InjectedFault",
    "ReceivedRequest",
    "SeenRequest",
]

_HOME = {
    "BrokerCase": "broker_case",
    "EmbeddedBroker": "embedded_broker",
    "EmbeddedCluster": "embedded_cluster",
    "InjectedFault": "faults.fault",
    "ReceivedRequest": "request_log",
    "SeenRequest": "faults.fault",
}


def __getattr__(name: str) -> object:
    """Import one of the names above, on first use."""
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"{__name__}.{home}"), name)
    return value
