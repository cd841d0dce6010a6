"""The names of properties that an option can set, by what they belong to."""

from collections.abc import Iterable

from barnabas.broker.quotas.quotas import OF_ADDRESSES, OF_CLIENTS
from barnabas.config.broker import BrokerConfig
from barnabas.config.client_metrics import ClientMetricsConfig
from barnabas.config.clients import AdminConfig, ConsumerConfig, ProducerConfig
from barnabas.config.group import GroupConfig
from barnabas.config.topic import TopicConfig


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
            return OF_CLIENTS | OF_ADDRESSES
        case _:
            return TopicConfig.settings()
