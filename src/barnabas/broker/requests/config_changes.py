"""Changes of properties, resource by resource: what AlterConfigs and IncrementalAlterConfigs share."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Protocol, TypeVar

from barnabas.broker.broker import Broker
from barnabas.broker.properties.resource_kinds import ResourceKind
from barnabas.broker.purgatory.stepping import Steps
from barnabas.broker.requests.config_targets import ConfigTarget, target_of
from barnabas.errors import BrokerError, ErrorCode, KafkaError, StorageError
from barnabas.wire.growing import GrowingArray


class _Named(Protocol):
    """One property in a request."""

    name: str


class _Asked(Protocol):
    """A resource in either request."""

    resource_type: int
    resource_name: str

    @property
    def configs(self) -> Sequence[_Named]: ...


Asked = TypeVar("Asked", bound=_Asked)
Changed = Callable[[ConfigTarget, Asked], dict[str, str]]
"""The properties that a resource is to have, from its present ones and the request."""


Row = TypeVar("Row")
NewRow = Callable[..., Row]
"""Makes the row of a response from its `error_code`, `error_message`, `resource_type`, `resource_name`."""

_Outcome = tuple[Asked, ErrorCode, str | None]

_RESOURCES_A_STEP = 32
_LONGEST_VALUE = 2**15 - 1
"""In characters; also of a list after words were added. Source: Kafka's ConfigurationControlManager."""


def change_all(
    broker: Broker,
    asked: Sequence[Asked],
    changed: Changed[Asked],
    row: NewRow[Row],
    *,
    validate_only: bool,
) -> Steps[list[Row]]:
    """Change each resource that can be changed; return a row with code and message for each.

    Requests are handled one after the other, because each starts from the present properties. The
    properties of up to 32 topics are written together.
    """
    steps = _change_all(broker, asked, changed, row, validate_only=validate_only)
    return (yield from broker.registry_calls.in_turn(steps))


def _change_all(
    broker: Broker,
    asked: Sequence[Asked],
    changed: Changed[Asked],
    row: NewRow[Row],
    *,
    validate_only: bool,
) -> Steps[list[Row]]:
    rows: GrowingArray[Row] = GrowingArray()
    times = Counter((one.resource_type, one.resource_name) for one in asked)
    for first in range(0, len(asked), _RESOURCES_A_STEP):
        later: dict[str, Mapping[str, str]] = {}
        some: list[_Outcome[Asked]] = []
        for one in asked[first : first + _RESOURCES_A_STEP]:
            try:
                if times[one.resource_type, one.resource_name] > 1:
                    raise BrokerError(
                        ErrorCode.INVALID_REQUEST, "the request names the resource twice"
                    )
                target = target_of(broker, one.resource_type, one.resource_name, later)
                config = _checked(target, one, changed)
                if not validate_only:
                    yield from target.change(config)
            except KafkaError as error:
                some.append((one, error.code, error.why))
            else:
                some.append((one, ErrorCode.NONE, None))
        for one, code, why in (yield from _written(broker, later, some)):
            rows.add(
                row(
                    error_code=code,
                    error_message=why,
                    resource_type=one.resource_type,
                    resource_name=one.resource_name,
                )
            )
        yield rows
    return rows.done()


def _written(
    broker: Broker, later: Mapping[str, Mapping[str, str]], answers: list[_Outcome[Asked]]
) -> Steps[list[_Outcome[Asked]]]:
    """The answers once the properties of topics are written, or are not."""
    errors: dict[str, KafkaError] = {}
    try:
        if later:
            gone = yield from broker.registry_calls.make(
                partial(broker.topics.write_configs, later)
            )
            errors = {name: _no_topic(name) for name in gone}
        broker.topics.adopt_configs({name: later[name] for name in later if name not in errors})
    except StorageError as error:
        errors = dict.fromkeys(later, error)
    return [
        (one, errors[one.resource_name].code, errors[one.resource_name].why)
        if not code and one.resource_type == ResourceKind.TOPIC and one.resource_name in errors
        else (one, code, why)
        for one, code, why in answers
    ]


def _no_topic(name: str) -> KafkaError:
    what = f"topic {name} was deleted meanwhile"
    return BrokerError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, what)


def _checked(target: ConfigTarget, asked: Asked, changed: Changed[Asked]) -> dict[str, str]:
    """The properties that a resource is to have, which it can have."""
    names = [one.name for one in asked.configs]
    if len(set(names)) < len(names):
        raise BrokerError(ErrorCode.INVALID_REQUEST, "the request names a property twice")
    properties = changed(target, asked)
    for name, value in properties.items():
        if len(value) > _LONGEST_VALUE:
            what = (
                f"{name} would have {len(value)} characters, and {_LONGEST_VALUE} are the most:"
                " set a shorter value"
            )
            raise BrokerError(ErrorCode.INVALID_CONFIG, what)
    target.check(properties)
    return properties
