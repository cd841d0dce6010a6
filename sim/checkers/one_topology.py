"""OneTopology: a streams group keeps its first topology; others are refused, or reported as stale."""

from dataclasses import dataclass, field

from sim.build import Build
from sim.events import Beaten, BuildRefused, Described, Event, PowerCut, Violation


@dataclass(slots=True)
class _Known:
    """What responses reported of one group. `kept` is None while it may be any."""

    kept: Build | None = None
    stale: set[Build] = field(default_factory=set)
    refused: set[Build] = field(default_factory=set)
    epochs: dict[str, int] = field(default_factory=dict)
    """Those of the topologies that members have."""


class OneTopology:
    """In whatever order it comes to light, also across restarts."""

    def __init__(self) -> None:
        self._known: dict[str, _Known] = {}

    def take(self, event: Event) -> None:
        """Judge one event."""
        match event:
            case Beaten(group=group, build=build):
                known = self._known.setdefault(group, _Known())
                known.epochs[event.owner] = build.epoch
                if event.is_stale:
                    known.stale.add(build)
                else:
                    _keep(known, build)
                _check(known)
            case BuildRefused(group=group, build=build):
                known = self._known.setdefault(group, _Known())
                known.refused.add(build)
                _check(known)
            case Described(group=group, build=described, members=members):
                known = self._known.setdefault(group, _Known())
                if described is not None:
                    _keep(known, described)
                for name, member in members.items():
                    if known.epochs.get(name, member.topology_epoch) != member.topology_epoch:
                        raise Violation(f"{name} has a topology of {known.epochs[name]}: {event}")
                _check(known)
            case PowerCut(loses=True):
                self._known.clear()
            case _:
                pass


def _keep(known: _Known, build: Build) -> None:
    if known.kept not in {None, build}:
        raise Violation(f"a group has the topology of {known.kept}, and that of {build}")
    known.kept = build


def _check(known: _Known) -> None:
    kept = known.kept
    if kept is None:
        return
    for build in known.stale:
        if build.epoch >= kept.epoch:
            raise Violation(f"{build} was called older than {kept}")
    for build in known.refused:
        if build == kept or build.epoch < kept.epoch:
            raise Violation(f"{build} was refused where {kept} is known")
