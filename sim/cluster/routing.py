"""Routing: which broker a simulated client takes for a partition's leader, and its connections."""

from collections.abc import Mapping
from typing import NamedTuple

from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.find_coordinator import FindCoordinatorRequest, FindCoordinatorResponse
from barnabas.protocol.metadata import MetadataRequest, MetadataRequestTopic, MetadataResponse
from sim.cluster.scenario import port_of
from sim.events import Place
from sim.world.caller import Caller, Lost
from sim.world.site import Site

VERSIONS: Mapping[ApiKey, int] = {
    ApiKey.FETCH: 12,
    ApiKey.LIST_OFFSETS: 5,
    ApiKey.METADATA: 11,
    ApiKey.ELECT_LEADERS: 1,
    ApiKey.ALTER_PARTITION_REASSIGNMENTS: 0,
    ApiKey.FIND_COORDINATOR: 3,
    ApiKey.OFFSET_COMMIT: 8,
    ApiKey.OFFSET_FETCH: 7,
}
"""Those in which a reader says which leader epoch it knows (KIP-320)."""


GROUP, TRANSACTION = 0, 1
"""The types of keys that have a coordinator."""


class Known(NamedTuple):
    """The leader of a partition in the newest epoch that the client knows."""

    node_id: int
    epoch: int


class Routing:
    """One client's. As Kafka's, it believes no broker that knows an older epoch than it does."""

    def __init__(self, site: Site, node_ids: range) -> None:
        self._site = site
        self._node_ids = node_ids
        self._callers: dict[int, Caller] = {}
        self._known: dict[Place, Known] = {}
        self._controller = -1
        self._coordinators: dict[str, int] = {}

    async def leader(self, place: Place) -> tuple[Known, Caller]:
        """The leader, with a connection to it; asks until there is one."""
        while (known := self._known.get(place)) is None or known.node_id not in self._node_ids:
            await self.learn()
        return known, self.caller(known.node_id)

    async def learn(self) -> None:
        """Ask any broker."""
        await self._site.sleep(0.02, 0.3)
        node_id = self._site.entropy.one_of(self._node_ids)
        topics = sorted({place[0] for place in self._site.places})
        request = MetadataRequest(topics=[MetadataRequestTopic(name=one) for one in topics])
        try:
            answer = await self.caller(node_id).ask(request, MetadataResponse, 2.0)
        except Lost:
            return
        self._controller = answer.controller_id
        for topic in answer.topics:
            for row in topic.partitions:
                place = topic.name or "", row.partition_index
                known = self._known.get(place)
                if known is None or row.leader_epoch >= known.epoch:
                    self._known[place] = Known(row.leader_id, row.leader_epoch)

    async def coordinator(self, key: str, kind: int) -> Caller:
        """A connection to the coordinator of a group or a transactional id; asks until there is one."""
        request = FindCoordinatorRequest(key=key, key_type=kind)
        while key not in self._coordinators:
            await self._site.sleep(0.02, 0.3)
            try:
                answer = await self.any_broker().ask(request, FindCoordinatorResponse, 2.0)
            except Lost:
                continue
            if not answer.error_code:
                self._coordinators[key] = answer.node_id
        return self.caller(self._coordinators[key])

    def forget_coordinator(self, key: str) -> None:
        """It may be another one by now."""
        self._coordinators.pop(key, None)

    def controller(self) -> Caller:
        """A connection to the broker that was the controller by the last Metadata, or to any."""
        if self._controller in self._node_ids:
            return self.caller(self._controller)
        return self.any_broker()

    def any_broker(self) -> Caller:
        """A connection to one of them."""
        return self.caller(self._site.entropy.one_of(self._node_ids))

    def caller(self, node_id: int) -> Caller:
        """The connection to a broker."""
        if node_id not in self._callers:
            self._callers[node_id] = self._site.caller(port_of(node_id))
        return self._callers[node_id]
