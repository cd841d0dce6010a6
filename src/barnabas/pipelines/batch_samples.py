"""The codecs of topics' batches: a sample over all partitions, from batch headers."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from barnabas.client.aio.cluster.cluster import Cluster
from barnabas.client.aio.cluster.environment import ClientEnvironment
from barnabas.client.aio.fetching.ranges import RangeFetches, RangeOptions
from barnabas.config.clients import ConsumerConfig
from barnabas.pipelines.topic_frames import ClusterAddress, TopicRanges
from barnabas.records.batches.batch import BatchHeader, walk
from barnabas.records.codecs.compression import Codec
from barnabas.runtime.loops.caller_loop import CallerLoop
from barnabas.types import Offset, OffsetRange

_PLACES: Final = 64
"""From how many places of all partitions together batches are looked at."""
_FETCH_BYTES: Final = 256 << 10


@dataclass(frozen=True, slots=True)
class CodecShare:
    """The sampled batches of one codec. `records` is -1 where messages before Kafka 0.11 are compressed.

    `stored_bytes`: of the batches as they are in the log, headers included.
    """

    codec: str
    batches: int
    records: int
    stored_bytes: int


def sampled_codecs(cluster: ClusterAddress, ranges: TopicRanges) -> list[CodecShare]:
    """Look at batches in evenly spaced places, the codec with the most bytes first.

    Raises:
        KafkaError: a partition cannot be read.
    """
    known = {name: value for name, value in cluster.client.items() if ConsumerConfig.find(name)}
    config = ConsumerConfig.load(known | {"bootstrap.servers": cluster.bootstrap_servers})
    loop = CallerLoop("a sample of batches")
    connected = Cluster(config, ClientEnvironment.real(loop.loop))
    seen: dict[tuple[OffsetRange, int], BatchHeader] = {}
    try:
        for asked in _places(ranges):
            fetches = RangeFetches(connected, asked, RangeOptions(_FETCH_BYTES))
            fetched = loop.run(fetches.next())
            fetches.close()
            for header in [] if fetched is None else walk(fetched.records):
                if not header.control:
                    where = asked._replace(start=Offset(0))
                    seen[where, header.base_offset] = header
    finally:
        connected.close()
        loop.close()
    return _shares(seen.values())


def _places(ranges: TopicRanges) -> Iterable[OffsetRange]:
    filled = [where for where, end in ranges.ends.items() if end > ranges.starts[where]]
    each = max(1, _PLACES // max(1, len(filled)))
    for where in filled:
        start, end = ranges.starts[where], ranges.ends[where]
        for at in sorted({start + (end - start) * step // each for step in range(each)}):
            yield OffsetRange(*where, Offset(at), Offset(end))


def _shares(headers: Iterable[BatchHeader]) -> list[CodecShare]:
    found: dict[int, list[BatchHeader]] = {}
    for header in headers:
        found.setdefault(header.codec, []).append(header)
    names = {codec.value: codec.name.lower() for codec in Codec}
    shares = [
        CodecShare(
            names.get(codec, str(codec)),
            len(rows),
            -1 if any(row.count < 0 for row in rows) else sum(row.count for row in rows),
            sum(row.size for row in rows),
        )
        for codec, rows in found.items()
    ]
    return sorted(shares, key=lambda share: -share.stored_bytes)
