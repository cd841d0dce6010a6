"""Kafka for Python: broker, driver and Spark pipeline for every generation of the protocol.

The names below are the driver's, for threads; `barnabas.aio` has the same ones for asyncio. Each is
imported on first use, so that importing the package is cheap.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from barnabas.version import __version__ as __version__

if TYPE_CHECKING:
    from barnabas.client.core.admin.descriptions import (
        EARLIEST,
        LATEST,
        MAX_TIMESTAMP,
        ConfigEntry,
        NewTopic,
        OffsetAndTimestamp,
        Resource,
    )
    from barnabas.client.core.admin.group_descriptions import (
        CommittedOffset,
        GroupDescription,
        GroupListing,
        MemberDescription,
        ShareOffset,
    )
    from barnabas.client.core.cluster.cluster_view import Broker, PartitionView, TopicView
    from barnabas.client.core.group.group_metadata import GroupMetadata
    from barnabas.client.core.group.listener import RebalanceListener
    from barnabas.client.core.metrics import Metrics
    from barnabas.client.core.producer.delivery import RecordMetadata
    from barnabas.client.core.producer.transaction_requests import PreparedTransaction
    from barnabas.client.core.shares.acknowledgements import AcknowledgeType
    from barnabas.client.sync.admin import Admin
    from barnabas.client.sync.consumer import Consumer
    from barnabas.client.sync.producer import Producer
    from barnabas.client.sync.ranges import RangeReader
    from barnabas.client.sync.share_consumer import ShareConsumer
    from barnabas.errors import (
        BrokerError,
        ConfigError,
        ErrorCode,
        KafkaError,
        LogTruncated,
        WakeupError,
    )
    from barnabas.kernels.batches.objects import Delivery
    from barnabas.records.columns.columns import ColumnSelection, Wanted
    from barnabas.records.columns.record import Record
    from barnabas.types import TopicPartition


_HOME = {
    "AcknowledgeType": "client.core.shares.acknowledgements",
    "Admin": "client.sync.admin",
    "Broker": "client.core.cluster.cluster_view",
    "BrokerError": "errors",
    "CommittedOffset": "client.core.admin.group_descriptions",
    "ConfigEntry": "client.core.admin.descriptions",
    "ConfigError": "errors",
    "Consumer": "client.sync.consumer",
    "Delivery": "kernels.batches.objects",
    "EARLIEST": "client.core.admin.descriptions",
    "ErrorCode": "errors",
    "GroupDescription": "client.core.admin.group_descriptions",
    "GroupListing": "client.core.admin.group_descriptions",
    "GroupMetadata": "client.core.group.group_metadata",
    "KafkaError": "errors",
    "LATEST": "client.core.admin.descriptions",
    "LogTruncated": "errors",
    "MAX_TIMESTAMP": "client.core.admin.descriptions",
    "MemberDescription": "client.core.admin.group_descriptions",
    "Metrics": "client.core.metrics",
    "NewTopic": "client.core.admin.descriptions",
    "OffsetAndTimestamp": "client.core.admin.descriptions",
    "PartitionView": "client.core.cluster.cluster_view",
    "PreparedTransaction": "client.core.producer.transaction_requests",
    "Producer": "client.sync.producer",
    "RangeReader": "client.sync.ranges",
    "RebalanceListener": "client.core.group.listener",
    "Record": "records.columns.record",
    "RecordMetadata": "client.core.producer.delivery",
    "Resource": "client.core.admin.descriptions",
    "ShareConsumer": "client.sync.share_consumer",
    "ShareOffset": "client.core.admin.group_descriptions",
    "TopicPartition": "types",
    "TopicView": "client.core.cluster.cluster_view",
    "WakeupError": "errors",
    "ColumnSelection": "records.columns.columns",
    "Wanted": "records.columns.columns",
}

__all__ = [
    "EARLIEST",
    "LATEST",
    "MAX_TIMESTAMP",
    "AcknowledgeType",
    "Admin",
    "Broker",
    "BrokerError",
    "ColumnSelection",
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
    "PreparedTransaction",
    "Producer",
    "RangeReader",
    "RebalanceListener",
    "Record",
    "RecordMetadata",
    "Resource",
    "ShareConsumer",
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
