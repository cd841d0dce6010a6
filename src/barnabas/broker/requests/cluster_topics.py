"""Create and delete topics in a cluster, and wait until clients can use the result.

A broker that is alone has all on itself at once. The controller of a cluster places replicas on those that
are alive, and what it decides takes a moment until the brokers have it.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial

from barnabas.broker.broker import Broker
from barnabas.broker.purgatory.pending import Pending
from barnabas.broker.purgatory.stepping import Steps
from barnabas.broker.topics.assignments import placed
from barnabas.cluster.image import NO_LEADER
from barnabas.errors import BrokerError, ErrorCode, KafkaError
from barnabas.ports import Timers
from barnabas.types import NodeId, Topic, TopicPartition

_LOOK_MS = 5


def place_partitions(
    broker: Broker, indexes: Iterable[int], replicas: int, before: Sequence[int] = ()
) -> dict[int, list[int]]:
    """The replicas of new partitions; `before` are those of partition 0, if it is there.

    Raises:
        BrokerError: INVALID_REPLICATION_FACTOR: that many replicas need more brokers.
    """
    if broker.member is None:
        return placed(indexes, replicas, broker.config.node_id)
    return broker.member.controller.place([*indexes], replicas, [*map(NodeId, before)])


def live_brokers(broker: Broker) -> Collection[int]:
    """The brokers that may get replicas."""
    if broker.member is None:
        return [broker.config.node_id]
    return broker.member.controller.view.image.brokers


def until_led(broker: Broker, names: Iterable[str], timeout_ms: int) -> Pending:
    """Is done when all partitions of these topics have leaders that this broker knows of; or in time."""
    member, wanted = broker.member, [*names]

    def is_so() -> bool:
        if member is None:
            return True
        return all(
            topic is not None
            and all(
                state is not None and state.leader != NO_LEADER
                for index in topic.partitions
                for state in [member.image.partition(TopicPartition(topic.name, index))]
            )
            for topic in map(broker.topics.get, wanted)
        )

    return _until(broker.timers, is_so, timeout_ms)


def until_deleted(broker: Broker, names: Iterable[str], timeout_ms: int) -> Pending:
    """Is done when the controller has no topic of these names any more; or in time."""
    member, wanted = broker.member, {*names}

    def is_so() -> bool:
        if member is None or not member.controller.is_active:
            return True
        return not wanted & member.controller.view.image.topics.keys()

    return _until(broker.timers, is_so, timeout_ms)


def begin_deletion(
    broker: Broker, topics: Iterable[Topic], failed: dict[str, KafkaError]
) -> Steps[None]:
    """Mark topics of a cluster to be deleted; `failed` receives the error of those that are not."""
    assert broker.member is not None, "only a cluster deletes in this way"
    names = [topic.name for topic in topics]
    try:
        yield broker.member.controller.delete(names)
    except KafkaError as error:
        failed.update(dict.fromkeys(names, error))


def still_there(broker: Broker, topics: Iterable[Topic], failed: dict[str, KafkaError]) -> None:
    """`failed` receives those that could not be deleted in time: a broker with a replica is down."""
    member = broker.member
    if member is None or not member.controller.is_active:
        return
    known = member.controller.view.image.topics
    for topic in topics:
        if topic.name in known and topic.name not in failed:
            what = "its deletion goes on when the brokers with its replicas are back"
            failed[topic.name] = BrokerError(ErrorCode.REQUEST_TIMED_OUT, what)


def _until(timers: Timers, is_so: Callable[[], bool], timeout_ms: int) -> Pending:
    pending = Pending()

    def look(left_ms: int) -> None:
        if left_ms <= 0 or is_so():
            pending.complete(None)
        else:
            timers.after(_LOOK_MS / 1000, partial(look, left_ms - _LOOK_MS))

    look(timeout_ms)
    return pending
