"""The registrations of a broker in ZooKeeper, if it uses ZooKeeper."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from barnabas.broker.broker import Broker
from barnabas.broker.znodes.broker_znodes import CLUSTER, decode_cluster, encode_cluster
from barnabas.errors import LogDirFailed, RegistryConflict
from barnabas.ports import Disk, Registry, SharedRegistry

if TYPE_CHECKING:
    from barnabas.broker.zookeeper.member_registration import MemberRegistration
    from barnabas.broker.zookeeper.registration import Registration
    from barnabas.broker.zookeeper.registration07 import Registration07

    AnyRegistration = Registration | Registration07 | MemberRegistration


class Registries(NamedTuple):
    """`own` keeps what the broker must not forget. `shared` is the same one where others use it too.

    `of_07` is where clients of Kafka 0.7 look. `spread` is called with the log directories that can be
    used, which are to have copies of what is kept in files.
    """

    own: Registry
    shared: SharedRegistry | None = None
    of_07: SharedRegistry | None = None
    spread: Callable[[Sequence[str]], None] = lambda _directories: None

    def close(self) -> None:
        """Give back the file or the sessions."""
        for one in (self.own, self.shared, self.of_07):
            if one is not None:
                one.close()


def name_cluster(registry: SharedRegistry, proposed: str) -> str:
    """The cluster whose registry this is; where it names none, `proposed` becomes its id.

    Of several brokers that start on an empty registry, the first one names the cluster.

    Raises:
        StorageError: the registry cannot be read or written.
    """
    node = registry.get(CLUSTER)
    if node is None:
        with suppress(RegistryConflict):
            registry.create(CLUSTER, encode_cluster(proposed))
            return proposed
        node = registry.get(CLUSTER)
    return decode_cluster(node[0]) if node is not None else proposed


def join_cluster(registry: SharedRegistry, cluster_id: str) -> None:
    """Make sure that the log directories are of the registry's cluster; a new one takes their id.

    Raises:
        LogDirFailed: they are of another one, and its topics may be others with the same names.
        StorageError: the registry cannot be read or written.
    """
    found = name_cluster(registry, cluster_id)
    if found != cluster_id:
        raise LogDirFailed(
            f"the log directories are of cluster {cluster_id}, and ZooKeeper (zookeeper.connect) is "
            f"of cluster {found}: take other directories, or another path"
        )


def register(registries: Registries, broker: Broker, disk: Disk) -> "list[AnyRegistration]":
    """Have others find the broker; returns when they can.

    Raises:
        ConfigError: it has no address that clients could read there.
        StorageError: it cannot be, because of another broker or of ZooKeeper.
    """
    made: list[AnyRegistration] = []
    if registries.shared is not None and broker.member is not None:
        from barnabas.broker.zookeeper.member_registration import MemberRegistration

        made.append(MemberRegistration(registries.shared, broker, broker.member))
    elif registries.shared is not None:
        from barnabas.broker.zookeeper.registration import Registration

        made.append(Registration(registries.shared, broker))
    if registries.of_07 is not None:
        from barnabas.broker.zookeeper.registration07 import Registration07

        made.append(Registration07(registries.of_07, broker))
    for one in made:
        one.start(disk, f"{broker.logs.usable_paths[0]}/{one.written_to}")
    return made
