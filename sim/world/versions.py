"""Which versions of the APIs a simulated client speaks: drawn for each client, so that they mix."""

from collections.abc import Mapping
from types import MappingProxyType

from barnabas.protocol.api_keys import ApiKey
from sim.world.entropy import SeededEntropy

SPOKEN: Mapping[ApiKey, tuple[int, int]] = MappingProxyType(
    {
        ApiKey.METADATA: (10, 13),
        ApiKey.PRODUCE: (3, 11),
        ApiKey.FETCH: (4, 12),
        ApiKey.OFFSET_COMMIT: (1, 9),
        ApiKey.OFFSET_FETCH: (1, 9),
        ApiKey.JOIN_GROUP: (0, 9),
        ApiKey.SYNC_GROUP: (0, 5),
        ApiKey.HEARTBEAT: (0, 4),
        ApiKey.LEAVE_GROUP: (0, 5),
        ApiKey.INIT_PRODUCER_ID: (0, 4),
        ApiKey.ADD_PARTITIONS_TO_TXN: (0, 3),
        ApiKey.END_TXN: (0, 4),
        ApiKey.ADD_OFFSETS_TO_TXN: (0, 4),
        ApiKey.TXN_OFFSET_COMMIT: (3, 4),
        ApiKey.CONSUMER_GROUP_HEARTBEAT: (0, 1),
        ApiKey.SHARE_GROUP_HEARTBEAT: (1, 1),
        ApiKey.SHARE_FETCH: (1, 2),
        ApiKey.SHARE_ACKNOWLEDGE: (1, 2),
        ApiKey.INCREMENTAL_ALTER_CONFIGS: (0, 1),
    }
)
"""The first and the last: those with batches of magic 2, topics by name, offsets in the topic."""

STABLE_POSITIONS: Mapping[ApiKey, int] = MappingProxyType({ApiKey.OFFSET_FETCH: 7})
"""What a member speaks that waits for the transactions of who had a partition before (KIP-447)."""

STREAMS: Mapping[ApiKey, int] = MappingProxyType(
    {ApiKey.STREAMS_GROUP_HEARTBEAT: 0, ApiKey.STREAMS_GROUP_DESCRIBE: 0}
)
"""What members of streams groups speak beside what consumers do."""

TRANSACTIONS_2: Mapping[ApiKey, int] = MappingProxyType(
    {ApiKey.PRODUCE: 12, ApiKey.END_TXN: 5, ApiKey.TXN_OFFSET_COMMIT: 5}
)
"""What a producer speaks in whose transactions each end has an epoch of its own (KIP-890)."""

_KNOW_INSTANCES: Mapping[ApiKey, int] = MappingProxyType(
    {
        ApiKey.JOIN_GROUP: 5,
        ApiKey.SYNC_GROUP: 3,
        ApiKey.HEARTBEAT: 3,
        ApiKey.LEAVE_GROUP: 3,
        ApiKey.OFFSET_COMMIT: 7,
    }
)
"""Since which version a static member can say its name (KIP-345)."""


def with_epochs(versions: Mapping[ApiKey, int]) -> dict[ApiKey, int]:
    """The same of a client that knows what the epoch of a member is (KIP-848)."""
    return {**versions, ApiKey.OFFSET_COMMIT: 9}


def drawn_versions(entropy: SeededEntropy, *, is_static: bool = False) -> dict[ApiKey, int]:
    """One of each."""
    versions = {}
    for key, (first, last) in SPOKEN.items():
        least = max(first, _KNOW_INSTANCES.get(key, 0)) if is_static else first
        versions[key] = least + entropy.below(last - least + 1)
    return versions
