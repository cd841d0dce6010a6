"""FirstMetadata: delays Metadata responses of a new member until its controller has sent the brokers.

A broker is registered, and its port is open, before the first UpdateMetadata arrives. Without brokers in the
response a client may never retry: librdkafka's admin client then waits until its own timeout. A new controller
sends the brokers first, and topics when the roles of their replicas have begun. A producer of librdkafka fails
the records of a topic that the response calls unknown.
"""

from collections.abc import Callable

from barnabas.broker.purgatory.pending import Pending
from barnabas.broker.purgatory.stepping import Steps
from barnabas.ports import Timers

MOST_SECONDS = 5.0
"""After that the response has no brokers, as in Kafka: there may be no controller."""


class FirstMetadata:
    """Whether brokers and topics have arrived from the controller."""

    def __init__(self, timers: Timers) -> None:
        self.brokers = FirstArrival(timers)
        """Arrives with the first UpdateMetadata."""
        self.topics = FirstArrival(timers)
        """Arrives with the first UpdateMetadata that names topics, or the first one if ZooKeeper has none."""

    def take(self, are_no_topics: Callable[[], Steps[bool]], *, names_topics: bool) -> Steps[None]:
        """Note an UpdateMetadata of the controller; `are_no_topics` checks that the cluster has none."""
        self.arrive(names_topics=names_topics)
        if not self.topics.is_over and (yield from are_no_topics()):
            self.topics.arrive()

    def arrive(self, *, names_topics: bool) -> None:
        """Note an UpdateMetadata of the controller."""
        if names_topics or self.brokers.is_over:
            self.topics.arrive()
        else:
            self.topics.arrive_later()
        self.brokers.arrive()


class FirstArrival:
    """Responses that wait for an arrival. After `arrive` no response waits."""

    def __init__(self, timers: Timers) -> None:
        self._timers = timers
        self._waiting: list[Pending] = []
        self.is_over = False
        """Whether it has arrived."""

    def arrive(self) -> None:
        """Note the arrival, and release the waiting responses."""
        self.is_over = True
        self._complete()

    def arrive_later(self) -> None:
        """Count it as arrived after five seconds, because it may never arrive."""
        self._timers.after(MOST_SECONDS, self.arrive)

    def wait(self) -> Pending | None:
        """Return what completes on arrival, or within five seconds; None: it has arrived."""
        if self.is_over:
            return None
        if not self._waiting:
            self._timers.after(MOST_SECONDS, self._complete)
        pending = Pending()
        self._waiting.append(pending)
        return pending

    def _complete(self) -> None:
        """Release all waiting responses. They share one timer, so later ones wait less than five seconds."""
        waiting, self._waiting = self._waiting, []
        for one in waiting:
            one.complete(None)
