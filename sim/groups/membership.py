"""Membership: what a member knows of its group, and what others may believe of it."""

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Sequence

from barnabas.errors import ErrorCode
from sim.events import Holds, LetsGo, Place, Synced
from sim.groups.group_kind import GroupKind
from sim.world.caller import Caller
from sim.world.site import Site

GiveBack = Callable[[Sequence[Place]], Awaitable[None]]


class Ended(Exception):
    """This life of a member is over. Somebody starts the next one."""


class Membership(ABC):
    """One life of a member in a group. All that asks the broker raises `Lost` and `Ended`."""

    SESSIONS_MS = 6_000, 7_000, 15_000
    REBALANCES_MS = 3_000, 6_000, 20_000
    NEW_START: frozenset[ErrorCode] = frozenset()
    """It is no member any more: it begins anew, without an id."""
    AGAIN: frozenset[ErrorCode] = frozenset()
    """It must join again, as who it is."""
    LATER: frozenset[ErrorCode] = frozenset()
    """It may try again, though the error is not retriable by itself."""
    is_consumer = False
    """Whether the broker assigns partitions, and the member is of an epoch (KIP-848)."""

    def __init__(
        self, site: Site, caller: Caller, group: str, kind: GroupKind, instance: str | None
    ) -> None:
        self.site = site
        self.caller = caller
        self.group = group
        self.kind = kind
        self.instance = instance
        self.rebalance_ms = site.entropy.one_of(self.REBALANCES_MS)
        self.member_id = ""
        self.generation = -1
        """Or its epoch."""
        self.places: tuple[Place, ...] | None = None
        """What it owns; None: it has to join."""

    @property
    def owner(self) -> str:
        """A name for it that a static member keeps."""
        return self.instance or self.member_id

    @property
    def by_place(self) -> bool:
        """Whether members come to a new generation each at its own time."""
        return self.kind is not GroupKind.CLASSIC

    @property
    def may_be_forgotten(self) -> bool:
        """Whether a response that it received may be lost: a power cut broke this connection."""
        return self.site.may_lose() and not self.caller.is_connected

    @abstractmethod
    async def join(self) -> None:
        """Try to become a member and to learn what to do: `places`, or None: try again."""

    @abstractmethod
    async def heartbeat(self, give_back: GiveBack) -> None:
        """Say that it is alive; `give_back` is awaited before something is another one's."""

    @abstractmethod
    async def leave(self) -> None:
        """Go."""

    def refused(self, code: ErrorCode) -> None:
        """Take an error to heart: what follows from it for the membership."""
        if not code:
            return
        self.site.note(self.site.name, f"gets {code.name}")
        if code is ErrorCode.FENCED_INSTANCE_ID:
            raise Ended("another process has this static member's name")
        gone = code is ErrorCode.GROUP_ID_NOT_FOUND and self.may_be_gone()
        if gone or code in self.NEW_START:
            self.began()
            self.member_id = ""
        elif code in self.AGAIN:
            self.began()
        else:
            assert code.retriable or code in self.LATER, f"{self.site.name} got {code.name}"

    def began(self) -> None:
        """It must join again: nothing is its own any more, though it may stay a member."""
        self.places = None
        self.site.tell(self.site.name, LetsGo(self.group, self.owner))

    def may_be_gone(self) -> bool:
        """Whether there may be no such group of this kind."""
        return self.kind is GroupKind.MIXED or self.site.may_lose()

    def took(self, mark: int, places: tuple[Place, ...]) -> None:
        """It received its partitions of a generation."""
        self.places = places
        if self.kind is GroupKind.MIXED:
            return  # One that ended may begin again as another kind, and count anew.
        answered = self.site.mark()
        synced = Synced(mark, answered, self.group, self.generation, self.owner, places)
        self.site.tell(self.site.name, synced)

    def holds(self, mark: int, until: float) -> None:
        """All that it has is surely its own until then, if nobody can take its name."""
        if self.instance is None or self.kind is GroupKind.CONSUMER:
            now, places = self.site.process.loop.now(), self.places or ()
            answered = self.site.mark()
            event = Holds(mark, answered, now, self.group, self.owner, places, until)
            self.site.tell(self.site.name, event)
