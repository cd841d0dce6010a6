"""The topic properties that a log obeys, as numbers. Parsing them is the business of `config`."""

from dataclasses import dataclass, field

from barnabas.records.recompression import Stored

_FOREVER = (1 << 63) - 1
_HOUR_MS = 3_600_000
_WEEK_MS = 168 * _HOUR_MS


@dataclass(frozen=True, slots=True)
class LogConfig:
    """One field per Kafka topic property, under its name with underscores; Kafka 4's defaults.

    -1 means "no limit" in `retention_ms` and `retention_bytes`.
    """

    segment_bytes: int = 1 << 30
    segment_ms: int = _WEEK_MS
    segment_index_bytes: int = 10 << 20
    index_interval_bytes: int = 4096
    retention_ms: int = _WEEK_MS
    retention_bytes: int = -1
    cleanup_policy: frozenset[str] = frozenset({"delete"})
    file_delete_delay_ms: int = 60_000
    flush_messages: int = _FOREVER
    flush_ms: int = _FOREVER
    max_message_bytes: int = 1_048_588
    message_timestamp_type: str = "CreateTime"
    message_timestamp_before_max_ms: int = _FOREVER
    message_timestamp_after_max_ms: int = _HOUR_MS
    producer_id_expiration_ms: int = 24 * _HOUR_MS
    """A broker property (`producer.id.expiration.ms`) that logs obey."""

    stored: Stored | None = None
    """What batches are compressed with; None: they stay as they came (`compression.type`)."""
    judges_records: bool = field(init=False)
    """Whether each record that is produced must be looked at. Worked out once: each append asks."""

    def __post_init__(self) -> None:
        judges = self.compacts or self.message_timestamp_before_max_ms < _FOREVER
        object.__setattr__(self, "judges_records", judges)

    @property
    def log_append_time(self) -> bool:
        """Whether the broker's clock gives records their timestamp."""
        return self.message_timestamp_type == "LogAppendTime"

    @property
    def compacts(self) -> bool:
        """Whether older records go where a newer one has their key."""
        return "compact" in self.cleanup_policy

    @property
    def deletes(self) -> bool:
        """Whether old segments go by size and time."""
        return "delete" in self.cleanup_policy
