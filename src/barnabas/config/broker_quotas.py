"""Broker properties for the quotas and the metrics of clients."""

from barnabas.config.configuration import Configuration
from barnabas.config.definition import LOW, integer


class QuotaConfig(Configuration):
    """The quotas themselves are not properties (see AlterClientQuotas)."""

    quota_window_num: int = integer(
        11,
        LOW,
        "The number of samples over which a client's usage is measured against its quotas.",
        low=1,
    )
    quota_window_size_seconds: int = integer(1, LOW, "The length of one sample, in seconds.", low=1)
    controller_quota_window_num: int = integer(
        11,
        LOW,
        "The number of samples whose partition-change quota a client may use in advance.",
        low=1,
    )
    controller_quota_window_size_seconds: int = integer(
        1, LOW, "The length of one sample, in seconds.", low=1
    )
    telemetry_max_bytes: int = integer(
        1_048_576, LOW, "The maximum size of one push of client metrics, in bytes.", low=1
    )
