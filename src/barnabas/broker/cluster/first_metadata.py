"""FirstMetadata: clients that ask a member of a cluster for brokers wait until its controller has named them.

A broker is registered, and its port is open, before the first UpdateMetadata arrives. Without brokers in the
response a client may never ask again: librdkafka's admin client then waits until its own timeout.
"""

from barnabas.broker.purgatory.purgatory import Pending
from barnabas.ports import Timers

MOST_SECONDS = 5.0
"""Then the response has no brokers, as Kafka's: there may be no controller, and other brokers may know more."""


class FirstMetadata:
    """Responses that wait. `arrive` ends that for all of them, and for those to come."""

    def __init__(self, timers: Timers) -> None:
        self._timers = timers
        self._waiting: list[Pending] = []
        self._has_arrived = False

    def arrive(self) -> None:
        """Take note that the controller has sent an UpdateMetadata."""
        self._has_arrived = True
        self._complete()

    def wait(self) -> Pending | None:
        """Is done when brokers are known, or within five seconds; None: they are known."""
        if self._has_arrived:
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
