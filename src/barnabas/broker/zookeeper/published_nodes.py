"""HeldNodes: what a broker shows of itself in a shared registry, put there again until it is there."""

import logging
from collections.abc import Iterable
from itertools import islice

from barnabas.errors import KafkaError, RegistryConflict
from barnabas.ports import SharedRegistry, Timer, Timers

log = logging.getLogger(__name__)

_A_STEP = 128
"""How many nodes are written before others are served: some tens of milliseconds."""

_FIRST_SECONDS = 0.2
_LONGEST_SECONDS = 5.0


class HeldNodes:
    """Nodes that others read, and that nobody else should write.

    They are wanted at once and made as soon as the registry can be reached; ephemeral ones again in
    each new session. Nothing here raises: a broker serves also while nobody finds it.
    """

    def __init__(
        self, registry: SharedRegistry, timers: Timers, *, anew: bool = False, owner: str = ""
    ) -> None:
        """`anew`: ephemeral nodes go and come with new data, for those who watch only the names.

        `owner`: while this node is ours, nobody else writes the others, and what is there is replaced.
        """
        self._registry = registry
        self._timers = timers
        self._anew = anew
        self._owner = owner
        self._ephemeral: dict[str, bytes] = {}
        self._lasting: dict[str, bytes] = {}
        self._due: dict[str, None] = {}
        """Paths whose nodes may not be as they should, in order."""
        self._pause = _FIRST_SECONDS
        self._again: Timer | None = None
        self._stopped = False
        registry.on_new_session(self._renew)

    def hold(self, path: str, data: bytes, *, ephemeral: bool = True) -> None:
        """Have a node there with this data; an ephemeral one goes with the broker."""
        wanted = self._ephemeral if ephemeral else self._lasting
        if wanted.get(path) != data:
            wanted[path] = data
            self._due[path] = None
            self._soon()

    def release(self, paths: Iterable[str]) -> None:
        """Have no nodes there."""
        for path in paths:
            if path in self._ephemeral or path in self._lasting:
                self._ephemeral.pop(path, None)
                self._lasting.pop(path, None)
                self._due[path] = None
        self._soon()

    def forget(self, paths: Iterable[str]) -> None:
        """Want no nodes there any more; those there are, are removed by somebody else."""
        for path in paths:
            self._ephemeral.pop(path, None)
            self._lasting.pop(path, None)
            self._due.pop(path, None)

    def write(self) -> None:
        """Put what is due into the registry, a part of it now; what fails is tried again later."""
        if self._again is not None:
            self._again.cancel()
            self._again = None
        step = list(islice(self._due, _A_STEP))
        if self._stopped or not step:
            return
        path = step[0]
        try:
            self._make_missing(step)
            for path in [each for each in step if each in self._due]:
                self._write(path)
                del self._due[path]
        except KafkaError as error:
            log.warning(
                "registration fails",
                extra={"path": path, "again_in_s": self._pause, "error": error},
            )
            self._again = self._timers.after(self._pause, self.write)
            self._pause = min(2 * self._pause, _LONGEST_SECONDS)
            # The others first, the next time: this one may be in somebody's hands.
            self._due[path] = self._due.pop(path)
            return
        self._pause = _FIRST_SECONDS
        self._soon()

    def stop(self) -> None:
        """Write nothing more; ephemeral nodes go with the session."""
        self._stopped = True

    def _make_missing(self, paths: list[str]) -> None:
        """All at once, which is what most need; those that are there and should be others stay due.

        Raises:
            StorageError: the registry does not do it.
        """
        lasting = [path for path in paths if path in self._lasting]
        missing: dict[str, bytes] = {}
        for path, there in zip(lasting, self._registry.get_all(lasting), strict=True):
            if there is None:
                missing[path] = self._lasting[path]
            elif there[0] == self._lasting[path]:
                del self._due[path]
        mine = {path: self._ephemeral[path] for path in paths if path in self._ephemeral}
        for nodes, ephemeral in ((mine, True), (missing, False)):
            for path in nodes.keys() - set(self._registry.create_all(nodes, ephemeral=ephemeral)):
                del self._due[path]

    def _write(self, path: str) -> None:
        """As it is wanted.

        Raises:
            RegistryConflict: somebody else made an ephemeral node there.
            StorageError: the registry does not do it.
        """
        data = self._ephemeral.get(path)
        if data is None:
            lasting = self._lasting.get(path)
            there = self._registry.get(path)
            if lasting is None:
                self._registry.delete(path)
            elif there is None or there[0] != lasting:
                self._registry.set(path, lasting)
            return
        try:
            self._registry.create_ephemeral(path, data)
        except RegistryConflict:
            mine = self._registry.is_mine(path)
            if not mine and not self._may_replace(path):
                raise
            if self._anew or not mine:
                self._registry.delete(path)
                self._registry.create_ephemeral(path, data)
            else:
                self._registry.set(path, data)

    def _may_replace(self, path: str) -> bool:
        return bool(self._owner) and path != self._owner and self._registry.is_mine(self._owner)

    def _renew(self) -> None:
        """Nodes of the session before are gone, or are about to go."""
        self._due.update(dict.fromkeys(self._ephemeral))
        self._soon()

    def _soon(self) -> None:
        if self._again is None and self._due:
            self._again = self._timers.after(0, self.write)
