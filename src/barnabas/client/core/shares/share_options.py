"""The configuration of a share consumer, in its units."""

from dataclasses import dataclass
from typing import Self

from barnabas.config.share_clients import EXPLICIT, RECORD_LIMIT, ShareConsumerConfig
from barnabas.errors import ConfigError


@dataclass(frozen=True, slots=True)
class ShareOptions:
    """Sizes in bytes, times in seconds. `strict`: a poll never acquires more than `most_records`."""

    group_id: str
    explicit: bool
    strict: bool
    most_records: int
    min_bytes: int
    max_bytes: int
    max_wait_s: float
    request_timeout_s: float
    max_poll_interval_s: float
    check_crcs: bool
    rack: str

    @classmethod
    def of(cls, config: ShareConsumerConfig) -> Self:
        """Translate the properties.

        Raises:
            ConfigError: there is no group.id.
        """
        if config.group_id is None or not config.group_id.strip():
            raise ConfigError("group.id: a share consumer needs a group; pass group_id='workers'")
        return cls(
            config.group_id,
            config.share_acknowledgement_mode == EXPLICIT,
            config.share_acquire_mode == RECORD_LIMIT,
            config.max_poll_records,
            config.fetch_min_bytes,
            config.fetch_max_bytes,
            config.fetch_max_wait_ms / 1000,
            config.request_timeout_ms / 1000,
            config.max_poll_interval_ms / 1000,
            config.check_crcs,
            config.client_rack,
        )
