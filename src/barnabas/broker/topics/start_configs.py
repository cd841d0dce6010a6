"""StartConfigs: the properties of logs while the broker opens them, before topics are loaded."""

import logging
from collections.abc import Callable, Mapping

from barnabas.broker.properties.broker_settings import BrokerSettings
from barnabas.broker.properties.log_properties import config_of_kept
from barnabas.broker.znodes.topic_znodes import TopicNodes, written_in
from barnabas.errors import ConfigError, StorageError
from barnabas.log.segments.log_config import LogConfig
from barnabas.ports import Registry

log = logging.getLogger(__name__)


class StartConfigs:
    """Reads the registry once, and shares one configuration among topics with the same properties."""

    def __init__(self, registry: Callable[[], Registry], settings: BrokerSettings) -> None:
        """`registry` is called for the first log: by then the directories are locked."""
        self._registry = registry
        self._settings = settings
        self._written: TopicNodes | None = None
        self._unreadable: set[str] = set()
        """Topics whose properties cannot be read: each is logged once, not for each partition."""
        self._made: dict[tuple[str, frozenset[tuple[str, str]]], LogConfig] = {}

    def config_of(self, topic: str) -> LogConfig:
        """The configuration of a topic's logs.

        A log that is not in the registry, or whose properties there cannot be read, may be compacted:
        recovery does not warn of gaps in it.

        Raises:
            StorageError: the registry cannot be read.
        """
        if self._written is None:
            self._written = written_in(self._registry())
        own: Mapping[str, str] = {"cleanup.policy": "compact"}
        try:
            if topic in self._written.topics:
                own = self._written.config_of(topic)
        except StorageError as error:
            if topic not in self._unreadable:
                self._unreadable.add(topic)
                log.error("properties of a topic not read", extra={"topic": topic, "error": error})  # noqa: TRY400 - it says why
        properties = frozenset(own.items())
        config = self._made.get(("", properties)) or self._made.get((topic, properties))
        if config is None:
            refused: list[ConfigError] = []
            config = config_of_kept(own, self._settings.current, refused.append)
            for why in refused:
                _warn_unobeyed(topic, why)
            # Most topics share their properties, but a warning names the topic.
            self._made[topic if refused else "", properties] = config
        return config

    def forget(self) -> None:
        """Free the memory: all logs are open."""
        self._written = None
        self._made.clear()


def _warn_unobeyed(topic: str, why: ConfigError) -> None:
    log.warning(
        "properties of a topic contradict those of its broker: records are stored as they are sent",
        extra={"topic": topic, "why": why},
    )
