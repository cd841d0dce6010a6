"""Which clients a subscription to metrics is for (KIP-714)."""

import re
from collections.abc import Iterable
from typing import NamedTuple


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
        if re.fullmatch(pattern.strip(), known[selector.strip()]) is None:
            return False
    return True
