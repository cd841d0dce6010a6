"""Partitions and offsets over the network: `cluster.Cluster` over the admin client."""

from collections.abc import Callable, Iterable, Mapping

from barnabas.client.core.arguments.partition_arguments import Where
from barnabas.client.sync.admin import Admin
from barnabas.config.clients import AdminConfig
from barnabas.errors import BrokerError, ErrorCode, KafkaError
from barnabas.spark.errors import reaching
from barnabas.spark.options.offsets import EARLIEST, LATEST, OffsetMap
from barnabas.spark.options.read_options import ReadOptions
from barnabas.spark.options.selection import Partitions, Pattern, Selection
from barnabas.types import TopicPartition

QUICK_S = 2.0
"""How long offset requests may fail before the planner checks whether the topic was deleted."""

SAVE_S = 5.0
"""How long a batch waits for its offsets to be saved for a group."""

REFUSED_MS = "10000"
"""How long planning waits if nothing listens at any of the given addresses, in milliseconds."""


class AdminCluster:
    """Gets partitions and offsets from brokers. Connects with the first request; one thread at a time."""

    def __init__(self, options: ReadOptions) -> None:
        # Properties of consumers only would be unknown here.
        named = {name: value for name, value in options.kafka.items() if AdminConfig.find(name)}
        ours = {"client.id": options.group_id_prefix, "bootstrap.refused.timeout.ms": REFUSED_MS}
        self._admin = Admin(ours | named)
        self._committed_only = options.kafka.get("isolation.level") == "read_committed"

    def partitions(self, selection: Selection) -> set[TopicPartition]:
        """The selected partitions that exist."""
        if isinstance(selection, Pattern):
            found = self._described(lambda: selection.matching(self._admin.list_topics()))
        elif isinstance(selection, Partitions):
            names = {each.topic for each in selection.partitions}
            found = self._of(names) & selection.partitions
        else:
            found = self._of(set(selection.names))
        return found

    def earliest(self, partitions: Iterable[TopicPartition]) -> OffsetMap:
        """The first readable offset of each existing partition."""
        return self._offsets(dict.fromkeys(partitions, EARLIEST))

    def latest(self, partitions: Iterable[TopicPartition]) -> OffsetMap:
        """The end of the readable records of each existing partition; committed records only, if configured."""
        return self._offsets(dict.fromkeys(partitions, LATEST))

    def at_times(
        self, timestamps_ms: Mapping[TopicPartition, int]
    ) -> dict[TopicPartition, int | None]:
        """The first offset at or after each timestamp; None: no such record."""
        found = self._offsets(timestamps_ms)
        return {each: None if at < 0 else at for each, at in found.items()}

    def save(self, group: str, offsets: Mapping[TopicPartition, int]) -> None:
        """Save positions of a group without members.

        Raises:
            KafkaError: not all could be saved.
        """
        positions: dict[Where, int] = dict(offsets.items())
        with reaching():
            self._admin.alter_group_offsets(group, positions, timeout_s=SAVE_S)

    def close(self) -> None:
        """Release the connections; a second call does nothing."""
        self._admin.close()

    def _offsets(self, wanted: Mapping[TopicPartition, int]) -> OffsetMap:
        if not wanted:
            return {}
        try:
            return self._listed(wanted, QUICK_S)
        except KafkaError as error:
            if not error.retriable:
                raise
        existing = self._of({each.topic for each in wanted})
        left = {each: at for each, at in wanted.items() if each in existing}
        return self._listed(left, None) if left else {}

    def _listed(self, wanted: Mapping[TopicPartition, int], timeout_s: float | None) -> OffsetMap:
        with reaching():
            found = self._admin.list_offsets(
                wanted, committed_only=self._committed_only, timeout_s=timeout_s
            )
        return {each: row.offset for each, row in found.items()}

    def _of(self, names: set[str]) -> set[TopicPartition]:
        """All partitions of the existing ones of these topics."""
        try:
            return self._described(lambda: names)
        except BrokerError as error:
            if error.code is not ErrorCode.UNKNOWN_TOPIC_OR_PARTITION:
                raise
        return self._described(lambda: names.intersection(self._admin.list_topics(internal=True)))

    def _described(self, names: Callable[[], set[str]]) -> set[TopicPartition]:
        with reaching():
            wanted = names()
            if not wanted:
                return set()
            topics = self._admin.describe_topics(wanted)
        return {
            TopicPartition(view.topic, view.partition)
            for topic in topics.values()
            for view in topic.partitions
        }
