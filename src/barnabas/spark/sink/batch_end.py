"""The end of an exactly-once batch: the driver commits or aborts the tasks' transactions."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Final

from pyspark.sql.datasource import WriterCommitMessage

from barnabas.client.core.producer.transaction_requests import PreparedTransaction
from barnabas.errors import BrokerError, ConnectionFailed, KafkaError, RequestTimeout
from barnabas.runtime.clock import SystemClock
from barnabas.spark.errors import WriteRefused, writing
from barnabas.spark.sink.client_cache import kept_admin
from barnabas.spark.sink.exactly_once import Prepared

ABORT_S: Final = 10.0
"""How long a failed batch waits until its transactions are aborted; the next try aborts them, too."""


def commit(kafka: Mapping[str, str], messages: Iterable[WriterCommitMessage | None]) -> None:
    """Commit all transactions of a batch.

    Raises:
        WriteRefused: one could not be committed; the batch must be repeated.
        Unreachable: no broker could be reached.
    """
    with writing(), kept_admin(kafka) as admin:
        try:
            admin.end_transactions(_transactions(messages), commit=True)
        except BrokerError as error:
            raise WriteRefused(
                f"not all of it could be committed ({error}). A stream that is started again does "
                "the batch again, without what was committed"
            ) from None


def abort(
    kafka: Mapping[str, str],
    messages: Iterable[WriterCommitMessage | None],
    name: str | None = None,
) -> None:
    """Abort the transactions of a batch that are not committed yet.

    Tasks without a message may have been stopped during their transactions. Their names follow from those of
    the others, so these are aborted, too. `name`: that of the batch, if it is known without any message. In a
    stream it is not, because Spark reveals the query only to tasks: if no task has answered, the next try
    aborts open transactions, or they time out.
    """
    replies = list(messages)
    names = [each.name for each in replies if isinstance(each, Prepared)]
    name = names[0] if names else name
    clock = SystemClock()
    due = clock.monotonic() + ABORT_S
    with suppress(ConnectionFailed, RequestTimeout), kept_admin(kafka) as admin:
        with _unless_unreachable():
            admin.end_transactions(_transactions(replies), commit=False, timeout_s=ABORT_S)
        for task in [task for task, each in enumerate(replies) if each is None and name]:
            left = due - clock.monotonic()
            if left <= 0:
                return
            with _unless_unreachable():
                admin.fence_producer(f"{name}-{task}", timeout_s=left)


@contextmanager
def _unless_unreachable() -> Iterator[None]:
    """Continue after a coordinator's refusal: the next coordinator may accept."""
    try:
        yield
    except (ConnectionFailed, RequestTimeout):
        raise
    except KafkaError:
        pass


def _transactions(messages: Iterable[WriterCommitMessage | None]) -> list[PreparedTransaction]:
    found = [each.transaction for each in messages if isinstance(each, Prepared)]
    return [each for each in found if each is not None]
