"""Counters of a client, returned as plain values."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from barnabas.types import TopicPartition


@dataclass(frozen=True, slots=True)
class Metrics:
    """Since the client was created. Bytes are those on the wire, over all its connections.

    `records` counts stored records, or those returned to the user. `latency_average_s` is the mean
    time from a request to its response in seconds, over all `answers`; a fetch includes its wait
    for records. 0.0 without responses. `connections` are those open now, and `client_id` is the
    property client.id. Of a producer `failed_records` counts records that were not stored; of a
    consumer `lag` has the records after the position of each assigned partition, as of its last fetch.
    """

    requests: int
    answers: int
    bytes_sent: int
    bytes_received: int
    records: int
    latency_average_s: float
    client_id: str = ""
    connections: int = 0
    failed_records: int = 0
    lag: Mapping[TopicPartition, int] = field(default_factory=dict)


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
