"""What a client has done so far, in numbers: counted as it goes, given out as plain values."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Metrics:
    """Since a client was made. Bytes are those on the wire, over all its connections.

    `records` are those that were stored, or that were given to the user. `latency_average_s` is
    from a request to its answer in seconds, over all `answers`; a fetch that waits for records
    counts with the time that it waits. 0.0 while there was no answer.
    """

    requests: int
    answers: int
    bytes_sent: int
    bytes_received: int
    records: int
    latency_average_s: float


class Traffic:
    """Counters of all connections of a client."""

    __slots__ = ("answers", "bytes_received", "bytes_sent", "requests", "waited_s")

    def __init__(self) -> None:
        self.requests = 0
        self.answers = 0
        self.bytes_sent = 0
        self.bytes_received = 0
        self.waited_s = 0.0

    def snapshot(self, records: int) -> Metrics:
        """The numbers now, with those of `records`."""
        return Metrics(
            requests=self.requests,
            answers=self.answers,
            bytes_sent=self.bytes_sent,
            bytes_received=self.bytes_received,
            records=records,
            latency_average_s=self.waited_s / self.answers if self.answers else 0.0,
        )
