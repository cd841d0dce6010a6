"""Scripts about where partitions are: log directories, elections, reassignments."""

from barnabas.protocol.alter_partition_reassignments import (
    AlterPartitionReassignmentsRequest,
    ReassignablePartition,
    ReassignableTopic,
)
from barnabas.protocol.alter_replica_log_dirs import (
    AlterReplicaLogDir,
    AlterReplicaLogDirsRequest,
    AlterReplicaLogDirTopic,
)
from barnabas.protocol.describe_log_dirs import DescribableLogDirTopic, DescribeLogDirsRequest
from barnabas.protocol.elect_leaders import ElectLeadersRequest, TopicPartitions
from barnabas.protocol.list_partition_reassignments import (
    ListPartitionReassignmentsRequest,
    ListPartitionReassignmentsTopics,
)
from tests.interop.differential.talk import Talk

PREFERRED, UNCLEAN = 0, 1


def describe_log_dirs(talk: Talk) -> None:
    """Some partitions, and those there are not."""
    talk.create("t", partitions=2)
    name, gone = talk.topic("t"), talk.topic("gone")

    def asked(*topics: tuple[str, list[int]]) -> DescribeLogDirsRequest:
        rows = [DescribableLogDirTopic(topic=one, partitions=indexes) for one, indexes in topics]
        return DescribeLogDirsRequest(topics=rows)

    for version in (1, 2, 3, 4, 5):
        talk.ask(f"version {version}", asked((name, [0, 1])), version)
    talk.ask("one", asked((name, [1])), 4)
    talk.ask("unknown partition", asked((name, [1, 9])), 4)
    talk.ask("unknown topic", asked((gone, [0])), 4)
    talk.ask("illegal topic", asked(("a b", [0])), 4)
    talk.ask("no partitions", asked((name, [])), 4)
    talk.ask("no topics", asked(), 4)
    talk.ask("twice a partition", asked((name, [0, 0])), 4)
    talk.ask("twice a topic", asked((name, [0]), (name, [1])), 4)
    everything = talk.wait(DescribeLogDirsRequest(topics=None), 4, lambda _: True)
    talk.answers["all"] = [
        (topic.name, sorted(one.partition_index for one in topic.partitions))
        for result in everything.results
        for topic in result.topics
        if topic.name == name
    ]
    talk.answers["sizes"] = all(
        one.total_bytes > one.usable_bytes > 0 for one in everything.results
    )


def alter_replica_log_dirs(talk: Talk) -> None:
    """A move within one broker: to where the replica is, and to nowhere."""
    talk.create("t", partitions=2)
    name, gone = talk.topic("t"), talk.topic("gone")
    (here,) = talk.wait(
        DescribeLogDirsRequest(topics=[]), 4, lambda response: response.results
    ).results

    def moved(path: str, *topics: tuple[str, list[int]]) -> AlterReplicaLogDirsRequest:
        rows = [AlterReplicaLogDirTopic(name=one, partitions=indexes) for one, indexes in topics]
        return AlterReplicaLogDirsRequest(dirs=[AlterReplicaLogDir(path=path, topics=rows)])

    for version in (1, 2):
        talk.ask(f"here in {version}", moved(here.log_dir, (name, [0, 1])), version)
    talk.ask("unknown directory", moved("/no/such/directory", (name, [0])), 2)
    talk.ask("relative directory", moved("data", (name, [0])), 2)
    talk.ask("empty directory", moved("", (name, [0])), 2)
    talk.ask("unknown partition", moved(here.log_dir, (name, [9])), 2)
    talk.ask("unknown topic", moved(here.log_dir, (gone, [0])), 2)
    talk.ask("unknown topic and directory", moved("/no/such", (gone, [0])), 2)
    talk.ask("illegal topic", moved(here.log_dir, ("a b", [0])), 2)
    talk.ask("nothing", AlterReplicaLogDirsRequest(dirs=[]), 2)


