"""EpochsGrow: no epoch goes back, of a group or of a member; what is handed out in one stays the same.

Also across restarts: a member may rely on an epoch that it received.
"""

from sim.events import (
    Described,
    DescribedMember,
    Event,
    PowerCut,
    Synced,
    Violation,
)


class EpochsGrow:
    """Those of classic groups are generations."""

    def __init__(self) -> None:
        self._members: dict[tuple[str, str], list[tuple[int, int]]] = {}
        """When each member received its epoch."""
        self._groups: dict[str, list[Described]] = {}
        self._wanted: dict[tuple[str, int, str], tuple[object, object]] = {}

    def take(self, event: Event) -> None:
        """Judge one event."""
        match event:
            case Synced(mark=mark, answered=answered, group=group, owner=owner, generation=epoch):
                self._judge(mark, group, owner, epoch)
                self._members.setdefault((group, owner), []).append((answered, epoch))
            case Described():
                self._judge_group(event)
            case PowerCut(loses=True):
                self._members.clear()
                self._groups.clear()
                self._wanted.clear()
            case _:
                pass

    def _judge(self, mark: int, group: str, owner: str, epoch: int) -> None:
        known = self._members.get((group, owner), ())
        least = max((one for at, one in known if at < mark), default=epoch)
        if epoch < least:
            raise Violation(f"{owner} of {group} was in epoch {least}, and is in {epoch}")

    def _judge_group(self, event: Described) -> None:
        group, epochs = event.group, (event.epoch, event.assignment_epoch)
        known = self._groups.setdefault(group, [])
        for one in known:
            if one.answered < event.mark and (
                epochs[0] < one.epoch or epochs[1] < one.assignment_epoch
            ):
                raise Violation(f"{group} was at {one}, and is at {event}")
        known.append(event)
        if event.assignment_epoch > event.epoch:
            raise Violation(f"{group} handed out for an epoch that is to come: {event}")
        for name, member in event.members.items():
            self._judge(event.mark, group, name, member.epoch)
            if member.epoch > event.assignment_epoch:
                raise Violation(f"{name} of {group} is ahead of its group: {event}")
            self._judge_share(event, name, member)

    def _judge_share(self, event: Described, name: str, member: DescribedMember) -> None:
        """A member that was away and returns has no tasks before the next assignment."""
        wanted = member.active_wanted, member.standby_wanted
        if wanted == ((), ()):
            return
        before = self._wanted.setdefault((event.group, event.assignment_epoch, name), wanted)
        if before != wanted:
            raise Violation(f"{name} was to do {before}, and is to do {wanted}: {event}")
