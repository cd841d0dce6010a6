"""Internal topics of streams groups: created when a group lacks them."""

import logging
from collections.abc import Iterable, Sequence

from barnabas.broker.broker import Broker
from barnabas.broker.requests.cluster_topics import place_partitions
from barnabas.broker.topics.assignments import check_total
from barnabas.broker.topics.topic_names import metric_name
from barnabas.coordinators.streams_group.configuring import MissingTopic
from barnabas.errors import BrokerError, KafkaError
from barnabas.types import RequestedTopic, Topic

log = logging.getLogger(__name__)


def create_missing(broker: Broker, missing: Iterable[MissingTopic]) -> list[str]:
    """Create these topics; return a message for each that cannot be created.

    They are written beside the loop, and their partitions follow in steps, between other requests; a topic
    whose logs cannot be created is deleted, and missing again.
    In a cluster the controller is asked, and the topics are missing until it has made them.
    """
    failed: dict[str, KafkaError] = {}
    wanted: dict[str, tuple[RequestedTopic, int]] = {}
    for topic in missing:
        name = topic.info.name
        if broker.topics.get(name) is not None:
            continue  # Another member's heartbeat was first.
        try:
            one = _checked(broker, topic)
        except BrokerError as error:
            failed[name] = error
            continue
        # Of those that metrics cannot tell apart the first is made, and is then in the way of others.
        wanted.setdefault(metric_name(name), one)
    if broker.member is not None:
        for asked, replicas in wanted.values():
            broker.member.to_controller.ask_for_topic(asked, replicas)
    elif wanted:
        failed.update(_make(broker, [one for one, _ in wanted.values()]))
    for name, why in failed.items():
        log.warning("internal topic not created", extra={"topic": name, "error": why})
    return [f"{name} ({why})" for name, why in sorted(failed.items())]


def _make(broker: Broker, wanted: Sequence[RequestedTopic]) -> dict[str, KafkaError]:
    outcomes: dict[str, Topic | KafkaError] = {}
    steps = broker.topics.create_all_in_steps(wanted, outcomes)
    broker.stepping.run(steps)
    return {name: error for name, error in outcomes.items() if isinstance(error, KafkaError)}


def _checked(broker: Broker, topic: MissingTopic) -> tuple[RequestedTopic, int]:
    """The topic, and how many replicas it gets. In a cluster its controller places and checks it."""
    name, config = topic.info.name, {one.key: one.value for one in topic.info.topic_configs}
    # 0 means the broker's default, as does a negative number in topics that the user creates.
    replicas = topic.info.replication_factor
    if replicas <= 0:
        replicas = broker.config.default_replication_factor
    if broker.member is not None:
        return RequestedTopic(
            name, {index: [] for index in range(topic.partitions)}, config
        ), replicas
    broker.topics.check_new(name, config)
    check_total(topic.partitions)
    partitions = place_partitions(broker, range(topic.partitions), replicas)
    return RequestedTopic(name, partitions, config), replicas
