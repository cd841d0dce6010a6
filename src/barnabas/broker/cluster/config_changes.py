"""ConfigChanges: reads properties that other brokers have changed, when their change is announced."""

import logging
from collections.abc import Callable
from functools import partial
from typing import Final

from barnabas.broker.purgatory.registry_calls import StepQueue, ask
from barnabas.broker.purgatory.stepping import Steps
from barnabas.broker.znodes.config_changes import CHANGES, decode_change, number_of
from barnabas.errors import RegistryUnavailable, StorageError
from barnabas.ports import SharedRegistry, Timers

log = logging.getLogger(__name__)

_AGAIN_SECONDS: Final = 1.0

Taking = Callable[[str], Steps[None]]
"""Reads the properties of an entity by its name, and adopts them; may raise StorageError."""


class ConfigChanges:
    """The entities whose properties have changed and must be read. Call `begin` first."""

    def __init__(self, registry: SharedRegistry, timers: Timers) -> None:
        self._registry = registry
        self._timers = timers
        self._queue = StepQueue()
        self._take: dict[str, Taking] = {}
        self._newest = -1
        """The number of the last notification that was read."""
        self._left: dict[str, None] = {}
        """Entities to read, in order."""
        self._is_planned = False
        self.is_over = False

    def on_change(self, kind: str, take: Taking) -> None:
        """Call `take` with the name of each changed entity of a kind (topics, users)."""
        self._take[kind] = take

    def begin(self) -> None:
        """Read new notifications, and existing ones, which may have arrived during the start."""
        self._registry.watch(CHANGES, self._look)
        self._look()

    def read_later(self, entity: str) -> None:
        """Read again an entity that could not be read; `entity` is a path below /config."""
        self._left[entity] = None
        self._plan()

    def _look(self) -> None:
        self._queue.put(self._look_in_steps())

    def _look_in_steps(self) -> Steps[None]:
        """Read the notifications written since the last call, and the entities that they name."""
        if self.is_over:
            return
        try:
            found = yield ask(self._registry, partial(_newer_than, self._newest, self._registry))
            for name, node in found.items():
                self._note(name, node)
                self._newest = number_of(name)
            yield from self._read()
        except RegistryUnavailable as error:
            log.warning("changed properties not read yet", extra={"error": error})
            self._plan()

    def _note(self, name: str, node: tuple[bytes, int] | None) -> None:
        if node is None:
            return  # It was deleted meanwhile: only old notifications are.
        try:
            self._left[decode_change(node[0], name)] = None
        except StorageError as error:
            log.warning("notification ignored", extra={"error": error})

    def _read(self) -> Steps[None]:
        """Read the entities in `_left`. Raises RegistryUnavailable: the rest stays there."""
        for entity in [*self._left]:
            kind, _, name = entity.partition("/")
            take = self._take.get(kind)
            try:
                if take is not None:
                    yield from take(name)
            except RegistryUnavailable:
                raise
            except StorageError as error:
                fields = {"entity": entity, "error": error}
                log.error("changed properties not applied", extra=fields)  # noqa: TRY400 - it says why
            self._left.pop(entity, None)

    def _plan(self) -> None:
        if not self._is_planned:
            self._is_planned = True
            self._timers.after(_AGAIN_SECONDS, self._again)

    def _again(self) -> None:
        self._is_planned = False
        self._look()


def _newer_than(number: int, registry: SharedRegistry) -> dict[str, tuple[bytes, int] | None]:
    """The notifications with higher numbers, by name, in order."""
    names = [one for one in registry.children(CHANGES) if number_of(one) > number]
    names.sort(key=number_of)
    nodes = registry.get_all([f"{CHANGES}/{name}" for name in names])
    return dict(zip(names, nodes, strict=True))
