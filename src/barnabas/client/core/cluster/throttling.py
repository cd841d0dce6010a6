"""How long a client that exceeded a quota must send nothing to a broker. No I/O.

Source: KIP-219. From the versions below on, a broker responds at once and the client waits.
Earlier, the broker delayed its response, and waiting again would double the delay.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from barnabas.client.core.cluster.connection import ReceivedResponse
from barnabas.protocol.api_keys import ApiKey

_CLIENT_WAITS_SINCE: Final[Mapping[ApiKey, int]] = MappingProxyType(
    {
        ApiKey.PRODUCE: 6,
        ApiKey.FETCH: 8,
        ApiKey.LIST_OFFSETS: 3,
        ApiKey.METADATA: 6,
        ApiKey.OFFSET_COMMIT: 4,
        ApiKey.OFFSET_FETCH: 4,
        ApiKey.FIND_COORDINATOR: 2,
        ApiKey.API_VERSIONS: 2,
        ApiKey.CREATE_TOPICS: 3,
        ApiKey.DELETE_TOPICS: 2,
        ApiKey.DELETE_RECORDS: 1,
        ApiKey.INIT_PRODUCER_ID: 1,
        ApiKey.DESCRIBE_CONFIGS: 2,
        ApiKey.ALTER_CONFIGS: 1,
        ApiKey.CREATE_PARTITIONS: 1,
    }
)


def throttle_s(answer: ReceivedResponse) -> float:
    """Seconds to send nothing on the connection of this response; mostly 0."""
    milliseconds: int = getattr(answer.message, "throttle_time_ms", 0)
    due = answer.due
    if milliseconds <= 0 or due.version < _CLIENT_WAITS_SINCE.get(due.api, 0):
        return 0.0
    return milliseconds / 1000
