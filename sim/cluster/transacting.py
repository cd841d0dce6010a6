"""ClusterTransaction: a transactional producer whose coordinator and partitions move between brokers."""

from barnabas.errors import ErrorCode
from barnabas.protocol.produce import ProduceRequest
from sim.clients.transaction import SimTransaction
from sim.cluster.routing import TRANSACTION, Routing
from sim.events import Place
from sim.world.caller import Caller
from sim.world.site import Site


class ClusterTransaction(SimTransaction):
    """Asks the coordinator of its name, and sends records to the leaders."""

    patience_seconds = 5.0
    # A leader that is one no more lacks what another one has acknowledged.
    retried = frozenset({ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER})

    def __init__(self, site: Site, routing: Routing) -> None:
        super().__init__(site)
        self._name = site.name
        self._routing = routing

    async def caller_of(self, request: object) -> Caller:
        """A connection to the leader or the coordinator."""
        if isinstance(request, ProduceRequest):
            _, caller = await self._routing.leader(_place_of(request))
            return caller
        return await self._routing.coordinator(self._name, TRANSACTION)

    async def look_again(self, request: object) -> None:
        """Ask who leads, or coordinates, now."""
        if isinstance(request, ProduceRequest):
            await self._routing.learn()
        else:
            self._routing.forget_coordinator(self._name)


def _place_of(request: ProduceRequest) -> Place:
    (topic,) = request.topic_data
    (partition,) = topic.partition_data
    return topic.name, partition.index