def elect_leaders(talk: Talk) -> None:
    """Elections where there is one candidate, who is elected already."""
    talk.create("t", partitions=2)
    name, gone = talk.topic("t"), talk.topic("gone")

    def asked(*topics: tuple[str, list[int]], kind: int = PREFERRED) -> ElectLeadersRequest:
        rows = [TopicPartitions(topic=one, partitions=indexes) for one, indexes in topics]
        return ElectLeadersRequest(election_type=kind, topic_partitions=rows)

    for version in (0, 1, 2):
        talk.ask(f"version {version}", asked((name, [0, 1])), version)
    for kind in (PREFERRED, UNCLEAN):
        talk.ask(f"known, {kind}", asked((name, [0, 1]), kind=kind), 2)
        talk.ask(f"unknown partition, {kind}", asked((name, [0, 9]), kind=kind), 2)
        talk.ask(f"negative partition, {kind}", asked((name, [-1]), kind=kind), 2)
        talk.ask(f"unknown topic, {kind}", asked((gone, [0]), kind=kind), 2)
        talk.ask(f"illegal topic, {kind}", asked(("a b", [0]), kind=kind), 2)
        talk.ask(f"no topics, {kind}", asked(kind=kind), 2)
        for version in (1, 2):
            everything = ElectLeadersRequest(election_type=kind, topic_partitions=None)
            response = talk.wait(everything, version, lambda _: True)
            mine = [one for one in response.replica_election_results if one.topic == name]
            talk.answers[f"all, {kind}, in {version}"] = [len(one.partition_result) for one in mine]
    talk.ask("twice a partition", asked((name, [0, 0])), 2)
    talk.ask("twice a topic", asked((name, [0]), (name, [0, 1])), 2)
    talk.ask("unknown kind", asked((name, [0]), kind=7), 2)


def reassignments(talk: Talk) -> None:
    """Moves to the only broker, to strangers, and calling off what does not go on."""
    talk.create("t", partitions=2)
    name, gone = talk.topic("t"), talk.topic("gone")

    def moved(
        *replicas: list[int] | None, topic: str = name, first: int = 0, may_change: bool = True
    ) -> AlterPartitionReassignmentsRequest:
        rows = [
            ReassignablePartition(partition_index=index, replicas=one)
            for index, one in enumerate(replicas, first)
        ]
        return AlterPartitionReassignmentsRequest(
            topics=[ReassignableTopic(name=topic, partitions=rows)],
            allow_replication_factor_change=may_change,
        )

    cases = {
        "where it is": moved([1]),
        "all where they are": moved([1], [1]),
        "fixed number": moved([1], may_change=False),
        "fixed number, another": moved([1, 2], may_change=False),
        "to a stranger": moved([7]),
        "to more": moved([1, 7]),
        "to nobody": moved([]),
        "to one twice": moved([1, 1]),
        "to a negative one": moved([-1]),
        "called off": moved(None),
        "called off for all": moved(None, None),
        "good and bad": moved([1], [7]),
        "unknown partition": moved([1], first=9),
        "unknown partition called off": moved(None, first=9),
        "unknown topic": moved([1], topic=gone),
        "unknown topic called off": moved(None, topic=gone),
        "illegal topic": moved([1], topic="a b"),
        "no partitions": moved(),
        "nothing": AlterPartitionReassignmentsRequest(topics=[]),
    }
    for label, request in cases.items():
        for version in (0, 1):
            talk.ask(f"{label} in {version}", request, version)
    twice = moved([1]).topics + moved([1]).topics
    talk.ask("twice", AlterPartitionReassignmentsRequest(topics=twice), 1)
    for label, topics in {
        "listed": [(name, [0, 1])],
        "listed, unknown partition": [(name, [9])],
        "listed, unknown topic": [(gone, [0])],
        "listed, illegal topic": [("a b", [0])],
        "listed, nothing": [],
    }.items():
        listed = [
            ListPartitionReassignmentsTopics(name=one, partition_indexes=indexes)
            for one, indexes in topics
        ]
        talk.ask(label, ListPartitionReassignmentsRequest(topics=listed), 0)
    talk.ask("listed, all", ListPartitionReassignmentsRequest(topics=None), 0)


SCENARIOS = (describe_log_dirs, alter_replica_log_dirs, elect_leaders, reassignments)
