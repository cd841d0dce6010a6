"""The properties of a subscription to client metrics (KIP-714)."""

from barnabas.config.configuration import Configuration
from barnabas.config.definition import MEDIUM, integer, words


class ClientMetricsConfig(Configuration):
    """What you can set for a resource of type CLIENT_METRICS."""

    metrics: tuple[str, ...] = words(
        (),
        MEDIUM,
        "Telemetry metric name prefixes: which metrics clients send; * means all.",
    )
    interval_ms: int = integer(
        300_000,
        MEDIUM,
        "Metrics push interval: how often a client sends them, in milliseconds.",
        low=100,
        high=3_600_000,
    )
    match: tuple[str, ...] = words(
        (),
        MEDIUM,
        "Client match criteria: selector=pattern, all of which must match. Selectors are "
        "client_instance_id, client_id, client_software_name, client_software_version, "
        "client_source_address and client_source_port.",
    )
