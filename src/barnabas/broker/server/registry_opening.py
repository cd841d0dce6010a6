"""Opens the registries of a node: a file beside its logs, ZooKeeper, or that of a cluster in its process."""

import logging
from collections.abc import Callable, Sequence
from contextlib import ExitStack

from barnabas.broker.zookeeper.registrations import Registries
from barnabas.config.broker import BrokerConfig
from barnabas.errors import ConfigError, RegistryUnavailable
from barnabas.log.directories.inventory import INVENTORY
from barnabas.ports import Disk, SharedRegistry
from barnabas.runtime.registries.copies import COPY
from barnabas.runtime.registries.embedded import EmbeddedRegistry
from barnabas.runtime.registries.start_waits import StartWaits

log = logging.getLogger(__name__)

_OPEN_FILES = 16
"""More than there are copies of the registry: another file is opened again each time."""

HandOver = Callable[[Callable[[], None]], None]
"""Has something called on a node's loop; for any thread."""


class RegistryOpening:
    """What is needed to open them.

    `make_disk` makes a disk that keeps so many files open. `session` makes the session with a cluster
    in this process.
    """

    def __init__(
        self,
        config: BrokerConfig,
        make_disk: Callable[[int], Disk],
        hand_over: HandOver,
        waits: StartWaits,
        session: Callable[[HandOver], SharedRegistry] | None,
    ) -> None:
        self._config = config
        self._make_disk = make_disk
        self._hand_over = hand_over
        self._waits = waits
        self._session = session

    def open(self, directories: Sequence[str]) -> Registries:
        """Open them; a file is in the first of these log directories, and copied to the others.

        Raises:
            ConfigError: ZooKeeper's package is missing, or both kinds are to be in the same place.
            RegistryUnavailable: ZooKeeper does not answer.
        """
        if self._session is not None:
            own = self._session(self._hand_over)
            return Registries(own, own)
        today, of_07 = self._config.zookeeper_connect, self._config.zk_connect
        if today and today.rstrip("/") == of_07.rstrip("/"):
            raise ConfigError(
                f"zk.connect={of_07}: zookeeper.connect has that place; give one of them another path"
            )
        with ExitStack() as opened:
            shared = self._zookeeper("zookeeper.connect", today, opened) if today else None
            shared_07 = self._zookeeper("zk.connect", of_07, opened) if of_07 else None
            if shared is not None:
                registries = Registries(shared, shared, shared_07)
            else:
                # A disk of its own: while the broker serves, a thread writes changes.
                disk = self._make_disk(_OPEN_FILES)
                _report_missing(disk, directories)
                embedded = EmbeddedRegistry(
                    disk, *map(_registry_file, directories), hand_over=self._hand_over
                )
                registries = Registries(embedded, of_07=shared_07)
                if len(self._config.directories) > 1:
                    registries = registries._replace(
                        spread=lambda usable: embedded.spread([*map(_registry_file, usable)])
                    )
            opened.pop_all()
        return registries

    def _zookeeper(self, name: str, place: str, opened: ExitStack) -> SharedRegistry:
        """Open a session; `opened` closes it if the other one cannot be opened.

        `name`: the property that says where.
        """
        without = f"a broker needs no ZooKeeper: leave out {name}, or --set {name}= over a file's"
        try:
            from barnabas.runtime.registries.zookeeper import ZooKeeperRegistry
        except ImportError as error:
            what = f"ZooKeeper needs a package: pip install kazoo ({error})"
            raise ConfigError(f"{name}={place}: {what}; {without}") from None
        session_ms = self._config.zookeeper_session_timeout_ms
        try:
            registry = ZooKeeperRegistry(
                place,
                session_ms=session_ms,
                connection_ms=self._config.zookeeper_connection_timeout_ms or session_ms,
                hand_over=self._hand_over,
                waits=self._waits,
            )
        except RegistryUnavailable as error:
            what = f"{name}={place}: {error} (zookeeper.connection.timeout.ms)"
            raise RegistryUnavailable(f"{what}; {without}") from None
        opened.callback(registry.close)
        return registry


def _registry_file(directory: str) -> str:
    return f"{directory}/barnabas.registry"


def _report_missing(disk: Disk, directories: Sequence[str]) -> None:
    """Warn of directories that a broker has used, and that have no registry."""
    files = [*map(_registry_file, directories)]
    if any(disk.exists(path) for file in files for path in (file, file + COPY)):
        return
    if any(disk.exists(f"{directory}/{INVENTORY}") for directory in directories):
        what = "no registry beside the logs: topics are taken over without properties, and expire nothing"
        log.warning(what, extra={"file": files[0]})
