"""Rules on topic properties beyond the range of each.

Source: Kafka's LogConfig and ThrottledReplicaListValidator, and what brokers of 0.10.2 to 4.3 refuse.
"""

import re
from collections.abc import Mapping

from barnabas.broker.properties.log_properties import log_config
from barnabas.config.broker import BrokerConfig
from barnabas.config.releases import RELEASE_07, is_before
from barnabas.config.topic import TopicConfig
from barnabas.errors import BrokerError, ConfigError, ErrorCode

_THROTTLED = re.compile(r"\d+:\d+")


def unchanged(own: Mapping[str, str], already: Mapping[str, str]) -> set[str]:
    """The names of properties that a topic has with the same values already."""
    return {name for name, value in own.items() if already.get(name) == value}


def check_own(
    own: Mapping[str, str],
    already: Mapping[str, str],
    broker_config: BrokerConfig,
    of_values: ErrorCode,
) -> None:
    """Check the properties of a topic; those that it has `already` may be of any release.

    `of_values` is the error code for an invalid value.

    Raises:
        BrokerError: INVALID_CONFIG: a property is unknown; or a value is invalid.
    """
    try:
        check_properties(own, already, broker_config.release)
        log_config(own, broker_config, unchanged(own, already))
    except ConfigError as error:
        raise BrokerError(of_values, str(error)) from error


def check_properties(own: Mapping[str, str], already: Mapping[str, str], release: str) -> None:
    """Check properties against a release line of Kafka; with an empty one, or 0.7, all are allowed.

    Properties that the topic has `already` may stay: it got them when the broker was of another release.

    Raises:
        BrokerError: INVALID_CONFIG: a property is unknown, or properties contradict each other.
        ConfigError: a value is invalid.
    """
    # Kafka 0.7 has no requests for topics; those of other listeners are of any release.
    release = "" if release == RELEASE_07 else release
    for name in own:
        row = TopicConfig.find(name)
        if row is None:
            what = f"topics have no property {name}{TopicConfig.nearest(name)}"
            raise BrokerError(ErrorCode.INVALID_CONFIG, what)
        if release and name not in already and not row.is_of(release):
            what = f"topics have no property {name} in Kafka {release}"
            raise BrokerError(ErrorCode.INVALID_CONFIG, what)
    config = TopicConfig.of_known(own, release=release, kept=unchanged(own, already))
    if config.compression_gzip_level == 0:
        raise ConfigError("compression.gzip.level=0: it must be -1, or between 1 and 9")
    if config.compression_type == "zstd" and release and is_before(release, "2.1"):
        raise ConfigError(f"compression.type=zstd: it is not in Kafka {release}")
    _check_throttled(config.leader_replication_throttled_replicas)
    _check_throttled(config.follower_replication_throttled_replicas)
    if config.min_compaction_lag_ms > config.max_compaction_lag_ms:
        raise BrokerError(
            ErrorCode.INVALID_CONFIG,
            f"min.compaction.lag.ms={config.min_compaction_lag_ms} is more than "
            f"max.compaction.lag.ms={config.max_compaction_lag_ms}",
        )
    if config.remote_storage_enable:
        raise ConfigError("remote.storage.enable=true: this broker has no remote storage")


def _check_throttled(replicas: tuple[str, ...]) -> None:
    if replicas != ("*",) and not all(map(_THROTTLED.fullmatch, replicas)):
        raise ConfigError(
            f"throttled replicas must be * or partition:broker, with commas, not {','.join(replicas)}"
        )
