"""Broker properties for transactions."""

from barnabas.config.configuration import Configuration
from barnabas.config.definition import HIGH, LOW, boolean, integer, short


class TransactionConfig(Configuration):
    """Limits for transactional producers, and the storage of transactions."""

    transactional_id_expiration_ms: int = integer(
        604_800_000,
        HIGH,
        "How long an unused transactional id is remembered, in milliseconds.",
        low=1,
    )
    transaction_max_timeout_ms: int = integer(
        900_000,
        HIGH,
        "The maximum transaction timeout that a producer may request, in milliseconds.",
        low=1,
    )
    transaction_state_log_num_partitions: int = integer(
        50, HIGH, "The number of partitions of the internal transactions topic.", low=1
    )
    transaction_state_log_replication_factor: int = short(
        3,
        HIGH,
        "The replicas of that topic; fewer where fewer brokers are alive when it is made.",
        low=1,
        inert="without cluster.member nothing is replicated",
    )
    transaction_state_log_min_isr: int = integer(
        2,
        HIGH,
        "The min.insync.replicas of that topic.",
        low=1,
        inert="without cluster.member nothing is replicated",
    )
    transaction_state_log_segment_bytes: int = integer(
        104_857_600, HIGH, "The segment size of that topic, in bytes.", low=1
    )
    transaction_abort_timed_out_transaction_cleanup_interval_ms: int = integer(
        10_000,
        LOW,
        "How often the broker aborts transactions that exceeded their timeout, in milliseconds.",
        low=1,
    )
    transaction_remove_expired_transaction_cleanup_interval_ms: int = integer(
        3_600_000,
        LOW,
        "How often the broker removes expired transactional ids, in milliseconds.",
        low=1,
    )
    transaction_partition_verification_enable: bool = boolean(
        LOW,
        default=True,
        text="Whether the broker refuses records of a transaction that it does not know.",
    )
    transaction_two_phase_commit_enable: bool = boolean(
        LOW,
        default=False,
        text=(
            "Whether producers may use two-phase commit, with transactions of unlimited duration "
            "(KIP-939)."
        ),
    )
