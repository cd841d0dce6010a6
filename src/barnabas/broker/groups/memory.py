"""GroupMemory: counts groups in the memory limit for clients.

A join counts at once, with what it says. The group is weighed a little later, once for all that happened
to it meanwhile: so a rebalance of a thousand members does not count a thousand members a thousand times.
"""

from collections.abc import Callable, Iterator
from itertools import islice

from barnabas.broker.purgatory.client_memory import ClientMemory
from barnabas.errors import BrokerError, ErrorCode
from barnabas.ports import Timers

_WEIGHED_AFTER_SECONDS = 1.0
_AT_ONCE = 500
"""Groups that are weighed before others are served."""
_MUCH_BYTES = 4096
"""Of the records of one change: what they say may take many times as much, and is weighed at once."""


class GroupMemory:
    """Charges for the groups of one broker. For one thread."""

    __slots__ = ("_changed", "_memory", "_new", "_timers", "_weigh", "_weights")

    def __init__(self, memory: ClientMemory, timers: Timers, weigh: Callable[[str], int]) -> None:
        """`weigh` gives the bytes that a group takes, by its id; 0 if it is not there."""
        self._memory = memory
        self._timers = timers
        self._weigh = weigh
        self._weights: dict[str, int] = {}
        self._changed: dict[str, None] = {}
        self._new = 0
        """What was admitted since the groups were weighed."""

    def admit(self, group_id: str, size: int, what: str) -> None:
        """Charge what a request adds to a group.

        Raises:
            BrokerError: COORDINATOR_NOT_AVAILABLE: too little is left. Clients come again after a while;
                GROUP_MAX_SIZE_REACHED, which speaks of one group, would end them.
        """
        if size <= 0:
            return
        if not self._memory.admits(size, what):
            why = "too little memory is left for members of groups (client.state.max.bytes)"
            raise BrokerError(ErrorCode.COORDINATOR_NOT_AVAILABLE, why)
        self._new += size
        self._memory.lasting_bytes += size
        self.changed(group_id)

    def changed(self, group_id: str, record_bytes: int = 0) -> None:
        """Have a group weighed, as something has happened to it."""
        if record_bytes > _MUCH_BYTES:
            self._weigh_one(group_id)
            return
        if not self._changed:
            self._timers.after(_WEIGHED_AFTER_SECONDS, self._weigh_all)
        self._changed[group_id] = None

    def all_changed(self) -> None:
        """Weigh all groups: some may be deleted, or restored to an earlier state."""
        for group_id in self._weights:
            self.changed(group_id)

    def _weigh_all(self) -> None:
        changed, self._changed = self._changed, {}
        admitted, self._new = self._new, 0
        self._weigh_some(iter(changed), admitted)

    def _weigh_some(self, changed: Iterator[str], admitted: int) -> None:
        """What was admitted counts until the last of the groups that it was for has been weighed."""
        some = list(islice(changed, _AT_ONCE))
        for group_id in some:
            self._weigh_one(group_id)
        if len(some) == _AT_ONCE:
            self._timers.soon(lambda: self._weigh_some(changed, admitted))
        else:
            self._memory.lasting_bytes -= admitted

    def _weigh_one(self, group_id: str) -> None:
        before, now = self._weights.get(group_id, 0), self._weigh(group_id)
        self._memory.lasting_bytes += now - before
        if now:
            self._weights[group_id] = now
        elif before:
            del self._weights[group_id]
