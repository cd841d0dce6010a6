"""Topics in the metadata log of a Kafka directory: their ids and their own properties.

A KRaft node that is both broker and controller has this log beside its topics. Its records are replayed in
order, as Kafka's broker does. Quotas, and properties of brokers, groups and client metrics, are logged, but not
taken over.
"""

import logging
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from barnabas.errors import CorruptRecord, DecodeError
from barnabas.log.directories.metadata_log import METADATA_DIRECTORY, metadata_values
from barnabas.ports import Disk
from barnabas.protocol.internal.access_records import ClientQuotaRecord, ConfigRecord
from barnabas.protocol.internal.controller_records import (
    AbortTransactionRecord,
    BeginTransactionRecord,
    EndTransactionRecord,
)
from barnabas.protocol.internal.record_types import METADATA_RECORDS
from barnabas.protocol.internal.topic_records import RemoveTopicRecord, TopicRecord
from barnabas.protocol.internal.typed_record import read_typed

log = logging.getLogger(__name__)

_OF_TOPIC = 2
"""The resource type of a ConfigRecord of a topic."""

_KINDS = {4: "broker", 8: "broker logger", 16: "client metrics", 32: "group"}

_OF_KAFKA_ITSELF = "min.insync.replicas"
"""A controller sets this for all brokers when eligible leader replicas (KIP-966) are enabled."""


class RecordedTopic(NamedTuple):
    """The id of a topic, and the properties that it sets, by Kafka's names."""

    topic_id: bytes
    config: Mapping[str, str]


class KraftMetadata:
    """The topics as of the last replayed record."""

    def __init__(self) -> None:
        self._names: dict[bytes, str] = {}
        self._configs: dict[str, dict[str, str]] = {}
        self._undecided: list[object] | None = None
        self.others: dict[str, str] = {}
        """Quotas, and properties of other resources than topics: values by resource and name."""

    def play(self, record: object) -> None:
        """Replay the next record; records of a transaction count when it has ended."""
        match record:
            case BeginTransactionRecord():
                self._undecided = []
            case EndTransactionRecord():
                decided, self._undecided = self._undecided or [], None
                for each in decided:
                    self._take(each)
            case AbortTransactionRecord():
                self._undecided = None
            case _ if self._undecided is not None:
                self._undecided.append(record)
            case _:
                self._take(record)

    def _take(self, record: object) -> None:
        match record:
            case TopicRecord(name=name, topic_id=topic_id):
                self._names[topic_id] = name
            case RemoveTopicRecord(topic_id=topic_id):
                self._configs.pop(self._names.pop(topic_id, ""), None)
            case ConfigRecord() if record.resource_type == _OF_TOPIC:
                config = self._configs.setdefault(record.resource_name, {})
                _set(config, record.name, record.value)
            case ConfigRecord(resource_type=kind, resource_name=owner, name=name):
                if name != _OF_KAFKA_ITSELF:
                    _set(self.others, f"{_KINDS.get(kind, kind)} {owner}: {name}", record.value)
            case ClientQuotaRecord():
                owner = " ".join(f"{each.entity_type} {each.entity_name}" for each in record.entity)
                value = None if record.remove else str(record.value)
                _set(self.others, f"{owner}: {record.key}", value)
            case _:
                pass

    def topics(self) -> dict[str, RecordedTopic]:
        """The existing topics, by name."""
        return {
            name: RecordedTopic(topic_id, self._configs.get(name, {}))
            for topic_id, name in self._names.items()
        }


def _set(config: dict[str, str], name: str, value: str | None) -> None:
    if value is None:
        config.pop(name, None)
    else:
        config[name] = value


def recorded_topics(disk: Disk, directories: Sequence[str]) -> dict[str, RecordedTopic]:
    """The topics in the metadata log of one of these log directories; none without such a log.

    Raises:
        StorageError: it cannot be read.
    """
    places = [f"{each}/{METADATA_DIRECTORY}" for each in directories]
    for place in places:
        if METADATA_DIRECTORY in disk.list(place.rpartition("/")[0]):
            return _topics_in(disk, place)
    return {}


def _topics_in(disk: Disk, place: str) -> dict[str, RecordedTopic]:
    metadata = KraftMetadata()
    try:
        for value in metadata_values(disk, place):
            typed = read_typed(METADATA_RECORDS, value)
            if typed is not None:
                metadata.play(typed.message)
    except (CorruptRecord, DecodeError) as error:
        log.warning(
            "metadata log cannot be read; its topics get no properties from it",
            extra={"directory": place, "error": error},
        )
        return {}
    if metadata.others:
        log.warning(
            "not taken over from the metadata log: %s",
            ", ".join(f"{name}={value}" for name, value in sorted(metadata.others.items())),
            extra={"directory": place},
        )
    return metadata.topics()
