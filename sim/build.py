"""Build: one release of a simulated application of Kafka Streams, identified by its topology."""

from typing import NamedTuple


class Build(NamedTuple):
    """Its topology's epoch, and the names of its parts, sorted."""

    epoch: int
    parts: tuple[str, ...]


OLDEST = Build(0, ("0", "1"))
"""No group refuses it: it is the same as the group's, or older."""
BUILDS = (OLDEST, Build(1, ("0", "1", "2")), Build(1, ("0", "1")))
"""The last one is what somebody rolls out who forgets that the epoch was given away already."""
