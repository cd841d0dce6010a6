"""Broker properties that Kafka 4 removed and that still take effect here."""

from barnabas.config.configuration import Configuration
from barnabas.config.definition import LONG_MAX, LOW, MEDIUM, boolean, long, string


class RetiredConfig(Configuration):
    """Brokers of older releases report them, and every broker accepts them."""

    log_message_format_version: str = string(
        "3.0-IV1",
        MEDIUM,
        "The release whose record format is stored: 0.10.0 and later have timestamps, 0.11.0 and "
        "later batches. Kafka 3 ignores it, Kafka 4 removed it.",
    )
    log_message_downconversion_enable: bool = boolean(
        LOW,
        default=True,
        text="Whether records are converted for consumers of an older format. Kafka 4 removed it.",
    )
    log_message_timestamp_difference_max_ms: int = long(
        LONG_MAX,
        MEDIUM,
        "The maximum difference between a record's timestamp and the broker's clock, in "
        "milliseconds. It replaces the two properties that 3.6 added; Kafka 4 removed it.",
        low=0,
    )
