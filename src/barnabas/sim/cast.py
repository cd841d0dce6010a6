"""Cast: the clients of a run: they are begun, killed, stalled, brought back; whether all have settled."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from barnabas.sim.consuming import SimMember
from barnabas.sim.entropy import SeededEntropy
from barnabas.sim.events import Place
from barnabas.sim.process import Process
from barnabas.sim.producing import SimProducer
from barnabas.sim.scenario import Scenario
from barnabas.sim.site import Site
from barnabas.sim.transactors import Transactors
from barnabas.sim.versions import drawn_versions

GROUP = "g"


@dataclass(slots=True)
class _Role:
    """A member that is to be there, whoever plays it now."""

    site: Site
    instance: str | None
    lives: int = 0
    member: SimMember | None = None


class Cast:
    """All clients. `begin_site` gives a place in the world for a name."""

    def __init__(
        self,
        scenario: Scenario,
        entropy: SeededEntropy,
        begin_site: Callable[[str, SeededEntropy], Site],
    ) -> None:
        self._entropy = entropy
        self._scenario = scenario
        self._roles: list[_Role] = []
        self.producers: list[SimProducer] = []
        for number in range(scenario.producers):
            site = begin_site(f"producer-{number}", entropy.stream(f"producer-{number}"))
            producer = SimProducer(site, scenario.rounds)
            self.producers.append(producer)
            site.process.begin(producer.run())
        self.transactors = Transactors(scenario, entropy.stream("transactors"), begin_site)
        for number in range(scenario.members):
            name = f"member-{number}"
            is_static = number < scenario.static_members
            site = begin_site(name, entropy.stream(name))
            site.versions = drawn_versions(site.entropy, is_static=is_static)
            role = _Role(site, name if is_static else None)
            self._roles.append(role)
            site.process.after(
                entropy.between(0.0, 10.0),
                lambda role=role: self._play(role),  # type: ignore[misc]
            )

    def _play(self, role: _Role) -> None:
        role.lives += 1
        site = role.site

        def on_fenced() -> None:
            if role.member is member:
                # Whoever it was that took its name: somebody starts it again.
                self._return(role, self._entropy.between(1.0, 10.0))

        member = role.member = SimMember(site, GROUP, role.instance, on_fenced)
        site.process.begin(member.run())

    # --- Faults -------------------------------------------------------------------------------

    def kill_one(self) -> str:
        """A member's process ends, and another takes its place after a while. Says whose."""
        role = self._entropy.one_of(self._roles)
        role.site.process.die()
        self._return(role, self._entropy.between(0.1, 15.0))
        return role.site.name

    def leave_one(self) -> str:
        """A member says goodbye, and returns after a while. Says which."""
        role = self._entropy.one_of(self._roles)
        if role.member is not None and not role.member.leaves:
            role.member.leaves = True
            self._return(role, self._entropy.between(2.0, 20.0))
        return role.site.name

    def double_one(self) -> str:
        """A second process plays the same member while the first one still does: one is fenced."""
        role = self._entropy.one_of(self._roles)
        if role.instance is not None:
            old = role.site
            self._return(role, 0.0)
            old.process.after(30.0, old.process.die)
        return role.site.name

    def stall_one(self) -> str:
        """A member stands still. Says which."""
        role = self._entropy.one_of(self._roles)
        seconds = self._entropy.between(1.0, 20.0)
        role.site.stalled_until = role.site.process.loop.now() + seconds
        return role.site.name

    def _return(self, role: _Role, seconds: float) -> None:
        site = role.site
        process = Process(site.process.loop, site.name)
        role.site = replace(site, process=process, stalled_until=0.0)
        role.member = None
        process.after(seconds, lambda: self._play(role))

    # --- Settling -----------------------------------------------------------------------------

    def unsettled(self) -> str:
        """Why not all have what they want yet; nothing if they have."""
        working = [one for one in self.producers if not one.is_done]
        if working:
            return f"{len(working)} producers are not done"
        if not self.transactors.are_done:
            return "transactions are not done"
        members = [role.member for role in self._roles if role.member and not role.member.is_gone]
        generations = {one.membership.generation for one in members}
        owned: list[Place] = []
        for one in members:
            if one.membership.places is None:
                return "a member has to join"
            owned += one.membership.places
        if sorted(owned) != sorted(self._scenario.places) or len(generations) > 1:
            return f"generations {sorted(generations)} own {sorted(owned)}"
        for one in members:
            for place in one.membership.places or ():
                end, committed = one.ends.get(place), one.committed.get(place, -1)
                # After a loss, a commit may know of records that are no more.
                if end is None or max(committed, 0) < end:
                    return f"{place} is committed to {committed} of {end}"
        return ""
