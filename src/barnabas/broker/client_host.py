"""Where a client is, as Kafka tells of it: Java's text of an address, which begins with a slash."""

from barnabas.broker.context import RequestContext


def client_host(context: RequestContext) -> str:
    """The address of who asks, without its port."""
    return "/" + context.peer.rpartition(":")[0].strip("[]")
