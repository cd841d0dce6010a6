"""ClusterReader: a consumer that follows leaders; what it has seen once it must always see."""

from barnabas.errors import ErrorCode
from barnabas.protocol.fetch import FetchPartition, FetchRequest, FetchResponse, FetchTopic
from barnabas.protocol.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsResponse,
    ListOffsetsTopic,
)
from barnabas.records.columns.reading import decode_records
from sim.cluster.routing import Routing
from sim.events import Fetched, Place, Violation
from sim.world.caller import Lost
from sim.world.site import Site

_MOST_BYTES = 5_000
_PATIENCE_SECONDS = 4.0
_LATEST = -1


class ClusterReader:
    """Reads all partitions, some of them from the beginning again, and asks where they end.

    The end never goes back for one reader: a leader whose high watermark may be behind that of the one
    before does not tell it (KIP-207).
    """

    def __init__(self, site: Site, routing: Routing, *, committed: bool = False) -> None:
        """`committed`: with read_committed, which reads nothing of a transaction before its end."""
        self.site = site
        self._committed = committed
        self._routing = routing
        self.positions: dict[Place, int] = dict.fromkeys(site.places, 0)
        self.ends: dict[Place, int] = dict.fromkeys(site.places, 0)
        self.starts_anew = True
        """Whether it begins from the beginning again now and then."""

    async def run(self) -> None:
        """Read for ever."""
        site = self.site
        while True:
            await site.sleep(0.0, 0.4)
            place = site.entropy.one_of(site.places)
            if self.starts_anew and site.entropy.chance(0.02):
                self.positions[place] = 0
            act = self._ask_end if site.entropy.chance(0.2) else self._read
            try:
                if not await act(place):
                    await self._routing.learn()
            except Lost:
                await self._routing.learn()

    async def _read(self, place: Place) -> bool:
        known, caller = await self._routing.leader(place)
        position = self.positions[place]
        row = FetchPartition(
            partition=place[1],
            fetch_offset=position,
            current_leader_epoch=known.epoch,
            partition_max_bytes=_MOST_BYTES,
        )
        request = FetchRequest(
            max_wait_ms=100,
            min_bytes=1,
            max_bytes=_MOST_BYTES,
            isolation_level=int(self._committed),
            topics=[FetchTopic(topic=place[0], partitions=[row])],
        )
        mark = self.site.mark()
        answer = await caller.ask(request, FetchResponse, _PATIENCE_SECONDS)
        if not answer.responses:
            return False
        found = answer.responses[0].partitions[0]
        code = ErrorCode.of(found.error_code)
        if code is ErrorCode.OFFSET_OUT_OF_RANGE:
            raise Violation(f"{place}: leader {known} has nothing at {position}, which was read")
        if code:
            return False
        data = b"" if found.records is None else found.records
        assert isinstance(data, bytes | memoryview), "decoding gives one view"
        aborted = [(one.producer_id, one.first_offset) for one in found.aborted_transactions or ()]
        records, after = decode_records(data, *place, start=position, aborted=aborted)
        values = {one.offset: bytes(one.value or b"") for one in records}
        self.positions[place] = max(after, position)
        end = found.high_watermark
        fetched = Fetched(mark, place, values, end, is_committed=self._committed)
        self.site.tell(self.site.name, fetched)
        return True

    async def _ask_end(self, place: Place) -> bool:
        known, caller = await self._routing.leader(place)
        row = ListOffsetsPartition(
            partition_index=place[1], current_leader_epoch=known.epoch, timestamp=_LATEST
        )
        request = ListOffsetsRequest(
            replica_id=-1, topics=[ListOffsetsTopic(name=place[0], partitions=[row])]
        )
        answer = await caller.ask(request, ListOffsetsResponse, _PATIENCE_SECONDS)
        found = answer.topics[0].partitions[0]
        if found.error_code:
            return False
        if found.offset < self.ends[place]:
            raise Violation(
                f"{place} ended at {self.ends[place]}, and by {known} at {found.offset}"
            )
        self.ends[place] = found.offset
        return True
