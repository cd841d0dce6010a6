"""Scripts about topics and their properties."""

from collections.abc import Sequence

from barnabas.protocol.alter_configs import (
    AlterableConfig,
    AlterConfigsRequest,
    AlterConfigsResource,
)
from barnabas.protocol.create_partitions import (
    CreatePartitionsAssignment,
    CreatePartitionsRequest,
    CreatePartitionsTopic,
)
from barnabas.protocol.create_topics import (
    CreatableReplicaAssignment,
    CreatableTopic,
    CreatableTopicConfig,
    CreateTopicsRequest,
)
from barnabas.protocol.delete_topics import DeleteTopicsRequest, DeleteTopicState
from barnabas.protocol.describe_configs import DescribeConfigsRequest, DescribeConfigsResource
from barnabas.protocol.incremental_alter_configs import AlterableConfig as ConfigChange
from barnabas.protocol.incremental_alter_configs import AlterConfigsResource as ChangedResource
from barnabas.protocol.incremental_alter_configs import IncrementalAlterConfigsRequest
from barnabas.protocol.metadata import MetadataRequest, MetadataRequestTopic
from barnabas.wire.schema import NO_UUID
from tests.interop.differential.talk import SILENCE_SECONDS, Talk, codes
from tests.interop.raw import ANSWER_SECONDS

TOPIC, BROKER, GROUP, CLIENT_METRICS, LOGGER = 2, 4, 32, 16, 8
STRANGE_ID = bytes(range(1, 17))


def _wanted(
    name: str,
    partitions: int = 1,
    replicas: int = 1,
    *,
    assigned: Sequence[tuple[int, list[int]]] = (),
    config: Sequence[tuple[str, str | None]] = (),
) -> CreatableTopic:
    return CreatableTopic(
        name=name,
        num_partitions=partitions,
        replication_factor=replicas,
        assignments=[
            CreatableReplicaAssignment(partition_index=index, broker_ids=brokers)
            for index, brokers in assigned
        ],
        configs=[CreatableTopicConfig(name=key, value=value) for key, value in config],
    )


def create_topics(talk: Talk) -> None:
    """Each way to ask for a topic, alone and in one request."""
    talk.create("there")
    talk.create("collides.with")
    name = talk.topic
    asked = {
        "good": _wanted(name("good"), 2),
        "exists": _wanted(name("there")),
        "exists with another fault": _wanted(name("there"), 0),
        "empty name": _wanted(""),
        "illegal name": _wanted("no spaces"),
        "dots": _wanted(".."),
        "long name": _wanted("x" * 250),
        "collision": _wanted(name("collides_with")),
        "no partitions": _wanted(name("a"), 0),
        "negative partitions": _wanted(name("a"), -2),
        "no replicas": _wanted(name("a"), 1, 0),
        "negative replicas": _wanted(name("a"), 1, -2),
        "two replicas": _wanted(name("a"), 1, 2),
        "defaults": _wanted(name("defaults"), -1, -1),
        "assigned": _wanted(name("assigned"), -1, -1, assigned=[(0, [1]), (1, [1])]),
        "assigned and counted": _wanted(name("a"), 2, 1, assigned=[(0, [1]), (1, [1])]),
        "assigned with a gap": _wanted(name("a"), -1, -1, assigned=[(0, [1]), (2, [1])]),
        "assigned twice": _wanted(name("a"), -1, -1, assigned=[(0, [1]), (0, [1])]),
        "assigned to a stranger": _wanted(name("a"), -1, -1, assigned=[(0, [99])]),
        "assigned to nobody": _wanted(name("a"), -1, -1, assigned=[(0, [])]),
        "assigned to one broker twice": _wanted(name("a"), -1, -1, assigned=[(0, [1, 1])]),
        "unknown property": _wanted(name("a"), config=[("no.such", "1")]),
        "bad value": _wanted(name("a"), config=[("retention.ms", "soon")]),
        "value out of range": _wanted(name("a"), config=[("segment.bytes", "1")]),
        "bad choice": _wanted(name("a"), config=[("cleanup.policy", "burn")]),
        "no value": _wanted(name("a"), config=[("retention.ms", None)]),
        "a property twice": _wanted(
            name("twice"), config=[("retention.ms", "1000"), ("retention.ms", "2000")]
        ),
        "empty list": _wanted(name("empty-policy"), config=[("cleanup.policy", "")]),
        "configured": _wanted(name("configured"), config=[("cleanup.policy", "compact,delete")]),
    }
    for label, topic in asked.items():
        for only in (True, False):
            response = f"{label}, {'validated' if only else 'created'}"
            talk.ask(response, CreateTopicsRequest(topics=[topic], validate_only=only), 7)
    for version in (2, 4, 5):
        talk.ask(
            f"version {version}",
            CreateTopicsRequest(topics=[_wanted(name(f"v{version}"))]),
            version,
        )
    talk.ask("defaults too early", CreateTopicsRequest(topics=[_wanted(name("b"), -1, -1)]), 3)
    twins = [_wanted(name("twin")), _wanted(name("single")), _wanted(name("twin"))]
    talk.ask("a topic twice", CreateTopicsRequest(topics=twins), 7)
    both = [_wanted(name("x.y")), _wanted(name("x_y"))]
    talk.ask("nothing", CreateTopicsRequest(topics=[]), 7)
    talk.ask("internal", CreateTopicsRequest(topics=[_wanted("__cluster_metadata")]), 7)
    response = talk.wait(CreateTopicsRequest(topics=both, validate_only=True), 7, lambda _: True)
    talk.answers["collision in one request"] = sorted(one.error_code for one in response.topics)


