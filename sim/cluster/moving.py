"""Mover: somebody who moves partitions to other brokers and has leaders elected, whatever the faults are."""

from barnabas.protocol.alter_partition_reassignments import (
    AlterPartitionReassignmentsRequest,
    AlterPartitionReassignmentsResponse,
    ReassignablePartition,
    ReassignableTopic,
)
from barnabas.protocol.elect_leaders import (
    ElectLeadersRequest,
    ElectLeadersResponse,
    TopicPartitions,
)
from sim.cluster.routing import Routing
from sim.cluster.scenario import MIN_ISR, REPLICAS, UNCLEAN_TOPIC, ClusterScenario
from sim.events import Place
from sim.world.caller import Lost
from sim.world.site import Site

_PREFERRED, _UNCLEAN = 0, 1
_LONGEST_PAUSE = 6.0


class Mover:
    """Asks until it `is_done`; what is refused or gets no answer it lets go."""

    def __init__(self, site: Site, routing: Routing, scenario: ClusterScenario) -> None:
        self.site = site
        self._routing = routing
        self._node_ids = scenario.node_ids
        self.is_done = False

    async def run(self) -> None:
        """One request after the other, of any kind."""
        kinds = (self._move, self._move, self._cancel, self._elect_preferred, self._elect_unclean)
        while not self.is_done:
            await self.site.sleep(0.2, _LONGEST_PAUSE)
            await self._routing.learn()
            place = self.site.entropy.one_of(self.site.places)
            try:
                await self.site.entropy.one_of(kinds)(place)
            except Lost:
                self.site.note(self.site.name, "got no answer")

    async def _move(self, place: Place) -> None:
        """To as many replicas as acks=all needs, at least."""
        entropy, left = self.site.entropy, [*self._node_ids]
        count = entropy.one_of((MIN_ISR, REPLICAS, REPLICAS))
        target = [left.pop(entropy.below(len(left))) for _ in range(count)]
        await self._reassign(place, target)

    async def _cancel(self, place: Place) -> None:
        await self._reassign(place, None)

    async def _reassign(self, place: Place, target: list[int] | None) -> None:
        row = ReassignablePartition(partition_index=place[1], replicas=target)
        request = AlterPartitionReassignmentsRequest(
            topics=[ReassignableTopic(name=place[0], partitions=[row])]
        )
        caller = self._routing.controller()
        answer = await caller.ask(request, AlterPartitionReassignmentsResponse)
        codes = [one.error_code for topic in answer.responses for one in topic.partitions]
        self.site.note(self.site.name, f"{place} to {target}: {answer.error_code} {codes}")

    async def _elect_preferred(self, place: Place) -> None:
        await self._elect(place, _PREFERRED)

    async def _elect_unclean(self, place: Place) -> None:
        """Only where records may be lost."""
        await self._elect(place, _UNCLEAN if place[0] == UNCLEAN_TOPIC else _PREFERRED)

    async def _elect(self, place: Place, kind: int) -> None:
        row = TopicPartitions(topic=place[0], partitions=[place[1]])
        request = ElectLeadersRequest(election_type=kind, topic_partitions=[row])
        answer = await self._routing.controller().ask(request, ElectLeadersResponse)
        rows = [one for topic in answer.replica_election_results for one in topic.partition_result]
        codes = [one.error_code for one in rows]
        self.site.note(self.site.name, f"election {kind} of {place}: {answer.error_code} {codes}")
