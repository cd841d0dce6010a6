"""Changes of properties, resource by resource: what AlterConfigs and IncrementalAlterConfigs share."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from barnabas.broker.broker import Broker
from barnabas.broker.config_targets import Target, target_of
from barnabas.errors import BrokerError, ErrorCode, KafkaError


class _Named(Protocol):
    """One property in a request."""

    name: str


class _Asked(Protocol):
    """What both requests say of a resource."""

    resource_type: int
    resource_name: str

    @property
    def configs(self) -> Sequence[_Named]: ...


Asked = TypeVar("Asked", bound=_Asked)
Changed = Callable[[Target, Asked], dict[str, str]]
"""The properties that a resource is to have, from what it has and what is asked for."""


def change_all(
    broker: Broker, asked: Sequence[Asked], changed: Changed[Asked], *, validate_only: bool
) -> list[tuple[Asked, ErrorCode, str | None]]:
    """Change each resource that can be changed; each with its code, and why it was not changed."""
    times = Counter((one.resource_type, one.resource_name) for one in asked)
    answers: list[tuple[Asked, ErrorCode, str | None]] = []
    for one in asked:
        try:
            if times[one.resource_type, one.resource_name] > 1:
                raise BrokerError(ErrorCode.INVALID_REQUEST, "the resource is there twice")
            _change(broker, one, changed, validate_only=validate_only)
        except KafkaError as error:
            answers.append((one, error.code, error.why))
        else:
            answers.append((one, ErrorCode.NONE, None))
    return answers


def _change(broker: Broker, asked: Asked, changed: Changed[Asked], *, validate_only: bool) -> None:
    target = target_of(broker, asked.resource_type, asked.resource_name)
    names = [one.name for one in asked.configs]
    if len(set(names)) < len(names):
        raise BrokerError(ErrorCode.INVALID_REQUEST, "a property is there twice")
    target.change(changed(target, asked), validate_only=validate_only)