def delete_topics(talk: Talk) -> None:
    """By name, by id, and what cannot be."""
    first, second = talk.create("by-name"), talk.create("by-id")
    del first
    gone = talk.topic("gone")
    talk.ask("unknown", DeleteTopicsRequest(topic_names=[gone], timeout_ms=5000), 5)
    talk.ask("illegal name", DeleteTopicsRequest(topic_names=["a b"], timeout_ms=5000), 5)
    cases = {
        "unknown in 6": [DeleteTopicState(name=gone, topic_id=NO_UUID)],
        "unknown id": [DeleteTopicState(topic_id=STRANGE_ID)],
        "neither": [DeleteTopicState(topic_id=NO_UUID)],
        "both": [DeleteTopicState(name=talk.topic("by-name"), topic_id=second)],
        "both and unknown": [DeleteTopicState(name=gone, topic_id=STRANGE_ID)],
        "twice": [DeleteTopicState(name=talk.topic("by-name"), topic_id=NO_UUID)] * 2,
        "id twice": [DeleteTopicState(topic_id=second)] * 2,
        "name and id of one": [
            DeleteTopicState(name=talk.topic("by-id"), topic_id=NO_UUID),
            DeleteTopicState(topic_id=second),
        ],
        "by id": [DeleteTopicState(topic_id=second)],
    }
    for label, topics in cases.items():
        if label == "by id":
            talk.create("by-id-again")
        talk.ask(label, DeleteTopicsRequest(topics=topics, timeout_ms=5000), 6)
    again = talk.settled("by-id-again", 1)
    talk.ask(
        "by id again",
        DeleteTopicsRequest(topics=[DeleteTopicState(topic_id=again)], timeout_ms=5000),
        6,
    )
    for version in (1, 4):
        talk.create(f"v{version}")
        talk.ask(
            f"version {version}",
            DeleteTopicsRequest(topic_names=[talk.topic(f"v{version}"), gone], timeout_ms=5000),
            version,
        )


def create_partitions(talk: Talk) -> None:
    """More, as many and fewer partitions, with and without assignments."""
    talk.create("t", partitions=2)
    name = talk.topic("t")

    def grown(
        count: int, assigned: list[list[int]] | None = None, name: str = name
    ) -> CreatePartitionsTopic:
        recorded = None
        if assigned is not None:
            recorded = [CreatePartitionsAssignment(broker_ids=one) for one in assigned]
        return CreatePartitionsTopic(name=name, count=count, assignments=recorded)

    cases = {
        "same": [grown(2)],
        "fewer": [grown(1)],
        "none": [grown(0)],
        "negative": [grown(-1)],
        "unknown": [grown(3, name=talk.topic("gone"))],
        "illegal name": [grown(3, name="a b")],
        "twice": [grown(3), grown(4)],
        "too few assignments": [grown(4, [[1]])],
        "too many assignments": [grown(3, [[1], [1]])],
        "no assignments": [grown(3, [])],
        "assigned to a stranger": [grown(3, [[7]])],
        "assigned to nobody": [grown(3, [[]])],
        "assigned to one twice": [grown(3, [[1, 1]])],
        "assigned to more": [grown(3, [[1, 2]])],
    }
    for label, topics in cases.items():
        for only in (True, False):
            request = CreatePartitionsRequest(topics=topics, timeout_ms=5000, validate_only=only)
            talk.ask(f"{label}, {'validated' if only else 'done'}", request, 3)
    for label, wanted, version in [("more", grown(3), 0), ("assigned", grown(4, [[1]]), 2)]:
        request = CreatePartitionsRequest(topics=[wanted], timeout_ms=5000, validate_only=False)
        talk.ask(label, request, version)
        talk.settled("t", wanted.count)


