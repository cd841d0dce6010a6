"""Counters of a client, returned as plain values."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Metrics:
    """Since the client was created. Bytes are those on the wire, over all its connections.

    `records` counts stored records, or those returned to the user. `latency_average_s` is the mean
    time from a request to its response in seconds, over all `answers`; a fetch includes its wait
    for records. 0.0 without responses.
    """

    requests: int
    answers: int
    bytes_sent: int
    bytes_received: int
    records: int
    latency_average_s: float


class Traffic:
    """Counters over all connections of a client."""

    __slots__ = ("answers", "bytes_received", "bytes_sent", "requests", "waited_s")

    def __init__(self) -> None:
        self.requests = 0
        self.answers = 0
        self.bytes_sent = 0
        self.bytes_received = 0
        self.waited_s = 0.0

    def snapshot(self, records: int) -> Metrics:
        """Return the numbers now, with the number of `records`."""
        return Metrics(
            requests=self.requests,
            answers=self.answers,
            bytes_sent=self.bytes_sent,
            bytes_received=self.bytes_received,
            records=records,
            latency_average_s=self.waited_s / self.answers if self.answers else 0.0,
        )
