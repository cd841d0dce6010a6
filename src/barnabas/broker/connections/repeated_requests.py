"""RepeatedRequests: answers the known requests of a connection without reading them.

`repeated_request_learning` makes them known.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from barnabas.broker.broker import Broker
from barnabas.broker.connections.known_requests import (
    KnownCommit,
    KnownProduce,
    Made,
    Meter,
    written,
)
from barnabas.broker.connections.repeated_request_learning import RepeatedRequestLearning
from barnabas.broker.purgatory.pending import Unreplicated
from barnabas.broker.replicas.delayed_acks import DelayedRepeats
from barnabas.broker.replicas.repeated_append import QueuedAppends
from barnabas.dialects.dialect import Dialect
from barnabas.errors import ErrorCode
from barnabas.kernels.connections.repeats import Repeats
from barnabas.protocol.produce import ProduceRequest

_UNTIMED = 15
"""Events with known requests, where they are counted, between two that are timed."""


class RepeatedRequests:
    """Those of one connection."""

    __slots__ = (
        "_broker", "_dialect", "_meter", "_repeats", "_untimed", "learning",
    )  # fmt: skip

    def __init__(self, broker: Broker, dialect: Dialect, meter: Meter | None = None) -> None:
        """`meter`: where those are counted that are done; None: nowhere."""
        self._broker = broker
        self._dialect = dialect
        counts = None if meter is None else meter.repeated
        self._repeats = Repeats(broker.config.socket_request_max_bytes, counts)
        self._meter = meter
        self._untimed = 0
        """How many events pass until one is timed."""
        self.learning = RepeatedRequestLearning(dialect, self._repeats, meter)

    def take(
        self, received: memoryview, start: int, end: int, *, only_records: bool = False
    ) -> tuple[int, bytes | Callable[[], bytes], Sequence[Unreplicated]]:
        """Do the requests from `start` on that are known.

        Returns where they end, and their responses, or what gives them once all is written. Behind these
        come those that wait for other replicas: the rest of the requests. `only_records`: nothing but
        Produce is done.
        """
        began = 0.0
        if self._meter is not None:
            left = self._untimed
            if left:
                self._untimed = left - 1
            else:
                self._untimed = _UNTIMED
                began = self._meter.now()
        responses: list[bytes] = []
        appended: list[Made] = []
        end = self._repeats.take(
            received, start, end, responses, appended, only_records=only_records
        )
        for _, _, about, _ in appended:
            if type(about) is KnownProduce:
                # Its records are in a buffer that the next frames overwrite.
                self._broker.replicas.write()
                replicating = self._replicating(responses, appended, began)
                return end, self._joined(responses, appended, began), replicating
        if appended:
            return end, partial(self._joined, responses, appended, began), ()
        return end, self._joined(responses, appended, began), ()

    def _replicating(
        self, responses: list[bytes], appended: list[Made], began: float
    ) -> Sequence[Unreplicated]:
        """Take those out that wait for other replicas, which are the last ones, if any."""
        first, count, about, queued = appended[-1]
        if type(queued) is not QueuedAppends:
            return ()
        appended.pop()
        if queued.answer.error_code:
            appended.append((first, count, about, queued.answer))
            return ()
        waiting = responses[first:]
        del responses[first:]
        replies = [Unreplicated() for _ in range(count)]

        def respond(number: int, code: ErrorCode) -> bytes:
            response = waiting[number]
            if began and self._meter is not None:
                self._meter.measured(((number, 1, about, None),), began)
            if code:
                self._count_failed(about, 1)
                response = self._failed(response, about, queued.answer_to(number, code))
            return response

        condition = DelayedRepeats(queued.role, zip(replies, queued.ends(), strict=True), respond)
        if not condition.finish(is_late=False):
            assert isinstance(about.request.body, ProduceRequest)
            seconds = max(about.request.body.timeout_ms, 0) / 1000
            self._broker.purgatory.park(condition, (queued.role,), seconds, replies[-1])
        return replies

    def _failed(self, response: bytes, about: KnownProduce | KnownCommit, answer: Any) -> bytes:
        """The response to a request with this answer, in place of the one that it would have had."""
        number = int.from_bytes(response[4:8], signed=True)
        request = replace(about.request, correlation_id=number)
        return written(self._dialect, request, about.failed(answer))

    def _count_failed(self, about: KnownProduce | KnownCommit, count: int) -> None:
        if self._meter is not None and type(about) is KnownProduce:
            self._meter.failed(about, count)

    def _joined(self, responses: list[bytes], appended: list[Made], began: float) -> bytes:
        """The responses, now that all is written."""
        if began and self._meter is not None:
            self._meter.measured(appended, began)
        for first, count, about, answer in appended:
            if answer.error_code:
                self._count_failed(about, count)
                for place in range(first, first + count):
                    responses[place] = self._failed(responses[place], about, answer)
        return responses[0] if len(responses) == 1 else b"".join(responses)
