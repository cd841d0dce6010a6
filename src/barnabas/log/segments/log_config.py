"""The topic properties that a log obeys, as numbers. Parsing them is the business of `config`."""

from dataclasses import dataclass, field, replace

from barnabas.log.segments.offset_schemes import BYTE_POSITION, DENSE, OffsetScheme
from barnabas.records.batches.recompression import StoredCodec

_FOREVER = (1 << 63) - 1
_HOUR_MS = 3_600_000
_WEEK_MS = 168 * _HOUR_MS
_SMALL_SEGMENT, _SMALL_INDEX, _SHORT_MS = 64 << 10, 1 << 10, 1_000
"""Bytes of a segment and its index, and its age, below which a segment ends after few small batches."""
TODAYS_MAGIC = 2
MAGIC_07 = -1
"""The format of Kafka 0.7, whose own magic bytes, 0 and 1, have another meaning since 0.8."""


@dataclass(frozen=True, slots=True)
class LogConfig:
    """One field per Kafka topic property, under its name with underscores; Kafka 4's defaults.

    -1 means "no limit" in `retention_ms` and `retention_bytes`.
    """

    segment_bytes: int = 1 << 30
    segment_ms: int = _WEEK_MS
    segment_jitter_ms: int = 0
    segment_index_bytes: int = 10 << 20
    index_interval_bytes: int = 4096
    retention_ms: int = _WEEK_MS
    retention_bytes: int = -1
    cleanup_policy: frozenset[str] = frozenset({"delete"})
    delete_retention_ms: int = 24 * _HOUR_MS
    min_compaction_lag_ms: int = 0
    max_compaction_lag_ms: int = _FOREVER
    min_cleanable_dirty_ratio: float = 0.5
    file_delete_delay_ms: int = 60_000
    flush_messages: int = _FOREVER
    flush_ms: int = _FOREVER
    max_message_bytes: int = 1_048_588
    message_timestamp_type: str = "CreateTime"
    message_timestamp_before_max_ms: int = _FOREVER
    message_timestamp_after_max_ms: int = _HOUR_MS
    producer_id_expiration_ms: int = 24 * _HOUR_MS
    """A broker property (`producer.id.expiration.ms`) that logs obey."""

    stored: StoredCodec | None = None
    """What batches are compressed with; None: they stay as they came (`compression.type`)."""
    magic: int = TODAYS_MAGIC
    """Of the record format that is stored (`message.format.version`); -1 for that of Kafka 0.7."""

    known_magic: int = 2
    """The highest that the broker's release knows."""

    lone_wrappers: bool = False
    """Whether a compressed message must be alone in a message set, by the broker's release."""

    nested_wrappers: bool = False
    """Whether one of magic 0 may hold others, by the broker's release."""

    downconverts: bool = True
    """Whether readers of an older format get it (`message.downconversion.enable`)."""

    rewrites: bool = field(init=False)
    """Whether a batch of today is stored otherwise than it came. Each append asks."""

    judges_records: bool = field(init=False)
    """Whether each record that is produced must be looked at. Worked out once: each append asks."""

    takes_as_sent: bool = field(init=False)
    """Whether batches of today may be stored as they came, without a look at their records.

    Must be false where a property refuses or changes batches: the quick way appends them unseen.
    """

    sure_batch_bytes: int = field(init=False)
    """The size up to which no batch is too large: for the topic, or for a segment."""

    counts_when_written: bool = field(init=False)
    """Whether records never wait for stable storage before readers see them. Each commit asks."""

    longest_segment_ms: int = field(init=False)
    """The age at which a segment ends: what must be compacted soon must not be active long."""

    sure_segment_ms: int = field(init=False)
    """The age up to which no segment ends, whatever its jitter."""

    rolls_often: bool = field(init=False)
    """Whether nearly each batch may begin a segment, though it is small."""

    def __post_init__(self) -> None:
        sure_bytes = min(self.max_message_bytes, self.segment_bytes)
        object.__setattr__(self, "sure_batch_bytes", sure_bytes)
        object.__setattr__(self, "counts_when_written", self.flush_messages == _FOREVER)
        longest = self.segment_ms
        if self.compacts:
            longest = min(longest, self.max_compaction_lag_ms)
        object.__setattr__(self, "longest_segment_ms", longest)
        sure = longest - min(self.segment_jitter_ms, longest)
        object.__setattr__(self, "sure_segment_ms", sure)
        few = self.segment_bytes < _SMALL_SEGMENT or self.segment_index_bytes < _SMALL_INDEX
        object.__setattr__(self, "rolls_often", few or sure < _SHORT_MS)
        judges = self.compacts or self.message_timestamp_before_max_ms < _FOREVER
        object.__setattr__(self, "judges_records", judges)
        object.__setattr__(self, "rewrites", self.stored is not None or self.magic < 2)
        as_sent = not (judges or self.rewrites or self.log_append_time)
        object.__setattr__(self, "takes_as_sent", as_sent)

    @property
    def scheme(self) -> OffsetScheme:
        """What offsets mean, and what the segments hold."""
        return BYTE_POSITION if self.byte_positions else DENSE

    def with_scheme_of(self, other: "LogConfig") -> "LogConfig":
        """These properties, for a log that keeps what its offsets mean."""
        if self.byte_positions == other.byte_positions:
            return self
        return replace(self, magic=other.magic)

    @property
    def byte_positions(self) -> bool:
        """Whether offsets are byte positions, as before Kafka 0.8."""
        return self.magic == MAGIC_07

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
