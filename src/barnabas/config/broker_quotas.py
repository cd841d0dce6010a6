"""The properties of a broker about the quotas and the metrics of its clients."""

from barnabas.config.configuration import Configuration
from barnabas.config.definition import LOW, integer


class QuotaConfig(Configuration):
    """The quotas themselves are no properties (AlterClientQuotas)."""

    quota_window_num: int = integer(
        11, LOW, "Over how many samples it is measured what a client uses of its quotas.", low=1
    )
    quota_window_size_seconds: int = integer(
        1, LOW, "The length of such a sample, in seconds.", low=1
    )
    controller_quota_window_num: int = integer(
        11,
        LOW,
        "For how many samples a client may use its quota of changed partitions in advance.",
        low=1,
    )
    controller_quota_window_size_seconds: int = integer(
        1, LOW, "The length of such a sample, in seconds.", low=1
    )
    telemetry_max_bytes: int = integer(
        1_048_576, LOW, "The most that clients may send of their metrics at once, in bytes.", low=1
    )
