"""What the results of single partitions in a response mean for their positions. No decoding."""

import logging

from barnabas.client.core.cluster.cluster_view import ClusterView
from barnabas.client.core.consumer.assigned_positions import AssignedPositions
from barnabas.client.core.consumer.consumer_options import ConsumerOptions
from barnabas.client.core.consumer.fetch_position import NO_OFFSET, NO_REPLICA, FetchPosition
from barnabas.client.core.consumer.fetch_requests import PlannedFetch
from barnabas.client.core.consumer.fetched import FetchedRecords, end_of, records_of, too_large
from barnabas.errors import BrokerError, ErrorCode, LogTruncated
from barnabas.protocol.fetch import PartitionData
from barnabas.types import TopicPartition

log = logging.getLogger(__name__)


class FetchResults(AssignedPositions):
    """Positions that advance with what is fetched. `stale` is set when metadata must be requested."""

    def __init__(self, options: ConsumerOptions, view: ClusterView) -> None:
        super().__init__()
        self.stale = False
        self._options = options
        self._view = view

    def _take_partition(
        self,
        ask: PlannedFetch,
        where: TopicPartition,
        data: PartitionData,
        times: tuple[float, float],
    ) -> None:
        """Handle one partition's result; `times` are now, and the next try after an error."""
        now, retry_at = times
        position = self.positions.get(where)
        turn, asked = ask.turns.get(where, (-1, -1))
        if position is None or position.turn != turn or position.fetch_offset != asked:
            return
        if data.error_code and ask.node_id == position.nearer:
            # A replica may lack records; only the leader's error counts.
            position.nearer = NO_REPLICA
            return
        if data.error_code:
            self._take_error(where, position, data, retry_at)
            return
        if data.diverging_epoch is not None and data.diverging_epoch.end_offset >= 0:
            self._diverged(where, position, data.diverging_epoch.end_offset, retry_at)
            return
        if data.preferred_read_replica >= 0:
            position.nearer = data.preferred_read_replica
            position.nearer_until = now + self._options.metadata_max_age_s
            # Its address may be new to us.
            self.stale |= position.nearer not in self._view.brokers
        committed = self._options.committed_only and data.last_stable_offset >= 0
        position.readable_end = data.last_stable_offset if committed else data.high_watermark
        records = records_of(data)
        size, following, epoch = end_of(records)
        if following <= asked:
            if not size and len(records):
                position.not_before = retry_at
                self.failures.append(too_large(where, asked, self._options.partition_bytes))
            return
        aborted = tuple(
            (row.producer_id, row.first_offset) for row in data.aborted_transactions or ()
        )
        part = FetchedRecords(
            where, records[:size], asked, following, epoch, data.high_watermark, aborted
        )
        position.fetch_offset, position.epoch = following, epoch
        position.epochs.extend(part.records, epoch)
        position.parts += 1
        self.parts.append((turn, part))

    def _take_error(
        self, where: TopicPartition, position: FetchPosition, data: PartitionData, retry_at: float
    ) -> None:
        code = ErrorCode.of(data.error_code)
        position.not_before = retry_at
        name = f"{where.topic}-{where.partition}"
        if code is ErrorCode.OFFSET_OUT_OF_RANGE:
            if position.parts:
                return  # Waiting parts are returned first; then it is fetched again.
            if self._options.reset is None:
                what = (
                    f"{name} has no offset {position.fetch_offset}, and auto.offset.reset is none"
                )
                self.failures.append(BrokerError(code, f"{what}: seek to another one"))
            else:
                self.move(where, NO_OFFSET, self._options.reset)
            return
        if not code.retriable:
            self.failures.append(BrokerError(code, f"fetching {name}"))
            return
        hint = data.current_leader
        adopted = hint is not None and self._view.adopt_leader(
            where, hint.leader_id, hint.leader_epoch
        )
        if adopted:
            position.not_before = 0.0
        self.stale |= not adopted and (
            code.stale_metadata or code is ErrorCode.UNKNOWN_LEADER_EPOCH
        )

    def _diverged(
        self, where: TopicPartition, position: FetchPosition, end: int, retry_at: float
    ) -> None:
        """The log was truncated below the position, and has other records now (KIP-320)."""
        position.not_before = retry_at
        if position.parts:
            return  # Waiting parts are returned first; then it is fetched again.
        if self._options.reset is None:
            self.failures.append(LogTruncated(where, position.fetch_offset, end))
            return
        log.warning(
            "log truncated: records read before are lost where=%s-%d position=%d goes_on_at=%d",
            *where,
            position.fetch_offset,
            end,
        )
        self.move(where, min(end, position.fetch_offset))
