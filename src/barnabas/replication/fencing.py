"""Fencing: refuse requests for an old leader epoch, or of an old follower epoch.

Epochs of -1 come from versions that have none, and are not compared.
"""

from barnabas.errors import ErrorCode


def check_leader_epoch(asked: int, current: int) -> ErrorCode:
    """Compare the epoch that a request names with the one of this replica.

    An older one is FENCED_LEADER_EPOCH, a newer one UNKNOWN_LEADER_EPOCH.

    Source: KIP-320.
    """
    if asked < 0 or asked == current:
        return ErrorCode.NONE
    if asked < current:
        return ErrorCode.FENCED_LEADER_EPOCH
    return ErrorCode.UNKNOWN_LEADER_EPOCH


def check_replica_epoch(fetched: int, known: int) -> ErrorCode:
    """Refuse a fetch of an earlier life of a follower: NOT_LEADER_OR_FOLLOWER.

    Source: KIP-903; Kafka's Replica.updateFetchStateOrThrow.
    """
    return ErrorCode.NOT_LEADER_OR_FOLLOWER if 0 <= fetched < known else ErrorCode.NONE
