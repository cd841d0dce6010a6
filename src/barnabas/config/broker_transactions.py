"""The properties of a broker about transactions."""

from barnabas.config.configuration import Configuration
from barnabas.config.definition import HIGH, LOW, boolean, integer


class TransactionConfig(Configuration):
    """What transactional producers may ask for, and how their transactions are kept."""

    transactional_id_expiration_ms: int = integer(
        604_800_000,
        HIGH,
        "After how long without use a transactional id is forgotten, in milliseconds.",
        low=1,
    )
    transaction_max_timeout_ms: int = integer(
        900_000,
        HIGH,
        "The longest time that a producer may keep a transaction open, in milliseconds.",
        low=1,
    )
    transaction_state_log_num_partitions: int = integer(
        50, HIGH, "The partitions of the internal topic of transactions.", low=1
    )
    transaction_state_log_segment_bytes: int = integer(
        104_857_600, HIGH, "The segment size of that topic, in bytes.", low=1
    )
    transaction_abort_timed_out_transaction_cleanup_interval_ms: int = integer(
        10_000,
        LOW,
        "How often it is looked for transactions that are open for too long, in milliseconds.",
        low=1,
    )
    transaction_remove_expired_transaction_cleanup_interval_ms: int = integer(
        3_600_000,
        LOW,
        "How often it is looked for transactional ids to forget, in milliseconds.",
        low=1,
    )
    transaction_partition_verification_enable: bool = boolean(
        LOW,
        default=True,
        text="Whether records of a transaction that nobody knows of are refused.",
    )
    transaction_two_phase_commit_enable: bool = boolean(
        LOW,
        default=False,
        text="Whether producers may leave transactions open without a limit (KIP-939).",
    )
