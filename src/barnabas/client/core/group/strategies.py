"""The assignors by their names in `partition.assignment.strategy`."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from barnabas.client.core.group.assignor import Assignor
from barnabas.client.core.group.cooperative import CooperativeStickyAssignor
from barnabas.client.core.group.range_assignor import RangeAssignor
from barnabas.client.core.group.round_robin import RoundRobinAssignor
from barnabas.client.core.group.sticky import StickyAssignor

_ALL: Final[Mapping[str, Assignor]] = MappingProxyType(
    {
        "range": RangeAssignor(),
        "roundrobin": RoundRobinAssignor(),
        "sticky": StickyAssignor(),
        "cooperative-sticky": CooperativeStickyAssignor(),
    }
)
_CLASSES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "RangeAssignor": "range",
        "RoundRobinAssignor": "roundrobin",
        "StickyAssignor": "sticky",
        "CooperativeStickyAssignor": "cooperative-sticky",
    }
)


def assignors(names: Sequence[str]) -> tuple[Assignor, ...]:
    """The assignors of these names, or of their Java class names, most preferred first."""
    words = (name.rpartition(".")[2] for name in names)
    own = dict.fromkeys(_CLASSES.get(word, word) for word in words)
    return tuple(_ALL[name] for name in own)
