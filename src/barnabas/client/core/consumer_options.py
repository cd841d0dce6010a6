"""What the consumer's machines need to know of its configuration, in their units."""

from dataclasses import dataclass
from typing import Self

from barnabas.client.core.descriptions import EARLIEST, LATEST
from barnabas.config.clients import ConsumerConfig

_RESET = {"earliest": EARLIEST, "latest": LATEST, "none": None}


@dataclass(frozen=True, slots=True)
class ConsumerOptions:
    """Sizes in bytes, times in seconds. `reset`: EARLIEST, LATEST, or None for an error."""

    reset: int | None = LATEST
    min_bytes: int = 1
    max_bytes: int = 52_428_800
    partition_bytes: int = 1_048_576
    max_wait_s: float = 0.5
    request_timeout_s: float = 30.0
    api_timeout_s: float = 60.0
    max_poll_records: int = 500
    committed_only: bool = False
    check_crcs: bool = True
    group_id: str | None = None
    auto_commit_s: float | None = None
    rack: str = ""
    metadata_max_age_s: float = 300.0

    @classmethod
    def of(cls, config: ConsumerConfig) -> Self:
        """Translate the properties."""
        commits = config.group_id is not None and config.enable_auto_commit
        return cls(
            reset=_RESET[config.auto_offset_reset],
            min_bytes=config.fetch_min_bytes,
            max_bytes=config.fetch_max_bytes,
            partition_bytes=config.max_partition_fetch_bytes,
            max_wait_s=config.fetch_max_wait_ms / 1000,
            request_timeout_s=config.request_timeout_ms / 1000,
            api_timeout_s=config.default_api_timeout_ms / 1000,
            max_poll_records=config.max_poll_records,
            committed_only=config.isolation_level == "read_committed",
            check_crcs=config.check_crcs,
            group_id=config.group_id,
            auto_commit_s=config.auto_commit_interval_ms / 1000 if commits else None,
            rack=config.client_rack,
            metadata_max_age_s=config.metadata_max_age_ms / 1000,
        )
