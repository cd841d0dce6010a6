"""Which APIs of Kafka's brokers ours does not serve, by name: one more that is missing is a fault."""

from barnabas.config.releases import release_line
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.releases import apis_of
from tests.interop.differential.verdict import Difference

_NOT_SERVED = {
    "brokers and controllers ask it of each other": (
        ApiKey.LEADER_AND_ISR,
        ApiKey.STOP_REPLICA,
        ApiKey.UPDATE_METADATA,
        ApiKey.CONTROLLED_SHUTDOWN,
        ApiKey.ALTER_PARTITION,
    ),
    "the quorum of controllers is one node, and stays so": (
        ApiKey.ADD_RAFT_VOTER,
        ApiKey.REMOVE_RAFT_VOTER,
    ),
    "the only broker cannot be forgotten": (ApiKey.UNREGISTER_BROKER,),
}


def unserved(release: str) -> tuple[Difference, ...]:
    """What the ApiVersions of that Kafka names and ours does not."""
    response = apis_of(release_line(release))
    return tuple(
        Difference("*", f"api_keys.{int(key)}", why, ours="absent")
        for why, keys in _NOT_SERVED.items()
        for key in keys
        if key in response
    )
