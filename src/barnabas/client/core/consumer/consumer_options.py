"""The configuration of the consumer's state machines, in their units."""

from dataclasses import dataclass
from typing import Self

from barnabas.client.core.admin.descriptions import LATEST
from barnabas.client.core.consumer.offset_reset import reset_of
from barnabas.config.clients import ConsumerConfig


@dataclass(frozen=True, slots=True)
class ConsumerOptions:
    """Sizes in bytes, times in seconds.

    `reset`: EARLIEST, LATEST, None for an error, or BY_AGE for records of the age `reset_age_ms`.
    """

    reset: int | None = LATEST
    reset_age_ms: int = 0
    min_bytes: int = 1
    max_bytes: int = 52_428_800
    partition_bytes: int = 1_048_576
    max_wait_s: float = 0.5
    request_timeout_s: float = 30.0
    max_poll_records: int = 500
    committed_only: bool = False
    check_crcs: bool = True
    exclude_internal_topics: bool = True
    auto_commit_s: float | None = None
    rack: str = ""
    metadata_max_age_s: float = 300.0

    @classmethod
    def of(cls, config: ConsumerConfig) -> Self:
        """Translate the properties."""
        commits = config.group_id is not None and config.enable_auto_commit
        reset, age_ms = reset_of(config.auto_offset_reset)
        return cls(
            reset=reset,
            reset_age_ms=age_ms,
            min_bytes=config.fetch_min_bytes,
            max_bytes=config.fetch_max_bytes,
            partition_bytes=config.max_partition_fetch_bytes,
            max_wait_s=config.fetch_max_wait_ms / 1000,
            request_timeout_s=config.request_timeout_ms / 1000,
            max_poll_records=config.max_poll_records,
            committed_only=config.isolation_level == "read_committed",
            check_crcs=config.check_crcs,
            exclude_internal_topics=config.exclude_internal_topics,
            auto_commit_s=config.auto_commit_interval_ms / 1000 if commits else None,
            rack=config.client_rack,
            metadata_max_age_s=config.metadata_max_age_ms / 1000,
        )
