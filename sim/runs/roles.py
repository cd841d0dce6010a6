"""Roles: members of groups that are to be there, whoever plays them now; they die, leave and return."""

from collections.abc import Callable, Coroutine
from dataclasses import dataclass, replace
from typing import Generic, Protocol, TypeVar

from sim.world.entropy import SeededEntropy
from sim.world.process import Process
from sim.world.promise import Awaited
from sim.world.site import Site


class Player(Protocol):
    """One life of a member."""

    leaves: bool
    is_gone: bool

    def run(self) -> Coroutine[Awaited, None, None]:
        """Live."""
        ...

    def on_killed(self) -> None:
        """It ended amid whatever it did."""
        ...

    def look_again(self) -> None:
        """Find out anew whether there is anything left to read."""
        ...


_PlayerT = TypeVar("_PlayerT", bound=Player)
Begin = Callable[[Site, str | None, Callable[[], None]], _PlayerT]
"""A new life at a site, under the name of a static member; the last one is called if it is ended."""


@dataclass(slots=True)
class Role(Generic[_PlayerT]):
    """One of them. `instance`: its name, if it is static."""

    site: Site
    instance: str | None
    begin: Begin[_PlayerT]
    player: _PlayerT | None = None


class Roles(Generic[_PlayerT]):
    """Those of one group."""

    def __init__(self, entropy: SeededEntropy) -> None:
        self._entropy = entropy
        self._roles: list[Role[_PlayerT]] = []

    def add(self, site: Site, instance: str | None, begin: Begin[_PlayerT]) -> None:
        """One more, that comes soon."""
        role = Role(site, instance, begin)
        self._roles.append(role)
        site.process.after(self._entropy.between(0.0, 10.0), lambda: self._play(role, site))

    def present(self) -> list[_PlayerT]:
        """Those that live now."""
        return [one.player for one in self._roles if one.player and not one.player.is_gone]

    def look_again(self) -> None:
        """Nothing more is written: whoever has read all that there was is to make sure."""
        for player in self.present():
            player.look_again()

    def __bool__(self) -> bool:
        return bool(self._roles)

    def _play(self, role: Role[_PlayerT], site: Site) -> None:
        if site is not role.site:
            return  # Another one has taken its place before it came.

        def on_ended() -> None:
            if role.player is player:
                # Whoever it was that ended it: somebody starts it again.
                self._return(role, self._entropy.between(1.0, 10.0))

        player = role.player = role.begin(site, role.instance, on_ended)
        site.process.begin(player.run())

    def kill_one(self) -> str:
        """A member's process ends, and another takes its place after a while. Says whose."""
        role = self._entropy.one_of(self._roles)
        role.site.process.die()
        if role.player is not None:
            role.player.on_killed()
        self._return(role, self._entropy.between(0.1, 15.0))
        return role.site.name

    def leave_one(self) -> str:
        """A member says goodbye, and returns after a while. Says which."""
        role = self._entropy.one_of(self._roles)
        if role.player is not None and not role.player.leaves:
            role.player.leaves = True
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

    def _return(self, role: Role[_PlayerT], seconds: float) -> None:
        site = role.site
        process = Process(site.process.loop, site.name)
        new = role.site = replace(site, process=process, stalled_until=0.0)
        role.player = None
        process.after(seconds, lambda: self._play(role, new))
