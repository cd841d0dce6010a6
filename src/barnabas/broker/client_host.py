"""Where a client is, as Kafka tells of it: Java's text of an address, which begins with a slash."""

from functools import lru_cache

from barnabas.broker.context import RequestContext

_KNOWN = 10_000
"""Peers whose text is remembered: members of groups are told by it whenever they join."""


def client_host(context: RequestContext) -> str:
    """The address of who asks, without its port."""
    return _host_of(context.peer)


@lru_cache(maxsize=_KNOWN)
def _host_of(peer: str) -> str:
    return "/" + peer.rpartition(":")[0].strip("[]")