def describe_configs(talk: Talk) -> None:
    """Resources there are and are not; values and where they come from."""
    talk.create("t", config={"cleanup.policy": "compact", "segment.bytes": "2000000"})

    def asked(kind: int, name: str, keys: list[str] | None = None) -> DescribeConfigsRequest:
        one = DescribeConfigsResource(
            resource_type=kind, resource_name=name, configuration_keys=keys
        )
        return DescribeConfigsRequest(
            resources=[one], include_synonyms=True, include_documentation=False
        )

    topic = talk.topic("t")
    talk.ask("topic", asked(TOPIC, topic), 4)
    for version in (1, 2, 3):
        talk.ask(f"topic in {version}", asked(TOPIC, topic, ["retention.ms"]), version)
    talk.create("plain", config={"retention.ms": "604800000"})
    talk.ask("some", asked(TOPIC, topic, ["retention.ms", "no.such", "segment.bytes"]), 4)
    talk.ask("no keys", asked(TOPIC, topic, []), 4)
    talk.ask("unknown topic", asked(TOPIC, talk.topic("gone")), 4)
    talk.ask("illegal topic", asked(TOPIC, "a b"), 4)
    talk.ask("empty topic", asked(TOPIC, ""), 4)
    talk.ask("broker", asked(BROKER, "1", ["num.partitions", "log.retention.hours"]), 4)
    talk.ask("all brokers", asked(BROKER, ""), 4)
    talk.ask("another broker", asked(BROKER, "7"), 4)
    talk.ask("broker that is no number", asked(BROKER, "one"), 4)
    talk.ask("unknown type", asked(99, "x"), 4)
    same = DescribeConfigsResource(resource_type=TOPIC, resource_name=topic, configuration_keys=[])
    talk.ask("twice", DescribeConfigsRequest(resources=[same, same]), 4)


def alter_configs(talk: Talk) -> None:
    """All properties at once."""
    talk.create("t", config={"segment.bytes": "2000000"})

    def changed(
        pairs: Sequence[tuple[str, str | None]], name: str = talk.topic("t"), kind: int = TOPIC
    ) -> AlterConfigsResource:
        return AlterConfigsResource(
            resource_type=kind,
            resource_name=name,
            configs=[AlterableConfig(name=key, value=value) for key, value in pairs],
        )

    good = changed([("max.message.bytes", "2000")])
    cases = {
        "good": [good],
        "unknown property": [changed([("no.such", "1")])],
        "bad value": [changed([("retention.ms", "soon")])],
        "no value": [changed([("retention.ms", None)])],
        "twice a property": [changed([("retention.ms", "1"), ("retention.ms", "2")])],
        "twice": [good, good],
        "unknown topic": [changed([], talk.topic("gone"))],
        "illegal topic": [changed([], "a b")],
        "unknown type": [changed([], "x", 99)],
        "another broker": [changed([("log.cleaner.threads", "1")], "7", BROKER)],
        "broker, read-only": [changed([("broker.id", "9")], "1", BROKER)],
    }
    for label, resources in cases.items():
        for only in (True, False):
            request = AlterConfigsRequest(resources=resources, validate_only=only)
            seconds = SILENCE_SECONDS if label == "twice" else ANSWER_SECONDS
            talk.ask(f"{label}, {'validated' if only else 'done'}", request, 2, seconds)
    again = [changed([("max.message.bytes", "3000")])]
    talk.ask("again", AlterConfigsRequest(resources=again, validate_only=False), 2)
    _describe_t(talk, "max.message.bytes", "3000")


