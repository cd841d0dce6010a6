"""Authorised operations as bit fields. There is no authorizer, so everybody may do everything."""

from collections.abc import Iterable
from enum import IntEnum


class Operation(IntEnum):
    """What an access control list can allow; the numbers are those of the protocol (KIP-430)."""

    READ = 3
    WRITE = 4
    CREATE = 5
    DELETE = 6
    ALTER = 7
    DESCRIBE = 8
    CLUSTER_ACTION = 9
    DESCRIBE_CONFIGS = 10
    ALTER_CONFIGS = 11
    IDEMPOTENT_WRITE = 12


NOT_ASKED = -(2**31)


def _bits(operations: Iterable[Operation]) -> int:
    return sum(1 << operation for operation in operations)


ON_TOPICS = _bits(set(Operation) - {Operation.CLUSTER_ACTION, Operation.IDEMPOTENT_WRITE})
ON_CLUSTER = _bits(set(Operation) - {Operation.READ, Operation.WRITE, Operation.DELETE})
ON_GROUPS = _bits(
    {
        Operation.READ,
        Operation.DESCRIBE,
        Operation.DELETE,
        Operation.DESCRIBE_CONFIGS,
        Operation.ALTER_CONFIGS,
    }
)
"""Source: Kafka's AclEntry.supportedOperations of a group."""
