"""Match clients against a subscription to metrics (KIP-714).

Patterns are RE2 expressions, as in Kafka: to match one takes no longer than its text is long, whoever
wrote both.
"""

from collections.abc import Iterable
from typing import NamedTuple

from barnabas.coordinators.consumer_group.regexes import compiled
from barnabas.errors import BrokerError


class Client(NamedTuple):
    """What is known of a client, under the names of the selectors."""

    client_instance_id: str
    client_id: str
    client_software_name: str
    client_software_version: str
    client_source_address: str
    client_source_port: str


class Software(NamedTuple):
    """What a client says of its own programs (KIP-511)."""

    name: str = ""
    version: str = ""


SELECTORS = frozenset(Client._fields)


def fits(client: Client, match: Iterable[str]) -> bool:
    """Whether all of the patterns, each selector=pattern, fit the client as a whole."""
    known = client._asdict()
    for pair in match:
        selector, _, pattern = pair.partition("=")
        if not _matches(pattern.strip(), known[selector.strip()]):
            return False
    return True


def _matches(pattern: str, text: str) -> bool:
    try:
        return compiled(pattern).matches(text)
    except BrokerError:
        # It was set before such patterns were refused.
        return False
