"""DescribeConfigs (key 32): properties of topics and of this broker, and where they came from.

Does: topics (2), this broker (4; an empty name: what was changed for every broker), subscriptions to
    clients' metrics (16), groups (32); synonyms and documentation where asked for.
    No keys, or an empty list of them, mean all properties.
Ignores: nothing. Other types of resources are refused.
Versions: 0 tells of the source only whether it is the default · 1 sources, synonyms (KIP-226)
    3 types, documentation (KIP-569)
"""

from collections.abc import Iterable

from barnabas.broker import resources
from barnabas.broker.broker import Broker
from barnabas.broker.broker_settings import EVERY
from barnabas.broker.client_resources import KINDS, SOURCES
from barnabas.broker.config_entries import (
    ConfigEntry,
    broker_entries,
    changed_entries,
    entries_of,
    topic_entries,
)
from barnabas.broker.config_source import Source
from barnabas.broker.context import RequestContext
from barnabas.broker.resource_kinds import ResourceKind
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
    name = resource.resource_name
    match resource.resource_type:
        case ResourceKind.TOPIC:
            topic = resources.topic_of(broker, name)
            return topic_entries(topic.config, broker.settings.layers)
        case ResourceKind.BROKER:
            if name == EVERY:
                return changed_entries(broker.settings.changed(EVERY))
            resources.check_broker(broker, name)
            return broker_entries(broker.settings.layers)
        case ResourceKind.CLIENT_METRICS | ResourceKind.GROUP as kind:
            resources.check_name(broker, kind, name)
            own = broker.client_resources.get(kind, name)
            return entries_of(KINDS[kind], own, SOURCES[kind], broker.profile.release)
        case other:
            raise BrokerError(
                ErrorCode.INVALID_REQUEST, f"resources of type {other} are not described"
            )


def _told(entry: ConfigEntry, request: DescribeConfigsRequest) -> DescribeConfigsResourceResult:
    in_force = entry.origins[0]
    synonyms = entry.synonyms if request.include_synonyms else ()
    secret = entry.is_sensitive
    return DescribeConfigsResourceResult(
        name=entry.row.name,
        value=None if secret else in_force.value,
        read_only=entry.read_only,
        is_default=in_force.source is Source.DEFAULT,
        config_source=in_force.source,
        is_sensitive=secret,
        synonyms=[
            DescribeConfigsSynonym(name=name, value=None if secret else value, source=source)
            for name, value, source in synonyms
        ],
        config_type=entry.row.kind,
        documentation=entry.row.text if request.include_documentation else None,
    )
