"""SentBatch: some numbered records as they go over the wire, made once and sent as often as it takes."""

from typing import NamedTuple, Self

from barnabas.protocol.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from barnabas.records.batches.builder import BatchBuilder
from barnabas.records.codecs.compression import Codec
from sim.events import Place
from sim.world.site import Site

_LIMIT = 100_000
_MOST_RECORDS = 4
_CODECS = (Codec.NONE, Codec.NONE, Codec.GZIP)


def drawn_values(site: Site, place: Place, first: int) -> tuple[bytes, ...]:
    """A few records from number `first` on."""
    count = 1 + site.entropy.below(_MOST_RECORDS)
    name = f"{site.name}.{place[1]}"
    return tuple(f"{name}.{number}".encode() for number in range(first, first + count))


class SentBatch(NamedTuple):
    """Values are `producer.partition.number`; the numbers of a producer and partition count up."""

    values: tuple[bytes, ...]
    request: ProduceRequest

    @classmethod
    def of(
        cls,
        site: Site,
        place: Place,
        values: tuple[bytes, ...],
        producer: tuple[int, int, int],
        transactional_id: str | None = None,
        timestamp_ms: int | None = None,
    ) -> Self:
        """These records, of now or of a time; `producer` is its id, epoch and sequence."""
        time_ms = site.clock.time_ms() if timestamp_ms is None else timestamp_ms
        builder = BatchBuilder(site.entropy.one_of(_CODECS), _LIMIT)
        for value in values:
            builder.append(time_ms, None, value)
        data = bytes(builder.build(*producer, transactional=transactional_id is not None))
        partition = PartitionProduceData(index=place[1], records=data)
        request = ProduceRequest(
            transactional_id=transactional_id,
            acks=-1,
            timeout_ms=30_000,
            topic_data=[TopicProduceData(name=place[0], partition_data=[partition])],
        )
        return cls(values, request)
