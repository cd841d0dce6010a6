"""Properties of a share consumer (KIP-932). Source: Kafka 4.2's clients (names, types, defaults, ranges)."""

from typing import Final

from barnabas.config.clients import ClientConfig
from barnabas.config.definition import HIGH, LOW, MEDIUM, boolean, integer, optional_string, string

IMPLICIT: Final = "implicit"
EXPLICIT: Final = "explicit"
RECORD_LIMIT: Final = "record_limit"


class ShareConsumerConfig(ClientConfig):
    """Properties of a share consumer."""

    group_id: str | None = optional_string(HIGH, "The share group. Required.")
    share_acknowledgement_mode: str = string(
        IMPLICIT,
        MEDIUM,
        "How records are acknowledged: implicit, the next poll or commit accepts those that were not "
        "acknowledged; explicit, each must be acknowledged before the next poll.",
        choices=(IMPLICIT, EXPLICIT),
    )
    share_acquire_mode: str = string(
        "batch_optimized",
        MEDIUM,
        "How many records a poll acquires: batch_optimized, whole batches, so that it may be more than "
        "max.poll.records; record_limit, never more (Kafka 4.2).",
        choices=("batch_optimized", RECORD_LIMIT),
    )
    max_poll_records: int = integer(
        500, MEDIUM, "How many records poll() acquires at a time, if batches allow.", low=1
    )
    max_poll_interval_ms: int = integer(
        300_000,
        MEDIUM,
        "How long a member may go without a poll before it leaves the group, in milliseconds.",
        low=1,
    )
    fetch_min_bytes: int = integer(
        1, HIGH, "How many bytes the broker collects before it answers a fetch.", low=0
    )
    fetch_max_wait_ms: int = integer(
        500, LOW, "How long the broker waits for them, in milliseconds.", low=0
    )
    fetch_max_bytes: int = integer(
        52_428_800, MEDIUM, "The maximum size of a fetch response, in bytes.", low=0
    )
    check_crcs: bool = boolean(
        LOW, default=True, text="Whether the checksum of each batch is verified."
    )
    client_rack: str = string("", LOW, "The client's rack.")
