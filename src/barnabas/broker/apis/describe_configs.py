"""DescribeConfigs (key 32): properties of topics and of this broker, and where they came from.

Does: topics (2), this broker (4; an empty name: what was changed for every broker), subscriptions to
    clients' metrics (16), groups (32); synonyms and documentation where requested.
    No keys, or an empty list of them, mean all properties.
Ignores: nothing. Other types of resources are refused.
Versions: 0 tells of the source only whether it is the default · 1 sources, synonyms (KIP-226)
    3 types, documentation (KIP-569)
"""

from collections.abc import Iterable
from functools import lru_cache, partial
from typing import NamedTuple

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.broker.properties.broker_settings import EVERY, Layer
from barnabas.broker.properties.client_resources import KINDS, SOURCES
from barnabas.broker.properties.config_entries import (
    DescribedConfig,
    broker_entries,
    changed_entries,
    entries_of,
    topic_entries,
)
from barnabas.broker.properties.config_source import ValueSource
from barnabas.broker.properties.resource_kinds import ResourceKind
from barnabas.broker.purgatory.stepping import Steps, grown, in_steps_while_connected
from barnabas.broker.requests import resources
from barnabas.errors import BrokerError, ErrorCode, KafkaError
from barnabas.protocol.describe_configs import (
    DescribeConfigsRequest,
    DescribeConfigsResource,
    DescribeConfigsResourceResult,
    DescribeConfigsResponse,
    DescribeConfigsResult,
    DescribeConfigsSynonym,
)

_BROKERS_KEPT, _TOPICS_KEPT = 4, 32
"""How many descriptions are cached, for repeated requests and for topics with the same properties."""


class _How(NamedTuple):
    """What is described of each property, beside its value."""

    synonyms: bool
    documentation: bool


@in_steps_while_connected
def handle(
    broker: Broker, context: RequestContext, request: DescribeConfigsRequest
) -> Steps[DescribeConfigsResponse]:
    """Describe each resource that is there; say why the others are not described."""
    del context
    how = _How(request.include_synonyms, request.include_documentation)
    results = yield from grown(request.resources, partial(_result, broker, how))
    return DescribeConfigsResponse(results=results)


def _result(broker: Broker, how: _How, resource: DescribeConfigsResource) -> DescribeConfigsResult:
    code, why = ErrorCode.NONE, None
    configs: list[DescribeConfigsResourceResult] = []
    wanted = resource.configuration_keys
    try:
        configs = _described(broker, resource, how)
        if wanted:
            names = set(wanted)
            configs = [one for one in configs if one.name in names]
    except KafkaError as error:
        code, why = error.code, error.why
    return DescribeConfigsResult(
        error_code=code,
        error_message=why,
        resource_type=resource.resource_type,
        resource_name=resource.resource_name,
        configs=configs,
    )


def _described(
    broker: Broker, resource: DescribeConfigsResource, how: _How
) -> list[DescribeConfigsResourceResult]:
    name, layers = resource.resource_name, broker.settings.layers
    match resource.resource_type:
        case ResourceKind.TOPIC:
            topic = resources.topic_of(broker, name)
            return _of_topic(tuple(topic.config.items()), layers, how)
        case ResourceKind.BROKER:
            if name == EVERY:
                return _rows_of(changed_entries(broker.settings.changed(EVERY)), how)
            resources.check_broker(broker, name)
            return _of_broker(layers, how)
        case ResourceKind.CLIENT_METRICS | ResourceKind.GROUP as kind:
            resources.check_name(broker, kind, name)
            own = broker.client_resources.get(kind, name)
            return _rows_of(
                entries_of(KINDS[kind], own, SOURCES[kind], broker.profile.release), how
            )
        case other:
            raise BrokerError(
                ErrorCode.INVALID_REQUEST, f"resources of type {other} are not described"
            )


@lru_cache(maxsize=_BROKERS_KEPT)
def _of_broker(layers: tuple[Layer, ...], how: _How) -> list[DescribeConfigsResourceResult]:
    # Some 300 properties take some milliseconds, and are the same until one is changed.
    return _rows_of(broker_entries(layers), how)


@lru_cache(maxsize=_TOPICS_KEPT)
def _of_topic(
    own: tuple[tuple[str, str], ...], layers: tuple[Layer, ...], how: _How
) -> list[DescribeConfigsResourceResult]:
    # Most topics have the same properties.
    return _rows_of(topic_entries(dict(own), layers), how)


def _rows_of(entries: Iterable[DescribedConfig], how: _How) -> list[DescribeConfigsResourceResult]:
    return [_entry_result(entry, how) for entry in entries]


def _entry_result(entry: DescribedConfig, how: _How) -> DescribeConfigsResourceResult:
    in_force = entry.origins[0]
    synonyms = entry.synonyms if how.synonyms else ()
    secret = entry.is_sensitive
    return DescribeConfigsResourceResult(
        name=entry.row.name,
        value=None if secret else in_force.value,
        read_only=entry.read_only,
        is_default=in_force.source is ValueSource.DEFAULT,
        config_source=in_force.source,
        is_sensitive=secret,
        synonyms=[
            DescribeConfigsSynonym(name=name, value=None if secret else value, source=source)
            for name, value, source in synonyms
        ],
        config_type=entry.row.kind,
        documentation=entry.row.text if how.documentation else None,
    )
