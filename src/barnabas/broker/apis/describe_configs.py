"""DescribeConfigs (key 32): properties of topics and of this broker, and where they came from.

Does: topics (2) and this broker (4; an empty name: what is set for all brokers, which is nothing);
    synonyms and documentation where asked for.
    No keys, or an empty list of them, mean all properties.
Ignores: nothing. Other types of resources are refused.
Versions: 0 tells of the source only whether it is the default · 1 sources, synonyms (KIP-226)
    3 types, documentation (KIP-569)
"""

from collections.abc import Iterable

from barnabas.broker import resources
from barnabas.broker.broker import Broker
from barnabas.broker.config_entries import ConfigEntry, Source, broker_entries, topic_entries
from barnabas.broker.context import RequestContext
from barnabas.errors import BrokerError, ErrorCode, KafkaError
from barnabas.protocol.describe_configs import (
    DescribeConfigsRequest,
    DescribeConfigsResource,
    DescribeConfigsResourceResult,
    DescribeConfigsResponse,
    DescribeConfigsResult,
    DescribeConfigsSynonym,
)


def handle(
    broker: Broker, context: RequestContext, request: DescribeConfigsRequest
) -> DescribeConfigsResponse:
    """Describe each resource that is there; say why the others are not described."""
    del context
    results = []
    for resource in request.resources:
        code, why = ErrorCode.NONE, None
        configs: list[DescribeConfigsResourceResult] = []
        try:
            configs = [
                _told(entry, request)
                for entry in _entries(broker, resource)
                if not resource.configuration_keys or entry.row.name in resource.configuration_keys
            ]
        except KafkaError as error:
            code, why = error.code, error.why
        results.append(
            DescribeConfigsResult(
                error_code=code,
                error_message=why,
                resource_type=resource.resource_type,
                resource_name=resource.resource_name,
                configs=configs,
            )
        )
    return DescribeConfigsResponse(results=results)


def _entries(broker: Broker, resource: DescribeConfigsResource) -> Iterable[ConfigEntry]:
    match resource.resource_type:
        case resources.TOPIC:
            return topic_entries(
                resources.topic_of(broker, resource.resource_name).config, broker.config
            )
        case resources.BROKER:
            if not resource.resource_name:
                return ()
            resources.check_broker(broker, resource.resource_name)
            return broker_entries(broker.config)
        case other:
            raise BrokerError(
                ErrorCode.INVALID_REQUEST, f"resources of type {other} are not described"
            )


def _told(entry: ConfigEntry, request: DescribeConfigsRequest) -> DescribeConfigsResourceResult:
    in_force = entry.origins[0]
    synonyms = entry.synonyms if request.include_synonyms else ()
    return DescribeConfigsResourceResult(
        name=entry.row.name,
        value=in_force.value,
        read_only=entry.read_only,
        is_default=in_force.source is Source.DEFAULT,
        config_source=in_force.source,
        is_sensitive=False,
        synonyms=[
            DescribeConfigsSynonym(name=name, value=value, source=source)
            for name, value, source in synonyms
        ],
        config_type=entry.row.kind,
        documentation=entry.row.text if request.include_documentation else None,
    )
