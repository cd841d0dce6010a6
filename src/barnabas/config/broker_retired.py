"""The properties of a broker that Kafka 4 has taken away and that still have an effect here."""

from barnabas.config.configuration import Configuration
from barnabas.config.definition import LONG_MAX, LOW, MEDIUM, boolean, long, string


class RetiredConfig(Configuration):
    """Brokers of older releases have them, and any broker takes them."""

    log_message_format_version: str = string(
        "3.0-IV1",
        MEDIUM,
        "The release whose record format is stored: 0.10.0 and later ones have timestamps, 0.11.0 and "
        "later ones batches. Kafka 3 ignores it, Kafka 4 has none.",
    )
    log_message_downconversion_enable: bool = boolean(
        LOW,
        default=True,
        text="Whether records are converted for readers of an older format. Kafka 4 has none.",
    )
    log_message_timestamp_difference_max_ms: int = long(
        LONG_MAX,
        MEDIUM,
        "How far from the broker's clock, on either side, a record's timestamp may be, in milliseconds. "
        "It stands in for the two properties that came with 3.6; Kafka 4 has none.",
        low=0,
    )
