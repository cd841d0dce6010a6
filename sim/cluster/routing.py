"""Routing: which broker a simulated client takes for a partition's leader, and its connections."""

from collections.abc import Mapping
from typing import NamedTuple

from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.metadata import MetadataRequest, MetadataRequestTopic, MetadataResponse
from sim.cluster.scenario import TOPIC, port_of
from sim.events import Place
from sim.world.caller import Caller, Lost
from sim.world.site import Site

VERSIONS: Mapping[ApiKey, int] = {ApiKey.FETCH: 12, ApiKey.LIST_OFFSETS: 5, ApiKey.METADATA: 11}
"""Those in which a reader says which leader epoch it knows (KIP-320)."""


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

    async def leader(self, place: Place) -> tuple[Known, Caller]:
        """The leader, with a connection to it; asks until there is one."""
        while (known := self._known.get(place)) is None or known.node_id not in self._node_ids:
            await self.learn()
        return known, self.caller(known.node_id)

    async def learn(self) -> None:
        """Ask any broker."""
        await self._site.sleep(0.02, 0.3)
        node_id = self._site.entropy.one_of(self._node_ids)
        request = MetadataRequest(topics=[MetadataRequestTopic(name=TOPIC)])
        try:
            answer = await self.caller(node_id).ask(request, MetadataResponse, 2.0)
        except Lost:
            return
        for topic in answer.topics:
            for row in topic.partitions:
                place = topic.name or "", row.partition_index
                known = self._known.get(place)
                if known is None or row.leader_epoch >= known.epoch:
                    self._known[place] = Known(row.leader_id, row.leader_epoch)

    def any_broker(self) -> Caller:
        """A connection to one of them."""
        return self.caller(self._site.entropy.one_of(self._node_ids))

    def caller(self, node_id: int) -> Caller:
        """The connection to a broker."""
        if node_id not in self._callers:
            self._callers[node_id] = self._site.caller(port_of(node_id))
        return self._callers[node_id]
