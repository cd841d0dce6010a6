"""Changes of properties and quotas, as requests make them."""

from collections.abc import Mapping

from barnabas.broker.apis import alter_client_quotas, alter_configs
from barnabas.broker.broker import Broker
from barnabas.broker.quotas.quotas import Entity, Quotas
from barnabas.errors import BrokerError
from barnabas.protocol.alter_client_quotas import (
    AlterClientQuotasRequest,
    AlterClientQuotasResponse,
    AlteredEntity,
    EntityData,
    OpData,
)
from barnabas.protocol.alter_configs import (
    AlterableConfig,
    AlterConfigsRequest,
    AlterConfigsResource,
    AlterConfigsResponse,
)
from tests.unit.broker.in_memory import answered, asked


def change_properties(broker: Broker, kind: int, name: str, config: Mapping[str, str]) -> None:
    """Replace all properties of a resource by AlterConfigs.

    Raises:
        BrokerError: it is refused.
    """
    configs = [AlterableConfig(name=key, value=value) for key, value in config.items()]
    resource = AlterConfigsResource(resource_type=kind, resource_name=name, configs=configs)
    outcome = alter_configs.handle(
        broker, asked(2), AlterConfigsRequest(resources=[resource], validate_only=False)
    )
    _check(answered(broker, outcome, AlterConfigsResponse).responses[0].error_code)


def change_client_quotas(
    broker: Broker, client_id: str | None, changes: Mapping[str, float | None]
) -> None:
    """Change quotas by AlterClientQuotas; None takes one away. `client_id` None: of all without one.

    Raises:
        BrokerError: it is refused.
    """
    entity = EntityData(entity_type="client-id", entity_name=client_id)
    ops = [OpData(key=key, value=v or 0, remove=v is None) for key, v in changes.items()]
    request = AlterClientQuotasRequest(
        entries=[AlteredEntity(entity=[entity], ops=ops)], validate_only=False
    )
    outcome = alter_client_quotas.handle(broker, asked(1), request)
    _check(answered(broker, outcome, AlterClientQuotasResponse).entries[0].error_code)


def write_quotas(quotas: Quotas, entity: Entity, changes: Mapping[str, float | None]) -> None:
    """The same of quotas without a broker."""
    values = quotas.changed(entity, changes)
    quotas.write(entity, values)
    quotas.take(entity, values)


def _check(code: int) -> None:
    if code:
        raise BrokerError(code)
