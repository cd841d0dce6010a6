"""ClusterScenario: what a seed stands for: brokers, partitions, clients, which faults there may be."""

from collections.abc import Mapping
from dataclasses import dataclass

from sim.events import Place
from sim.world.entropy import SeededEntropy

TOPIC = "t"
UNCLEAN_TOPIC = "u"
"""One whose leaders may be elected from replicas that are not in sync: it may lose records."""
OFFSETS_TOPIC = "__consumer_offsets"
TRANSACTIONS_TOPIC = "__transaction_state"
REPLICAS, MIN_ISR = 3, 2
FIRST_PORT = 9092
_PROTOCOLS = ("2.6", "2.8", "3.6", "3.9")
"""Of brokers that write ISRs to ZooKeeper, that ask the controller, with topic ids, with a strict minimum."""


@dataclass(frozen=True, slots=True)
class ClusterScenario:
    """Drawn from a seed; the same for the same seed."""

    brokers: int
    assignment: tuple[tuple[int, ...], ...]
    """The replicas of each partition, the preferred leader first."""
    protocol: str
    """`inter.broker.protocol.version`."""
    flushes: bool
    """`log.flush.interval.messages=1`: what is acknowledged survives a power cut of all."""
    producers: int
    rounds: int
    """Of each producer."""
    hasty_producers: int
    """They take acks=1 for an answer, and send nothing again: what they write may be lost."""
    readers: int
    commits: int
    """Commits of positions, and requests for them, of a group whose coordinator moves; 0: there is none."""
    transactions: int
    """Of each of two producers, whose coordinator moves; 0: there are none."""
    moves: bool
    """Whether somebody moves partitions and has leaders elected meanwhile."""
    unclean_places: tuple[Place, ...]
    faults: int
    trouble_seconds: float
    """Faults happen within these."""
    properties: Mapping[str, object]
    """Of each broker."""

    @property
    def places(self) -> tuple[Place, ...]:
        """The partitions."""
        return tuple((TOPIC, index) for index in range(len(self.assignment)))

    @property
    def node_ids(self) -> range:
        """The brokers."""
        return range(1, self.brokers + 1)


def port_of(node_id: int) -> int:
    """Where a broker listens."""
    return FIRST_PORT + node_id


def drawn(entropy: SeededEntropy) -> ClusterScenario:
    """One scenario."""
    brokers = entropy.one_of((3, 3, 3, 4, 5))
    partitions = 1 + entropy.below(3)
    first = entropy.below(brokers)
    assignment = tuple(
        tuple(1 + (first + index + step) % brokers for step in range(REPLICAS))
        for index in range(partitions)
    )
    flushes = entropy.chance(0.3)
    properties: dict[str, object] = {
        "min.insync.replicas": MIN_ISR,
        "replica.lag.time.max.ms": entropy.one_of((1_500, 3_000)),
        "replica.fetch.wait.max.ms": entropy.one_of((50, 500)),
        "replica.fetch.backoff.ms": entropy.one_of((50, 500)),
        "replica.fetch.max.bytes": entropy.one_of((500, 1 << 20)),
        "replica.high.watermark.checkpoint.interval.ms": entropy.one_of((200, 5_000)),
        "log.roll.ms": entropy.one_of((2_000, 604_800_000)),
        "controlled.shutdown.enable": entropy.chance(0.7),
        "offsets.topic.num.partitions": 1,
        "transaction.state.log.num.partitions": 1,
        "transaction.abort.timed.out.transaction.cleanup.interval.ms": 1_000,
    }
    if flushes:
        properties["log.flush.interval.messages"] = 1
    return ClusterScenario(
        brokers=brokers,
        assignment=assignment,
        protocol=entropy.one_of(_PROTOCOLS),
        flushes=flushes,
        producers=1 + entropy.below(2),
        rounds=20 + entropy.below(40),
        hasty_producers=entropy.below(2),
        readers=1 + entropy.below(2),
        moves=entropy.chance(0.5),
        unclean_places=((UNCLEAN_TOPIC, 0),) if entropy.chance(0.3) else (),
        faults=6 + entropy.below(20),
        trouble_seconds=entropy.between(20.0, 60.0),
        properties=properties,
        commits=entropy.one_of((0, 0, 30)),
        transactions=entropy.one_of((0, 0, 12)),
    )
