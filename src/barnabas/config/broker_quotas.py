"""The properties of a broker about quotas: over which time it is measured what clients use."""

from barnabas.config.configuration import Configuration
from barnabas.config.definition import LOW, integer


class QuotaConfig(Configuration):
    """Windows of measurement; the quotas themselves are no properties (AlterClientQuotas)."""

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
