"""Cast: the clients of a run, and whether all of them have settled."""

from collections.abc import Callable, Iterable, Sequence

from sim.build import OLDEST
from sim.clients.clerk import SimClerk
from sim.clients.consuming import SimMember
from sim.clients.copying import SimCopier
from sim.clients.producing import SimProducer
from sim.events import Place
from sim.groups.classic_membership import ClassicMembership
from sim.groups.consumer_membership import ConsumerMembership
from sim.groups.deployment import Deployment
from sim.groups.group_kind import GroupKind
from sim.groups.membership import Membership
from sim.groups.sharing import SimSharer
from sim.groups.streams_membership import StreamsMembership
from sim.groups.streams_topology import inputs
from sim.runs.roles import Roles
from sim.runs.transactors import Transactors
from sim.scenario import COPIERS_GROUP, GROUP, SHARERS_GROUP, Scenario
from sim.world.entropy import SeededEntropy
from sim.world.site import Site
from sim.world.versions import (
    STABLE_POSITIONS,
    STREAMS,
    TRANSACTIONS_2,
    drawn_versions,
    with_epochs,
)

BeginSite = Callable[[str, SeededEntropy], Site]
_QUIET_SECONDS = 1.0
"""How long nothing is to be had by a share group once all locks have ended."""


class Cast:
    """All clients. `begin_site` gives a place in the world for a name."""

    def __init__(self, scenario: Scenario, entropy: SeededEntropy, begin_site: BeginSite) -> None:
        self._scenario = scenario
        self._is_produced = False
        self.producers: list[SimProducer] = []
        for number in range(scenario.producers):
            site = begin_site(f"producer-{number}", entropy.stream(f"producer-{number}"))
            producer = SimProducer(site, scenario.rounds, scenario.timestamp_ms)
            self.producers.append(producer)
            site.process.begin(producer.run())
        self._clerks: list[SimClerk] = []
        for number in range(scenario.clerks):
            site = begin_site(f"clerk-{number}", entropy.stream(f"clerk-{number}"))
            clerk = SimClerk(site, scenario.rounds)
            self._clerks.append(clerk)
            site.process.begin(clerk.run())
        self.transactors = Transactors(scenario, entropy.stream("transactors"), begin_site)
        self.members: Roles[SimMember] = Roles(entropy)
        for number in range(scenario.members):
            is_static = number < scenario.static_members
            self._add_member(begin_site, entropy, f"member-{number}", is_static=is_static)
        self.copiers: Roles[SimCopier] = Roles(entropy.stream("copiers"))
        for number in range(scenario.copiers):
            self._add_copier(begin_site, entropy, f"copier-{number}")
        self.sharers: Roles[SimSharer] = Roles(entropy.stream("sharers"))
        for number in range(scenario.sharers):
            name = f"sharer-{number}"
            self.sharers.add(begin_site(name, entropy.stream(name)), None, self._sharer)
        self.streamers: Roles[SimMember] = Roles(entropy.stream("streamers"))
        self._deployments: list[Deployment] = []
        self._ending = entropy.stream("ending")
        for number in range(scenario.streamers):
            self._add_streamer(begin_site, entropy, number)

    def _add_member(
        self, begin_site: BeginSite, entropy: SeededEntropy, name: str, *, is_static: bool
    ) -> None:
        site = begin_site(name, entropy.stream(name))
        site.versions = drawn_versions(site.entropy, is_static=is_static)
        if self._scenario.kind is not GroupKind.CLASSIC:
            site.versions = with_epochs(site.versions)
        self.members.add(site, name if is_static else None, self._member)

    def _add_copier(self, begin_site: BeginSite, entropy: SeededEntropy, name: str) -> None:
        site = begin_site(name, entropy.stream(name))
        site.versions = with_epochs({**site.versions, **STABLE_POSITIONS})
        if not self._scenario.release and site.entropy.chance(0.5):
            site.versions |= TRANSACTIONS_2
        self.copiers.add(site, None, self._copier)

    def _add_streamer(self, begin_site: BeginSite, entropy: SeededEntropy, number: int) -> None:
        name = f"streamer-{number}"
        site = begin_site(name, entropy.stream(name))
        site.versions = with_epochs({**site.versions, **STREAMS})
        process = f"process-{number // 2}"
        deployment = Deployment(
            entropy.stream(f"{name} deployed"), changes=self._scenario.changes_builds
        )
        self._deployments.append(deployment)

        def begin(site: Site, instance: str | None, on_ended: Callable[[], None]) -> SimMember:
            del instance  # Streams groups have no static members yet.
            deployment.renew()
            membership = StreamsMembership(site, site.caller(), process, deployment)
            return SimMember(site, membership, on_ended)

        self.streamers.add(site, None, begin)

    def _member(self, site: Site, instance: str | None, on_ended: Callable[[], None]) -> SimMember:
        kind = self._scenario.kind
        return SimMember(site, _membership(site, GROUP, kind, instance), on_ended)

    def _copier(self, site: Site, instance: str | None, on_ended: Callable[[], None]) -> SimCopier:
        kind = self._scenario.copiers_kind
        return SimCopier(site, _membership(site, COPIERS_GROUP, kind, instance), on_ended)

    def _sharer(self, site: Site, instance: str | None, on_ended: Callable[[], None]) -> SimSharer:
        del instance, on_ended  # No member of a share group has a name that others could take.
        return SimSharer(site, SHARERS_GROUP, self._scenario.lock_ms / 1000)

    def faults(self) -> list[Callable[[], str]]:
        """What may go wrong with them."""
        kinds = [
            self.members.kill_one,
            self.members.leave_one,
            self.members.stall_one,
            self.members.stall_one,
            self.members.stall_one,
            self.members.double_one,
        ]
        if self._scenario.transactors:
            kinds += [self.transactors.kill_one, self.transactors.stall_one]
        for some in (self.copiers, self.sharers, self.streamers):
            if some:
                kinds += [some.kill_one, some.leave_one, some.stall_one, some.stall_one]
        return kinds

    def planned(self) -> list[Callable[[], str]]:
        """What happens besides, once each."""
        scenario = self._scenario
        moves = scenario.streamers if scenario.changes_builds else 0
        return [self._end_all] * scenario.ends + [self.streamers.leave_one] * moves

    def _end_all(self) -> str:
        """A thread of the application is to ask that all of it ends."""
        self._ending.one_of(self._deployments).ends_all = True
        return "an application is to end"

    # --- Settling -----------------------------------------------------------------------------

    def unsettled(self) -> str:
        """Why not all have what they want yet; nothing if they have."""
        working = [one for one in self.producers if not one.is_done]
        if working:
            return f"{len(working)} producers are not done"
        if not self.transactors.are_done:
            return "transactions are not done"
        if any(not one.is_done for one in self._clerks):
            return "clerks are not done"
        if any(one.ends_all for one in self._deployments):
            return "somebody is about to end an application"
        if not self._is_produced:
            # What is the end of a partition, readers find out from here on.
            self._is_produced = True
            for some in (self.members, self.copiers, self.sharers, self.streamers):
                some.look_again()
        return (
            _unsettled(self.members.present(), self._scenario.places)
            or (bool(self.copiers) and _unsettled(self.copiers.present(), self._scenario.places))
            or (bool(self.streamers) and _unsettled(self.streamers.present(), self._streamed()))
            or (bool(self.sharers) and self._unshared(self.sharers.present()))
            or ""
        )

    def _streamed(self) -> list[Place]:
        """What a streams group reads: its tasks have as many partitions as their inputs.

        Of which build it is, `Audit` asks; until then what somebody reads has to be read whole.
        """
        read = {one for each in self.streamers.present() for one in each.membership.places or ()}
        topics = {*inputs(OLDEST), *(topic for topic, _ in read)}
        return [(topic, index) for topic in topics for _, index in self._scenario.places]

    def _unshared(self, sharers: Sequence[SimSharer]) -> str:
        epochs = {one.membership.epoch for one in sharers}
        read = {place for one in sharers for place in one.membership.places}
        if len(epochs) != 1 or read != set(self._scenario.places):
            return f"sharers of epochs {sorted(epochs)} read {sorted(read)}"
        quiet = self._scenario.lock_ms / 1000 + _QUIET_SECONDS
        if any(not one.is_idle_for(quiet) for one in sharers):
            return "records are shared"
        return ""


def _membership(site: Site, group: str, kind: GroupKind, instance: str | None) -> Membership:
    is_consumer = kind is GroupKind.CONSUMER
    if kind is GroupKind.MIXED:
        is_consumer = site.entropy.chance(0.5)
    speaks = ConsumerMembership if is_consumer else ClassicMembership
    return speaks(site, site.caller(), group, kind, instance)


def _unsettled(members: Sequence[SimMember], places: Iterable[Place]) -> str:
    generations = {one.membership.generation for one in members}
    owned: list[Place] = []
    for one in members:
        if one.membership.places is None:
            return f"a member of {one.membership.group} has to join"
        owned += one.membership.places
    if sorted(owned) != sorted(places) or len(generations) > 1:
        return f"generations {sorted(generations)} own {sorted(owned)}"
    for one in members:
        for place in one.membership.places or ():
            end, committed = one.ends.get(place), one.committed.get(place, -1)
            # After a loss, a commit may know of records that are no more.
            if end is None or max(committed, 0) < end:
                return f"{one.membership.group} at {place} is committed to {committed} of {end}"
    return ""
