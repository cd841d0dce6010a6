"""Choose the brokers of a new topic's partitions. Stores nothing."""

from collections.abc import Container, Iterable, Mapping, Sequence

from barnabas.errors import BrokerError, ErrorCode

MOST_AT_ONCE = 10_000
"""Partitions that one request may create: each is a directory that must be synced while others wait.

Source: Kafka 4's controller (MAX_PARTITIONS_PER_BATCH, MAX_RECORDS_PER_USER_OP).
"""


def check_total(partitions: int) -> None:
    """Check the number of partitions of one request, before any is created.

    Raises:
        BrokerError: POLICY_VIOLATION: there are too many.
    """
    if partitions > MOST_AT_ONCE:
        raise BrokerError(
            ErrorCode.POLICY_VIOLATION,
            f"{partitions} partitions are too many for one request; it may create {MOST_AT_ONCE}",
        )


def check_count(partitions: int) -> None:
    """Check the number of partitions of a topic.

    Raises:
        BrokerError: INVALID_PARTITIONS: it is less than 1.
    """
    if partitions <= 0:
        raise BrokerError(
            ErrorCode.INVALID_PARTITIONS, f"a topic has at least 1 partition, not {partitions}"
        )


def placed(indexes: Iterable[int], replicas: int, node_id: int) -> dict[int, list[int]]:
    """Place partitions on this broker, the only one.

    Raises:
        BrokerError: INVALID_REPLICATION_FACTOR: it is not 1.
    """
    if replicas != 1:
        raise BrokerError(
            ErrorCode.INVALID_REPLICATION_FACTOR,
            f"a replication factor of {replicas} cannot be reached with 1 broker",
        )
    return {index: [node_id] for index in indexes}


def explicit_assignment(
    assignment: Mapping[int, Sequence[int]], first: int, known: Container[int]
) -> dict[int, list[int]]:
    """Check the brokers that a client chose for the partitions from `first` on; `known`: all brokers.

    Raises:
        BrokerError: INVALID_REPLICA_ASSIGNMENT: partitions are missing, or brokers do not exist.
    """
    if sorted(assignment) != list(range(first, first + len(assignment))):
        raise _refused(
            f"partitions must be numbered from {first} without a gap, not {list(assignment)}"
        )
    for index, brokers in sorted(assignment.items()):
        if not brokers:
            raise _refused(f"partition {index} has an empty list of replicas")
        if len(set(brokers)) < len(brokers):
            raise _refused(f"partition {index} names a broker more than once: {list(brokers)}")
        unknown = [broker for broker in brokers if broker not in known]
        if unknown:
            raise _refused(f"partition {index} is to be on broker {unknown[0]}, which is not there")
    return {index: list(brokers) for index, brokers in sorted(assignment.items())}


def _refused(why: str) -> BrokerError:
    return BrokerError(ErrorCode.INVALID_REPLICA_ASSIGNMENT, why)
