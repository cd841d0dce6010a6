"""The names of properties that an option can set, by what they belong to."""

from collections.abc import Iterable

from barnabas.config.broker import BrokerConfig
from barnabas.config.client_metrics import ClientMetricsConfig
from barnabas.config.clients import AdminConfig, ConsumerConfig, ProducerConfig
from barnabas.config.group import GroupConfig
from barnabas.config.topic import TopicConfig

_QUOTAS = (
    *("producer_byte_rate", "consumer_byte_rate", "request_percentage"),
    *("controller_mutation_rate", "connection_creation_rate"),
)


def property_names(kind: str) -> Iterable[str]:
    """The names for a topic, broker, group, client-metrics, client (of -X) or quota."""
    match kind:
        case "broker":
            return BrokerConfig.settings()
        case "group":
            return GroupConfig.settings()
        case "client-metrics":
            return ClientMetricsConfig.settings()
        case "client":
            return {
                **AdminConfig.settings(),
                **ConsumerConfig.settings(),
                **ProducerConfig.settings(),
            }
        case "quota":
            return _QUOTAS
        case _:
            return TopicConfig.settings()
