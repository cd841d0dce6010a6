"""DescribeClientQuotas (key 48): how much clients may use, by entity (KIP-546).

Does: entities with a part of this name, of the default's, or of any; with `strict` those that have no
    other part. Entities and their quotas come in the order in which Kafka has them.
Refuses: kinds of parts that there are not, a kind twice, an address together with others.
Versions: 1 flexible
"""

from collections.abc import Mapping, Sequence
from operator import itemgetter

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.broker.purgatory.stepping import Steps, each, in_steps_while_connected
from barnabas.broker.quotas.hash_order import hash_of_entity, hash_of_text, in_hash_order
from barnabas.broker.quotas.quotas import ADDRESS, CLIENT, DEFAULT, USER, Entity
from barnabas.errors import BrokerError, ErrorCode
from barnabas.protocol.describe_client_quotas import (
    ComponentData,
    DescribeClientQuotasRequest,
    DescribeClientQuotasResponse,
    EntityData,
    EntryData,
    ValueData,
)
from barnabas.wire.growing import GrowingArray

_EXACT, _THE_DEFAULT, _ANY = 0, 1, 2


@in_steps_while_connected
def handle(
    broker: Broker, context: RequestContext, request: DescribeClientQuotasRequest
) -> Steps[DescribeClientQuotasResponse]:
    """Describe the entities that fit."""
    del context
    try:
        _check(request.components)
    except BrokerError as error:
        return DescribeClientQuotasResponse(
            error_code=error.code, error_message=error.why, entries=None
        )
    known = yield from each(list(broker.quotas), _hashed)
    entries: GrowingArray[EntryData] = GrowingArray()
    for _, parts, values in in_hash_order(known, itemgetter(0)):
        if _fits(parts, request):
            entries.add(_entry(parts, values))
        yield entries
    return DescribeClientQuotasResponse(error_code=ErrorCode.NONE, entries=entries.done())


def _hashed(
    known: tuple[Entity, Mapping[str, float]],
) -> tuple[int, dict[str, str], Mapping[str, float]]:
    entity, values = known
    parts = parts_of(entity)
    return hash_of_entity(parts), parts, values


def parts_of(entity: Entity) -> dict[str, str]:
    """The parts that an entity has, by their kind, in Kafka's order."""
    names = {CLIENT: entity.client_id, USER: entity.user, ADDRESS: entity.address}
    return {kind: name for kind, name in names.items() if name is not None}


def _check(components: Sequence[ComponentData]) -> None:
    kinds = [one.entity_type for one in components]
    for one in components:
        if not one.entity_type:
            raise BrokerError(ErrorCode.INVALID_REQUEST, "a kind of entity is empty")
        if one.entity_type not in {USER, CLIENT, ADDRESS}:
            what = f"entities have no part of the kind {one.entity_type}"
            raise BrokerError(ErrorCode.UNSUPPORTED_VERSION, what)
        if one.match_type not in {_EXACT, _THE_DEFAULT, _ANY}:
            what = f"there is no way {one.match_type} to match a name"
            raise BrokerError(ErrorCode.INVALID_REQUEST, what)
        if (one.match_type == _EXACT) != (one.match is not None):
            what = "a name is there to be matched, and for nothing else"
            raise BrokerError(ErrorCode.INVALID_REQUEST, what)
    if len(set(kinds)) < len(kinds):
        raise BrokerError(ErrorCode.INVALID_REQUEST, "a kind of entity is there twice")
    if ADDRESS in kinds and len(kinds) > 1:
        raise BrokerError(ErrorCode.INVALID_REQUEST, "an address is no part of other entities")


def _fits(parts: Mapping[str, str], request: DescribeClientQuotasRequest) -> bool:
    if request.strict and len(parts) != len(request.components):
        return False
    return all(
        one.entity_type in parts
        and (
            one.match_type == _ANY
            or parts[one.entity_type] == (DEFAULT if one.match is None else one.match)
        )
        for one in request.components
    )


def _entry(parts: Mapping[str, str], values: Mapping[str, float]) -> EntryData:
    return EntryData(
        entity=[
            EntityData(entity_type=kind, entity_name=name or None) for kind, name in parts.items()
        ],
        values=[
            ValueData(key=key, value=values[key]) for key in in_hash_order(values, hash_of_text)
        ],
    )
