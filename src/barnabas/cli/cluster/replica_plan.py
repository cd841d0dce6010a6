"""Plan which replicas to move where, with as little copying as possible; pure."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from barnabas.cli.output.output import counted
from barnabas.errors import ConfigError
from barnabas.types import TopicPartition

Replicas = tuple[int, ...]


def plan(
    current: Mapping[TopicPartition, Sequence[int]],
    racks: Mapping[int, str | None],
    *,
    replication_factor: int | None = None,
    balance: bool = False,
) -> dict[TopicPartition, Replicas]:
    """Return the partitions that have to move, with their new replicas, the preferred leader first.

    A replica on one of the brokers stays. In place of one elsewhere comes the broker with the fewest
    replicas, if possible in a rack that the partition is not in yet.

    Args:
        current: the replicas of all partitions that may move.
        racks: the brokers that may have replicas, each with its rack.
        replication_factor: how many replicas each partition gets; None: as many as it has.
        balance: also move replicas until brokers differ by one at most, and preferred leaders as well.

    Raises:
        ConfigError: there are fewer brokers than replicas.
    """
    most = replication_factor or max(map(len, current.values()), default=0)
    if most > len(racks):
        left = counted(len(racks), "broker")
        remedy = f"give --replication-factor {len(racks)}" if racks else "leave one of them"
        raise ConfigError(
            f"a partition has {counted(most, 'replica')}, and only {left} may have replicas: {remedy}"
        )
    work = _Plan(racks, {place: [*current[place]] for place in sorted(current)})
    for replicas in work.replicas.values():
        count = replication_factor or len(replicas)
        replicas[:] = [one for one in replicas if one in racks][:count]
        work.loads.update(replicas)
    for place in work.replicas:
        work.fill(place, replication_factor or len(current[place]))
    if balance:
        work.balance_replicas()
        work.balance_leaders()
    return {
        place: tuple(replicas)
        for place, replicas in work.replicas.items()
        if replicas != [*current[place]]
    }


@dataclass(slots=True)
class _Plan:
    racks: Mapping[int, str | None]
    replicas: dict[TopicPartition, list[int]]
    loads: Counter[int] = field(default_factory=Counter)
    """Replicas of each broker."""

    def fill(self, place: TopicPartition, count: int) -> None:
        """Give a partition as many replicas."""
        replicas = self.replicas[place]
        while len(replicas) < count:
            used = self._racks_of(replicas)
            free = [one for one in self.racks if one not in replicas]
            new = min(free, key=lambda one: (self.racks[one] in used, self.loads[one], one))
            replicas.append(new)
            self.loads[new] += 1

    def balance_replicas(self) -> None:
        """Move replicas from the broker with the most to the one with the fewest, while that helps."""
        held: dict[int, list[TopicPartition]] = {one: [] for one in self.racks}
        for place, replicas in self.replicas.items():
            for one in replicas:
                held[one].append(place)
        while True:
            by_load = sorted(self.racks, key=lambda one: (self.loads[one], one))
            pairs = (
                (source, target)
                for source in reversed(by_load)
                for target in by_load
                if self.loads[source] - self.loads[target] > 1
            )
            for source, target in pairs:
                found = next(
                    (one for one in held[source] if self._may_move(one, source, target)), None
                )
                if found is not None:
                    break
            else:
                return
            replicas = self.replicas[found]
            replicas[replicas.index(source)] = target
            held[source].remove(found)
            held[target].append(found)
            self.loads[source] -= 1
            self.loads[target] += 1

    def _may_move(self, place: TopicPartition, source: int, target: int) -> bool:
        """Whether the partition can move, and is in no fewer racks afterwards."""
        replicas = self.replicas[place]
        if target in replicas:
            return False
        others = self._racks_of(one for one in replicas if one != source)
        return len(others | {self.racks[target]}) >= len(self._racks_of(replicas))

    def balance_leaders(self) -> None:
        """Put another replica first where its broker leads fewer partitions."""
        leads = Counter(replicas[0] for replicas in self.replicas.values())
        for replicas in self.replicas.values():
            best = min(replicas, key=lambda one: leads[one])
            if leads[replicas[0]] - leads[best] > 1:
                leads[replicas[0]] -= 1
                leads[best] += 1
                replicas.remove(best)
                replicas.insert(0, best)

    def _racks_of(self, brokers: Iterable[int]) -> set[str | None]:
        return {self.racks[one] for one in brokers}
