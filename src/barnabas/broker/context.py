"""RequestContext: a handler's information about the client, besides the request."""

from dataclasses import dataclass


@dataclass(slots=True)
class RequestContext:
    """One request's surroundings. `connection` numbers the client's connection, for logs.

    The requests of a connection that look alike have one together, so nobody changes it; a frozen one
    would take three times as long to make.
    """

    api_key: int
    api_version: int
    client_id: str | None
    listener: str
    peer: str
    connection: int
    client_host: str
    """The client's address as Kafka reports it: Java's text, which begins with a slash."""
