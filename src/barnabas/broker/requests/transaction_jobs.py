"""What a broker does for transactions that nobody asks for."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from barnabas.broker.background import Background
from barnabas.broker.broker import Broker
from barnabas.coordinators.internal_topics import TRANSACTIONS_TOPIC

if TYPE_CHECKING:
    from barnabas.broker.transactions.transactions import Transactions


def attend_to_transactions(broker: Broker, background: Background) -> None:
    """End what was decided before the start, and from time to time what is overdue."""

    def when_used(job: Callable[["Transactions"], None]) -> Callable[[], None]:
        def run() -> None:
            if broker.topics.get(TRANSACTIONS_TOPIC) is not None:
                job(broker.transactions)

        return run

    config = broker.config
    seconds = config.transaction_abort_timed_out_transaction_cleanup_interval_ms / 1000
    broker.timers.soon(when_used(lambda one: one.resume()))
    if broker.member is not None:
        # What others coordinated before may be decided, and not be at its end.
        background.every(seconds, "decided transactions", when_used(lambda one: one.resume()))
    background.every(seconds, "overdue transactions", when_used(lambda one: one.attend()))
    seconds = config.transaction_remove_expired_transaction_cleanup_interval_ms / 1000
    background.every(seconds, "expired transactions", when_used(lambda one: one.expire()))
