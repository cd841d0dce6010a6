import pytest

from barnabas.broker.apis import describe_client_quotas
from barnabas.broker.apis.alter_client_quotas import handle
from barnabas.broker.broker import Broker
from barnabas.errors import ErrorCode
from barnabas.protocol.alter_client_quotas import (
    AlterClientQuotasRequest,
    AlterClientQuotasResponse,
    AlteredEntity,
    EntityData,
    OpData,
)
from barnabas.protocol.describe_client_quotas import ComponentData, DescribeClientQuotasRequest
from tests.unit.broker.in_memory import a_broker, answered, asked

Parts = dict[str, str | None]


def alter(
    broker: Broker,
    parts: Parts,
    values: dict[str, float | None],
    *,
    times: int = 1,
    only: bool = False,
) -> int:
    entity = [EntityData(entity_type=kind, entity_name=name) for kind, name in parts.items()]
    ops = [OpData(key=key, value=v or 0, remove=v is None) for key, v in values.items()]
    request = AlterClientQuotasRequest(
        entries=[AlteredEntity(entity=entity, ops=ops)] * times, validate_only=only
    )
    outcome = handle(broker, asked(1), request)
    (entry,) = answered(broker, outcome, AlterClientQuotasResponse).entries
    assert {one.entity_type: one.entity_name for one in entry.entity} == parts
    return entry.error_code


def described(
    broker: Broker, *components: tuple[str, int, str | None], strict: bool = False
) -> tuple[int, list[tuple[Parts, dict[str, float]]] | None]:
    request = DescribeClientQuotasRequest(
        components=[
            ComponentData(entity_type=kind, match_type=how, match=name)
            for kind, how, name in components
        ],
        strict=strict,
    )
    response = describe_client_quotas.handle(broker, asked(1), request)
    entries = [
        (
            {part.entity_type: part.entity_name for part in one.entity},
            {value.key: value.value for value in one.values},
        )
        for one in response.entries or ()
    ]
    return response.error_code, None if response.entries is None else entries


def test_quotas_are_set_described_and_removed() -> None:
    broker = a_broker()
    assert alter(broker, {"user": "u", "client-id": None}, {"producer_byte_rate": 5.0}) == 0
    entry = ({"client-id": None, "user": "u"}, {"producer_byte_rate": 5.0})
    assert described(broker) == (0, [entry])
    assert broker.quotas.in_force
    assert alter(broker, {"user": "u", "client-id": None}, {"producer_byte_rate": None}) == 0
    assert described(broker) == (0, [])


def test_a_trial_changes_nothing() -> None:
    broker = a_broker()
    assert alter(broker, {"user": "u"}, {"producer_byte_rate": 5.0}, only=True) == 0
    assert described(broker) == (0, [])


def test_an_entity_that_is_there_twice_is_refused_once() -> None:
    broker = a_broker()
    code = alter(broker, {"user": "u"}, {"producer_byte_rate": 5.0}, times=2)
    assert code == ErrorCode.INVALID_REQUEST
    assert described(broker) == (0, [])


@pytest.mark.parametrize(
    ("parts", "values"),
    [
        ({}, {"producer_byte_rate": 1.0}),
        ({"group": "g"}, {"producer_byte_rate": 1.0}),
        ({"user": ""}, {"producer_byte_rate": 1.0}),
        ({"user": "u", "ip": "127.0.0.1"}, {"connection_creation_rate": 1.0}),
        ({"ip": "somewhere"}, {"connection_creation_rate": 1.0}),
        ({"ip": "127.0.0.1"}, {"producer_byte_rate": 1.0}),
        ({"user": "u"}, {"connection_creation_rate": 1.0}),
        ({"user": "u"}, {"bytes": 1.0}),
        ({"user": "u"}, {"producer_byte_rate": 0.0}),
        ({"user": "u"}, {"producer_byte_rate": -1.0}),
        ({"user": "u"}, {"producer_byte_rate": 1.5}),
        ({"user": "u"}, {"producer_byte_rate": 1e19}),
        ({"user": "u"}, {"request_percentage": float("nan")}),
        ({"user": "u"}, {"request_percentage": float("inf")}),
    ],
)
def test_what_makes_no_sense_is_refused(parts: Parts, values: dict[str, float | None]) -> None:
    broker = a_broker()
    assert alter(broker, parts, values) == ErrorCode.INVALID_REQUEST
    assert described(broker) == (0, [])


def test_entities_are_found_by_their_parts() -> None:
    broker = a_broker()
    everyone: list[Parts] = [
        {"user": "u"},
        {"user": None},
        {"user": "u", "client-id": "c"},
        {"client-id": "c"},
    ]
    for parts in everyone:
        alter(broker, parts, {"request_percentage": 50.5})

    def found(*components: tuple[str, int, str | None], strict: bool) -> list[Parts]:
        _, entries = described(broker, *components, strict=strict)
        assert entries is not None
        return [parts for parts, _ in entries]

    assert found(("user", 0, "u"), strict=True) == [{"user": "u"}]
    assert found(("user", 0, "u"), strict=False) == [{"user": "u"}, {"user": "u", "client-id": "c"}]
    assert found(("user", 1, None), strict=False) == [{"user": None}]
    assert found(("user", 2, None), strict=True) == [{"user": "u"}, {"user": None}]
    assert found(("client-id", 2, None), ("user", 2, None), strict=True) == [everyone[2]]
    assert found(strict=True) == []
    assert len(found(strict=False)) == 4


@pytest.mark.parametrize(
    ("components", "code"),
    [
        ([("group", 0, "g")], ErrorCode.UNSUPPORTED_VERSION),
        ([("", 0, "g")], ErrorCode.INVALID_REQUEST),
        ([("user", 7, "u")], ErrorCode.INVALID_REQUEST),
        ([("user", 0, None)], ErrorCode.INVALID_REQUEST),
        ([("user", 1, "u")], ErrorCode.INVALID_REQUEST),
        ([("user", 0, "u"), ("user", 0, "v")], ErrorCode.INVALID_REQUEST),
        ([("user", 0, "u"), ("ip", 0, "::1")], ErrorCode.INVALID_REQUEST),
    ],
)
def test_questions_that_make_no_sense_are_refused(
    components: list[tuple[str, int, str | None]], code: ErrorCode
) -> None:
    assert described(a_broker(), *components) == (code, None)
