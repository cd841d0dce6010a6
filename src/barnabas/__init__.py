"""Kafka for Python, end to end: broker, driver and Spark pipeline for every generation.

The names below are the driver's, for plain threads; `barnabas.aio` has the same ones for asyncio.
They are found when they are first asked for, so that importing the package costs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from barnabas.client.core.cluster_view import Broker, PartitionView, TopicView
    from barnabas.client.core.delivery import RecordMetadata
    from barnabas.client.core.descriptions import (
        EARLIEST,
        LATEST,
        MAX_TIMESTAMP,
        ConfigEntry,
        NewTopic,
        OffsetAndTimestamp,
        Resource,
    )
    from barnabas.client.core.group.group_metadata import GroupMetadata
    from barnabas.client.core.group.listener import RebalanceListener
    from barnabas.client.core.group_descriptions import (
        CommittedOffset,
        GroupDescription,
        GroupListing,
        MemberDescription,
        ShareOffset,
    )
    from barnabas.client.core.metrics import Metrics
    from barnabas.client.sync.admin import Admin
    from barnabas.client.sync.consumer import Consumer
    from barnabas.client.sync.producer import Producer
    from barnabas.client.sync.ranges import RangeReader
    from barnabas.errors import (
        BrokerError,
        ConfigError,
        ErrorCode,
        KafkaError,
        LogTruncated,
        WakeupError,
    )
    from barnabas.kernels.objects import Delivery
    from barnabas.records.columns import Wanted
    from barnabas.records.record import Record
    from barnabas.types import TopicPartition

__version__ = "0.1.0"

_HOME = {
    "Admin": "client.sync.admin",
    "Broker": "client.core.cluster_view",
    "BrokerError": "errors",
    "CommittedOffset": "client.core.group_descriptions",
    "ConfigEntry": "client.core.descriptions",
    "ConfigError": "errors",
    "Consumer": "client.sync.consumer",
    "Delivery": "kernels.objects",
    "EARLIEST": "client.core.descriptions",
    "ErrorCode": "errors",
    "GroupDescription": "client.core.group_descriptions",
    "GroupListing": "client.core.group_descriptions",
    "GroupMetadata": "client.core.group.group_metadata",
    "KafkaError": "errors",
    "LATEST": "client.core.descriptions",
    "LogTruncated": "errors",
    "MAX_TIMESTAMP": "client.core.descriptions",
    "MemberDescription": "client.core.group_descriptions",
    "Metrics": "client.core.metrics",
    "NewTopic": "client.core.descriptions",
    "OffsetAndTimestamp": "client.core.descriptions",
    "PartitionView": "client.core.cluster_view",
    "Producer": "client.sync.producer",
    "RangeReader": "client.sync.ranges",
    "RebalanceListener": "client.core.group.listener",
    "Record": "records.record",
    "RecordMetadata": "client.core.delivery",
    "Resource": "client.core.descriptions",
    "ShareOffset": "client.core.group_descriptions",
    "TopicPartition": "types",
    "TopicView": "client.core.cluster_view",
    "WakeupError": "errors",
    "Wanted": "records.columns",
}

__all__ = [
    "EARLIEST",
    "LATEST",
    "MAX_TIMESTAMP",
    "Admin",
    "Broker",
    "BrokerError",
    "CommittedOffset",
    "ConfigEntry",
    "ConfigError",
    "Consumer",
    "Delivery",
    "ErrorCode",
    "GroupDescription",
    "GroupListing",
    "GroupMetadata",
    "KafkaError",
    "LogTruncated",
    "MemberDescription",
    "Metrics",
    "NewTopic",
    "OffsetAndTimestamp",
    "PartitionView",
    "Producer",
    "RangeReader",
    "RebalanceListener",
    "Record",
    "RecordMetadata",
    "Resource",
    "ShareOffset",
    "TopicPartition",
    "TopicView",
    "WakeupError",
    "Wanted",
]


def __getattr__(name: str) -> object:
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module barnabas has no attribute {name!r}")
    found: object = getattr(import_module(f"barnabas.{home}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
