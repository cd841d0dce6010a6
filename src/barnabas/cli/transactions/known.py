"""Transactions as their coordinators describe them, and their states."""

from typing import Final

from barnabas import Admin
from barnabas.client.core.admin.transaction_descriptions import TransactionDescription
from barnabas.client.core.cluster.missing_partitions import similar_names
from barnabas.errors import BrokerError, ErrorCode

ONGOING: Final = "Ongoing"
OPEN: Final = (ONGOING, "PrepareEpochFence")
"""States that can still be aborted; in all others the outcome is decided."""

ENDING: Final = ("PrepareCommit", "PrepareAbort")
"""The outcome is decided; the coordinator may still be sending it to partitions."""

FINDER: Final = "`barnabas transactions find-hanging`"


def described(admin: Admin, name: str) -> TransactionDescription:
    """The transaction of a transactional id; an error suggests similar ids."""
    try:
        return admin.describe_transactions([name])[name]
    except BrokerError as error:
        if error.code is ErrorCode.TRANSACTIONAL_ID_NOT_FOUND:
            known = (one.transactional_id for one in admin.list_transactions())
            error.add_note(
                similar_names(name, known)
                or ("`barnabas transactions list` lists the transactional ids")
            )
        raise
