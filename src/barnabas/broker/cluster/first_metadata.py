"""FirstMetadata: delays Metadata responses of a new member until its controller has sent the brokers.

A broker is registered, and its port is open, before the first UpdateMetadata arrives. Without brokers in the
response a client may never ask again: librdkafka's admin client then waits until its own timeout. A new
controller names the brokers first, and topics when the roles of their replicas have begun: for a producer of
librdkafka's, records of a topic that the response calls unknown have failed.
"""

from collections.abc import Callable

from barnabas.broker.purgatory.purgatory import Pending
from barnabas.broker.purgatory.stepping import Steps
from barnabas.ports import Timers

MOST_SECONDS = 5.0
"""Then the response has no brokers, as Kafka's: there may be no controller, and other brokers may know more."""


class FirstMetadata:
    """What has arrived of it."""

    def __init__(self, timers: Timers) -> None:
        self.brokers = FirstArrival(timers)
        """Of the first UpdateMetadata."""
        self.topics = FirstArrival(timers)
        """Of the first one that names topics, or of the first one where ZooKeeper has none."""

    def take(self, are_no_topics: Callable[[], Steps[bool]], *, names_topics: bool) -> Steps[None]:
        """Take note that the controller has sent an UpdateMetadata, which names topics if there are any."""
        self.arrive(names_topics=names_topics)
        if not self.topics.is_over and (yield from are_no_topics()):
            self.topics.arrive()

    def arrive(self, *, names_topics: bool) -> None:
        """Take note that the controller has sent an UpdateMetadata."""
        if names_topics or self.brokers.is_over:
            self.topics.arrive()
        else:
            self.topics.arrive_later()
        self.brokers.arrive()


class FirstArrival:
    """Responses that wait. `arrive` ends that for all of them, and for those to come."""

    def __init__(self, timers: Timers) -> None:
        self._timers = timers
        self._waiting: list[Pending] = []
        self.is_over = False
        """Whether nobody has to wait any more."""

    def arrive(self) -> None:
        """Take note of it."""
        self.is_over = True
        self._complete()

    def arrive_later(self) -> None:
        """Count it as arrived after five seconds: there may be nothing to come."""
        self._timers.after(MOST_SECONDS, self.arrive)

    def wait(self) -> Pending | None:
        """Is done when it has arrived, or within five seconds; None: it has."""
        if self.is_over:
            return None
        if not self._waiting:
            self._timers.after(MOST_SECONDS, self._complete)
        pending = Pending()
        self._waiting.append(pending)
        return pending

    def _complete(self) -> None:
        """One timer serves all who wait, so those who came later wait less than five seconds."""
        waiting, self._waiting = self._waiting, []
        for one in waiting:
            one.complete(None)