def incremental_alter_configs(talk: Talk) -> None:
    """One property at a time: set, delete, append, subtract."""
    talk.create("t", config={"segment.bytes": "2000000", "cleanup.policy": "delete"})

    def changed(
        changes: Sequence[tuple[str, int, str | None]],
        name: str = talk.topic("t"),
        kind: int = TOPIC,
    ) -> ChangedResource:
        return ChangedResource(
            resource_type=kind,
            resource_name=name,
            configs=[
                ConfigChange(name=key, config_operation=operation, value=value)
                for key, operation, value in changes
            ],
        )

    put, drop, append, subtract = 0, 1, 2, 3
    cases = {
        "set": [changed([("max.message.bytes", put, "2000")])],
        "delete": [changed([("segment.bytes", drop, None)])],
        "delete what is not set": [changed([("flush.ms", drop, None)])],
        "delete what nobody knows": [changed([("no.such", drop, None)])],
        "append": [changed([("cleanup.policy", append, "compact")])],
        "append what is there": [changed([("cleanup.policy", append, "compact")])],
        "subtract": [changed([("cleanup.policy", subtract, "delete")])],
        "subtract what is not there": [changed([("cleanup.policy", subtract, "delete")])],
        "append to no list": [changed([("retention.ms", append, "1")])],
        "append to what nobody knows": [changed([("no.such", append, "1")])],
        "unknown property": [changed([("no.such", put, "1")])],
        "bad value": [changed([("retention.ms", put, "soon")])],
        "no value": [changed([("retention.ms", put, None)])],
        "unknown operation": [changed([("retention.ms", 9, "1")])],
        "twice a property": [changed([("retention.ms", put, "1"), ("retention.ms", drop, None)])],
        "twice": [changed([("flush.ms", put, "9")])] * 2,
        "unknown topic": [changed([("flush.ms", put, "9")], talk.topic("gone"))],
        "illegal topic": [changed([("flush.ms", put, "9")], "a b")],
        "unknown type": [changed([("flush.ms", put, "9")], "x", 99)],
        "another broker": [changed([("log.cleaner.threads", put, "1")], "7", BROKER)],
        "broker, read-only": [changed([("broker.id", put, "9")], "1", BROKER)],
        "nothing": [changed([])],
        "no resources": [],
    }
    for label, resources in cases.items():
        for only in (True, False):
            request = IncrementalAlterConfigsRequest(resources=resources, validate_only=only)
            talk.ask(f"{label}, {'validated' if only else 'done'}", request, 1)
    again = [changed([("max.message.bytes", put, "3000")])]
    request = IncrementalAlterConfigsRequest(resources=again, validate_only=False)
    talk.ask("again", request, 1)
    _describe_t(talk, "max.message.bytes", "3000")


def _describe_t(talk: Talk, name: str, value: str) -> None:
    """Wait until the topic t has a value, then keep all that is returned about it."""
    one = DescribeConfigsResource(
        resource_type=TOPIC, resource_name=talk.topic("t"), configuration_keys=None
    )
    request = DescribeConfigsRequest(resources=[one], include_synonyms=True)
    talk.wait(
        request,
        4,
        lambda response: any(
            (c.name, c.value) == (name, value) for c in response.results[0].configs
        ),
    )
    talk.ask("what it is now", request, 4)


def metadata(talk: Talk) -> None:
    """Topics by name and id, known and not, made on first use or not."""
    topic_id = talk.create("t", partitions=3)

    def named(*names: str, create: bool = False) -> MetadataRequest:
        return MetadataRequest(
            topics=[MetadataRequestTopic(name=name) for name in names],
            allow_auto_topic_creation=create,
            include_topic_authorized_operations=True,
            include_cluster_authorized_operations=True,
        )

    for version in (0, 1, 4, 5, 7, 8, 9, 10, 11, 12, 13):
        talk.ask(f"named in {version}", named(talk.topic("t"), create=version < 4), version)
    talk.ask("unknown", named(talk.topic("gone")), 12)
    talk.ask("illegal", named("a b"), 12)
    talk.ask("illegal, to be made", named("a b", create=True), 12)
    talk.ask("reserved, to be made", named("__cluster_metadata", create=True), 12)
    talk.create("of.rome")
    talk.ask("collision, to be made", named(talk.topic("of_rome"), create=True), 12)
    talk.ask("empty", named(""), 12)
    talk.ask("twice", named(talk.topic("t"), talk.topic("t")), 12)
    talk.ask("none", MetadataRequest(topics=[]), 12)
    talk.ask(
        "by id", MetadataRequest(topics=[MetadataRequestTopic(topic_id=topic_id, name=None)]), 12
    )
    strange = [MetadataRequestTopic(topic_id=STRANGE_ID, name=None)]
    talk.ask("unknown id", MetadataRequest(topics=strange), 12)
    both = [MetadataRequestTopic(topic_id=topic_id, name=talk.topic("t"))]
    talk.ask("name and id", MetadataRequest(topics=both), 12)
    nothing = [MetadataRequestTopic(topic_id=NO_UUID, name=None)]
    talk.ask("neither", MetadataRequest(topics=nothing), 12)
    talk.ask("null name in 10", MetadataRequest(topics=strange), 10)
    talk.wait(named(talk.topic("made"), create=True), 12, lambda response: not codes(response))
    talk.settled("made", 1)
    talk.ask("made on first use", named(talk.topic("made")), 12)
    everything = talk.wait(MetadataRequest(topics=None), 12, lambda _: True)
    mine = sorted(t.name for t in everything.topics if t.name.startswith(talk.topic("")))
    talk.answers["all"] = mine


SCENARIOS = (
    create_topics,
    delete_topics,
    create_partitions,
    describe_configs,
    alter_configs,
    incremental_alter_configs,
    metadata,
)
