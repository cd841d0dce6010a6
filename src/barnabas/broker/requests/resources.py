"""Resources with properties, as clients name them: a type and a text."""

from collections.abc import Mapping

from barnabas.broker.broker import Broker
from barnabas.broker.properties.resource_kinds import ResourceKind
from barnabas.broker.topics.topic_names import problem_of_name
from barnabas.config.releases import is_before
from barnabas.errors import BrokerError, ErrorCode
from barnabas.types import Topic


def topic_of(broker: Broker, name: str) -> Topic:
    """The topic of that name.

    Raises:
        BrokerError: there is none, or there cannot be one.
    """
    problem = problem_of_name(name)
    if problem:
        raise BrokerError(ErrorCode.INVALID_TOPIC_EXCEPTION, problem)
    topic = broker.topics.get(name)
    if topic is None:
        raise BrokerError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, f"there is no topic {name}")
    return topic


_SINCE: Mapping[int, str] = {ResourceKind.CLIENT_METRICS: "3.7", ResourceKind.GROUP: "4.0"}
"""Since which release line there are resources of these types that are only a name."""


def check_name(broker: Broker, kind: int, name: str) -> None:
    """Whether a resource that is only a name has one, of a type that the broker's release knows.

    Raises:
        BrokerError: INVALID_REQUEST: it has none, or there are none of that type.
    """
    release = broker.profile.release
    if release and is_before(release, _SINCE[kind]):
        raise BrokerError(ErrorCode.INVALID_REQUEST, f"{release} has no resources of type {kind}")
    if not name:
        raise BrokerError(ErrorCode.INVALID_REQUEST, "the name of the resource is empty")


def check_broker(broker: Broker, name: str) -> None:
    """Whether `name` is the number of this broker.

    Raises:
        BrokerError: INVALID_REQUEST: it is not.
    """
    if name != str(broker.config.node_id):
        raise BrokerError(
            ErrorCode.INVALID_REQUEST,
            f"this is broker {broker.config.node_id}, it cannot speak for {name!r}",
        )
