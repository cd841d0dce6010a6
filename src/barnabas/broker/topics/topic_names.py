"""TopicNames: checks the names of new topics.

Source: Kafka's Topic and ReplicationControlManager; what Kafka 4.3 refuses.
"""

import re

from barnabas.coordinators.internal_topics import INTERNAL_TOPICS
from barnabas.errors import BrokerError, ErrorCode
from barnabas.log.file_names import CLUSTER_METADATA, has_directory
from barnabas.types import TopicPartition

_LEGAL = re.compile(r"[a-zA-Z0-9._-]{1,249}")


def problem_of_name(name: str) -> str:
    """Why a name is invalid; empty if it is valid."""
    if name in {".", ".."}:
        return "that is no name for a topic"
    if not _LEGAL.fullmatch(name):
        return "the name of a topic is 1 to 249 of letters, digits, dot, underscore and hyphen"
    return ""


def metric_name(name: str) -> str:
    """The topic's name in metrics, which have _ for each dot."""
    return name.replace(".", "_")


_OF_COORDINATORS = {metric_name(name): name for name in INTERNAL_TOPICS}


def check_partition(name: str, index: int) -> None:
    """Check that a partition's name is a valid name of a directory.

    Raises:
        BrokerError: INVALID_PARTITIONS: it is not.
    """
    if not has_directory(TopicPartition(name, index)):
        raise BrokerError(
            ErrorCode.INVALID_PARTITIONS,
            f"{name}-{index} cannot be the name of a partition's directory: it must have at most 255 bytes, "
            "and end in a number from 0 on; a topic with more partitions needs a shorter name",
        )


class TopicNames:
    """The names of the existing topics, by their names in metrics."""

    __slots__ = ("_by_metric",)

    def __init__(self) -> None:
        self._by_metric: dict[str, tuple[str, ...]] = {}

    def add(self, name: str) -> None:
        """Add the name of a new topic."""
        names = self._by_metric.get(metric_name(name), ())
        if name not in names:
            self._by_metric[metric_name(name)] = (*names, name)

    def remove(self, name: str) -> None:
        """Remove the name of a deleted topic."""
        names = self._by_metric.pop(metric_name(name), ())
        others = tuple(other for other in names if other != name)
        if others:
            self._by_metric[metric_name(name)] = others

    def check_new(self, name: str) -> None:
        """Check that a topic of that name can be created.

        Raises:
            BrokerError: INVALID_TOPIC_EXCEPTION, TOPIC_ALREADY_EXISTS, or INVALID_REQUEST for a name
                that Kafka reserves.
        """
        problem = problem_of_name(name)
        if problem:
            raise BrokerError(ErrorCode.INVALID_TOPIC_EXCEPTION, problem)
        if name == CLUSTER_METADATA:
            raise BrokerError(
                ErrorCode.INVALID_REQUEST, f"{name} is the log of Kafka's controllers: take another"
            )
        if name in self._by_metric.get(metric_name(name), ()):
            raise BrokerError(ErrorCode.TOPIC_ALREADY_EXISTS, f"Topic '{name}' already exists.")
        other = self.colliding(name)
        if other:
            raise BrokerError(
                ErrorCode.INVALID_TOPIC_EXCEPTION,
                f"{name} and {other} differ only in . and _, which metrics cannot tell apart",
            )

    def colliding(self, name: str) -> str:
        """Another topic with the same name in metrics; empty if there is none.

        Names of internal topics never collide: they are reserved.
        """
        if name in INTERNAL_TOPICS:
            return ""
        metric = metric_name(name)
        others = (other for other in self._by_metric.get(metric, ()) if other != name)
        return min(others, default=_OF_COORDINATORS.get(metric, ""))
