"""Sort the logs found at a start: topics of the registry, foreign ones, deleted ones."""

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, NamedTuple

from barnabas.broker.znodes.topic_znodes import TopicNodes, is_of
from barnabas.log.manager import LogManager
from barnabas.log.partition.partition_log import PartitionLog
from barnabas.types import NO_TOPIC_ID

if TYPE_CHECKING:
    from barnabas.broker.topics.kraft_metadata import RecordedTopic

ByTopic = dict[str, list[PartitionLog]]


class ForeignTopic(NamedTuple):
    """A topic that the registry does not contain: its logs, and what a metadata log of Kafka says of it.

    `kept` are the properties that the registry still contains.
    """

    name: str
    found: list[PartitionLog]
    recorded: "RecordedTopic | None"
    kept: Mapping[str, str]


def sorted_logs(
    logs: LogManager, written: TopicNodes, deleted: AbstractSet[str]
) -> tuple[ByTopic, ByTopic]:
    """Separate the logs of `written` topics from others; delete the logs of topics marked for deletion.

    A log whose topic id differs from that of the deleted topic stays: the registry is older.

    Raises:
        StorageError: a log cannot be deleted.
    """
    found: ByTopic = {}
    foreign: ByTopic = {}
    there = written.topics.keys() - deleted
    for one in list(logs.logs()):
        name, _ = one.topic_partition
        if name in deleted and is_of(one.topic_id, written.topics.get(name)):
            logs.delete(one.topic_partition, durable=False)
        else:
            (found if name in there else foreign).setdefault(name, []).append(one)
    if deleted:
        logs.sync_directories()
    return found, foreign


def id_of(found: list[PartitionLog]) -> bytes | None:
    """The common topic id of logs; None if they have none, or several."""
    ids = {one.topic_id for one in found} - {NO_TOPIC_ID}
    return ids.pop() if len(ids) == 1 else None
