"""The ZooKeeper session of a 0.7 driver."""

from collections.abc import Callable

from barnabas.config.driver07 import DriverConfig07
from barnabas.errors import ConfigError, RegistryUnavailable
from barnabas.ports import SharedRegistry


def open_zookeeper(
    config: DriverConfig07, hand_over: Callable[[Callable[[], None]], None]
) -> SharedRegistry:
    """Connect to `zk.connect`; callbacks go to `hand_over`.

    Raises:
        ConfigError: it is malformed, or kazoo is not installed.
        RegistryUnavailable: no server responds.
    """
    try:
        from barnabas.runtime.registries.zookeeper import ZooKeeperRegistry
    except ImportError as error:
        what = f"this requires a package: pip install kazoo ({error})"
        raise ConfigError(f"zk.connect={config.zk_connect}: {what}") from None
    try:
        return ZooKeeperRegistry(
            config.zk_connect,
            session_ms=config.zk_sessiontimeout_ms,
            connection_ms=config.zk_connectiontimeout_ms or config.zk_sessiontimeout_ms,
            hand_over=hand_over,
        )
    except RegistryUnavailable as error:
        raise RegistryUnavailable(f"{error} (zk.connect, zk.connectiontimeout.ms)") from None
