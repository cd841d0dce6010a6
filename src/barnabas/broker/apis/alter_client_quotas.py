"""AlterClientQuotas (key 49): change how much clients may use (KIP-546).

Does: sets and removes quotas of users, client ids, both together, and addresses; `validate_only`. An
    entity that is there twice is refused once. What holds is durable before the answer, which has
    Kafka's order.
Refuses: what Kafka refuses, and a quota that is no number.
Versions: 1 flexible
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from math import isnan
from operator import itemgetter

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.broker.purgatory.stepping import Steps, each, in_steps
from barnabas.broker.quotas.hash_order import (
    USUAL_TABLE,
    hash_of_entity,
    hash_of_text,
    in_hash_order,
)
from barnabas.broker.quotas.quotas import (
    ADDRESS,
    CLIENT,
    DEFAULT,
    MUTATION,
    OF_ADDRESSES,
    OF_CLIENTS,
    REQUEST,
    USER,
    Entity,
)
from barnabas.errors import BrokerError, ErrorCode, KafkaError
from barnabas.protocol.alter_client_quotas import (
    AlterClientQuotasRequest,
    AlterClientQuotasResponse,
    AlteredEntity,
    AlteredEntityResult,
    EntityData,
    OpData,
)

_Parts = dict[str, str | None]
_MOST = dict.fromkeys(OF_ADDRESSES, 2**31 - 1) | dict.fromkeys(OF_CLIENTS, 2**63 - 1)
_MAY_BE_A_FRACTION = frozenset({MUTATION, REQUEST})


@in_steps
def handle(
    broker: Broker, context: RequestContext, request: AlterClientQuotasRequest
) -> Steps[AlterClientQuotasResponse]:
    """Change what can be changed; say why the rest is not."""
    del context
    return (yield from broker.registry_calls.in_turn(_altered(broker, request)))


def _altered(broker: Broker, request: AlterClientQuotasRequest) -> Steps[AlterClientQuotasResponse]:
    asked = yield from each(request.entries, lambda entry: (_parts(entry), entry))
    times = Counter(frozenset(parts.items()) for parts, _ in asked)
    results: dict[frozenset[tuple[str, str | None]], AlteredEntityResult] = {}
    for parts, entry in asked:
        who = frozenset(parts.items())
        code, why = ErrorCode.NONE, None
        try:
            if times[who] > 1:
                raise BrokerError(ErrorCode.INVALID_REQUEST, "the entity is there twice")
            entity, changes = _entity(parts), _changes(entry.ops, of_address=ADDRESS in parts)
            if not request.validate_only:
                values = broker.quotas.changed(entity, changes)
                write = partial(broker.quotas.write, entity, values)
                yield from broker.registry_calls.make(write)
                broker.quotas.take(entity, values)
        except KafkaError as error:
            code, why = error.code, error.why
        results[who] = AlteredEntityResult(
            error_code=code,
            error_message=why,
            entity=[
                EntityData(entity_type=kind, entity_name=parts[kind])
                for kind in in_hash_order(parts, hash_of_text)
            ],
        )
        yield
    hashed = yield from each(results, lambda who: (hash_of_entity(dict(who)), results[who]))
    in_order = in_hash_order(hashed, itemgetter(0), table=USUAL_TABLE)
    return AlterClientQuotasResponse(entries=[result for _, result in in_order])


def _parts(entry: AlteredEntity) -> _Parts:
    """By kind; of a kind that is there twice the last one counts, as in Kafka."""
    return {one.entity_type: one.entity_name for one in entry.entity}


def _entity(parts: Mapping[str, str | None]) -> Entity:
    if not parts:
        raise BrokerError(ErrorCode.INVALID_REQUEST, "an entity has at least one part")
    strange = parts.keys() - {USER, CLIENT, ADDRESS}
    if strange:
        what = f"entities have no part of the kind {min(strange)!r}"
        raise BrokerError(ErrorCode.INVALID_REQUEST, what)
    if "" in parts.values():
        what = "an empty name; none at all stands for the default"
        raise BrokerError(ErrorCode.INVALID_REQUEST, what)
    if ADDRESS in parts and len(parts) > 1:
        raise BrokerError(ErrorCode.INVALID_REQUEST, "an address is no part of other entities")
    address = parts.get(ADDRESS)
    if address is not None and not _is_address(address):
        raise BrokerError(ErrorCode.INVALID_REQUEST, f"{address!r} is no address")
    return Entity(_named(parts, USER), _named(parts, CLIENT), _named(parts, ADDRESS))


def _named(parts: Mapping[str, str | None], kind: str) -> str | None:
    return (parts[kind] or DEFAULT) if kind in parts else None


def _is_address(text: str) -> bool:
    # Imported late: a broker starts faster without it.
    from ipaddress import ip_address

    try:
        ip_address(text)
    except ValueError:
        return False
    return True


def _changes(asked: Sequence[OpData], *, of_address: bool) -> dict[str, float | None]:
    known = OF_ADDRESSES if of_address else OF_CLIENTS
    changes: dict[str, float | None] = {}
    for one in asked:
        if one.key in changes:
            raise BrokerError(ErrorCode.INVALID_REQUEST, f"{one.key} is there twice")
        if not one.remove:
            if one.key not in known:
                what = f"there is no quota {one.key} for it; there are {', '.join(sorted(known))}"
                raise BrokerError(ErrorCode.INVALID_REQUEST, what)
            _check(one.key, one.value)
        changes[one.key] = None if one.remove else one.value
    return {key: changes[key] for key in in_hash_order(changes, hash_of_text, table=USUAL_TABLE)}


def _check(key: str, value: float) -> None:
    whole = key not in _MAY_BE_A_FRACTION
    if isnan(value) or not 0 < value <= _MOST[key] or (whole and value != int(value)):
        kind = "a whole number" if whole else "a number"
        what = f"{key} must be {kind} above 0 and up to {_MOST[key]}, not {value}"
        raise BrokerError(ErrorCode.INVALID_REQUEST, what)
