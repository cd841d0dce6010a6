"""Scripts about the cluster: versions, brokers, coordinators, committed offsets."""

import struct

from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.api_versions import ApiVersionsRequest
from barnabas.protocol.describe_cluster import DescribeClusterRequest
from barnabas.protocol.describe_quorum import (
    DescribeQuorumRequest,
    DescribeQuorumRequestPartition,
    DescribeQuorumRequestTopic,
)
from barnabas.protocol.describe_topic_partitions import (
    Cursor,
    DescribeTopicPartitionsRequest,
    TopicRequest,
)
from barnabas.protocol.find_coordinator import FindCoordinatorRequest
from barnabas.protocol.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from barnabas.protocol.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopic,
    OffsetFetchRequestTopics,
)
from tests.interop.differential.talk import Talk

STRANGE_ID = bytes(range(1, 17))


def api_versions(talk: Talk) -> None:
    """What is served, and requests that no broker understands."""

    def named(name: str = "differential", version: str = "1.0") -> ApiVersionsRequest:
        return ApiVersionsRequest(client_software_name=name, client_software_version=version)

    for version in range(5):
        talk.ask(f"version {version}", named(), version)
    for label, name in {
        "empty name": "",
        "name with a space": "a b",
        "name that ends in a hyphen": "a-",
        "name that begins with a dot": ".a",
        "name in Greek": "\u03b1",
        "one letter": "a",
        "name with an underscore": "a_b",
    }.items():
        talk.ask(label, named(name), 4)
    talk.ask("empty version", named(version=""), 4)
    for version in (6, 99, -1, 32767):
        talk.ask_raw(f"version {version}", ApiKey.API_VERSIONS, version, b"\0\1\2\3", 0)
    talk.ask_raw("cut short", ApiKey.API_VERSIONS, 3, b"\0\5ab", 3)
    talk.ask_raw("metadata of the future", ApiKey.METADATA, 99, b"", 0)
    talk.ask_raw("produce of the past", ApiKey.PRODUCE, 2, struct.pack(">hii", 1, 1, 0), 2)
    talk.ask_raw("fetch of the past", ApiKey.FETCH, 3, struct.pack(">iiiii", -1, 1, 1, 1, 0), 3)


def describe_cluster(talk: Talk) -> None:
    """Brokers, controllers and neither."""
    for version in (0, 1, 2):
        for operations in (True, False):
            talk.ask(
                f"version {version}, operations {operations}",
                DescribeClusterRequest(include_cluster_authorized_operations=operations),
                version,
            )
    for kind in (2, 3, 0):
        talk.ask(
            f"endpoints {kind}",
            DescribeClusterRequest(include_cluster_authorized_operations=False, endpoint_type=kind),
            2,
        )


def describe_quorum(talk: Talk) -> None:
    """The partition of metadata, others, and several at once."""

    def asked(*topics: tuple[str, list[int]]) -> DescribeQuorumRequest:
        return DescribeQuorumRequest(
            topics=[
                DescribeQuorumRequestTopic(
                    topic_name=name,
                    partitions=[
                        DescribeQuorumRequestPartition(partition_index=index) for index in indexes
                    ],
                )
                for name, indexes in topics
            ]
        )

    metadata = "__cluster_metadata"
    for version in range(3):
        for label, request in {
            "known": asked((metadata, [0])),
            "another partition": asked((metadata, [1])),
            "no partition": asked((metadata, [])),
            "two partitions": asked((metadata, [0, 1])),
            "a partition twice": asked((metadata, [0, 0])),
            "another topic": asked((talk.topic("dogs"), [0])),
            "two topics": asked((metadata, [0]), (talk.topic("dogs"), [0])),
            "a topic twice": asked((metadata, [0]), (metadata, [0])),
            "no topic": asked(),
        }.items():
            talk.ask(f"{label}, {version}", request, version)
    _hide_elections(talk)


def _hide_elections(talk: Talk) -> None:
    """Replace epochs of a leader: a Kafka on a busy machine elects itself more than once."""
    for answer in talk.answers.values():
        for topic in answer["topics"]:
            for partition in topic["partitions"]:
                if partition.get("leader_epoch", 0) > 0:
                    partition["leader_epoch"] = "of an election"


def describe_topic_partitions(talk: Talk) -> None:
    """Pages of partitions (KIP-966)."""
    talk.create("a", partitions=3)
    talk.create("b", partitions=2)
    names = [talk.topic("a"), talk.topic("b")]

    def asked(
        limit: int, cursor: Cursor | None = None, names: list[str] = names
    ) -> DescribeTopicPartitionsRequest:
        return DescribeTopicPartitionsRequest(
            topics=[TopicRequest(name=name) for name in names],
            response_partition_limit=limit,
            cursor=cursor,
        )

    talk.ask("all", asked(2000), 0)
    talk.ask("two", asked(2), 0)
    talk.ask("from the cursor", asked(2, Cursor(topic_name=names[0], partition_index=2)), 0)
    talk.ask("from the next topic", asked(9, Cursor(topic_name=names[1], partition_index=0)), 0)
    talk.ask("cursor behind", asked(9, Cursor(topic_name=names[0], partition_index=9)), 0)
    talk.ask("cursor of nothing", asked(9, Cursor(topic_name="zzz", partition_index=0)), 0)
    talk.ask("negative cursor", asked(9, Cursor(topic_name=names[0], partition_index=-1)), 0)
    talk.ask("unknown", asked(9, None, [talk.topic("gone"), names[0]]), 0)
    talk.ask("illegal", asked(9, None, ["a b"]), 0)
    talk.ask("twice", asked(9, None, [names[1], names[1]]), 0)
    talk.ask("no room", asked(0), 0)
    talk.ask("negative room", asked(-1), 0)


def find_coordinator(talk: Talk) -> None:
    """Groups, and keys of unknown types."""
    ask = FindCoordinatorRequest(key="g", key_type=0)
    talk.wait(ask, 2, lambda response: response.error_code == 0)
    for version in range(4):
        talk.ask(f"group in {version}", ask, version)
    for version in (4, 5, 6):
        several = FindCoordinatorRequest(key_type=0, coordinator_keys=["g", "h", ""])
        talk.ask(f"groups in {version}", several, version)
        talk.ask(
            f"share in {version}",
            FindCoordinatorRequest(key_type=2, coordinator_keys=["x"]),
            version,
        )
        talk.ask(
            f"no type in {version}",
            FindCoordinatorRequest(key_type=9, coordinator_keys=["x"]),
            version,
        )
    talk.ask("no type", FindCoordinatorRequest(key="g", key_type=9), 2)
    talk.ask("empty group", FindCoordinatorRequest(key="", key_type=0), 2)
    talk.ask("empty group in 0", FindCoordinatorRequest(key=""), 0)
    talk.ask("no keys", FindCoordinatorRequest(key_type=0, coordinator_keys=[]), 4)


def offsets_of_a_group(talk: Talk) -> None:
    """Offsets kept for a group without members."""
    topic_id = talk.create("t", partitions=3)
    name, gone = talk.topic("t"), talk.topic("gone")
    coordinator = FindCoordinatorRequest(key=talk.topic("g"), key_type=0)
    talk.wait(coordinator, 2, lambda response: response.error_code == 0)

    def kept(
        offset: int,
        *,
        to: str | bytes = name,
        partition: int = 0,
        group: str = "g",
        generation: int = -1,
        member: str = "",
        metadata: str | None = "note",
    ) -> OffsetCommitRequest:
        one = OffsetCommitRequestPartition(
            partition_index=partition,
            committed_offset=offset,
            committed_leader_epoch=0,
            committed_metadata=metadata,
        )
        topic = (
            OffsetCommitRequestTopic(name=to, partitions=[one])
            if isinstance(to, str)
            else OffsetCommitRequestTopic(topic_id=to, partitions=[one])
        )
        return OffsetCommitRequest(
            group_id=talk.topic(group) if group else "",
            generation_id_or_member_epoch=generation,
            member_id=member,
            topics=[topic],
        )

    talk.wait(kept(1), 9, lambda response: response.topics[0].partitions[0].error_code == 0)
    for version in range(2, 11):
        by_id = version >= 10
        here, there = (topic_id, STRANGE_ID) if by_id else (name, gone)
        talk.ask(f"kept in {version}", kept(version, to=here), version)
        talk.ask(f"unknown topic in {version}", kept(4, to=there), version)
        talk.ask(f"unknown partition in {version}", kept(4, to=here, partition=9), version)
        talk.ask(f"generation in {version}", kept(4, to=here, generation=3), version)
        talk.ask(f"member in {version}", kept(4, to=here, member="m"), version)
        talk.ask(
            f"generation of no group in {version}",
            kept(4, to=here, group="none", generation=3, member="m"),
            version,
        )
    for label, asked in {
        "negative": kept(-1, partition=1),
        "without a note": kept(5, partition=1, metadata=None),
        "long note": kept(5, partition=1, metadata="x" * 5000),
        "no group": kept(5, group=""),
    }.items():
        talk.ask(label, asked, 9)
    _read_one_group(talk, name, gone)
    for version in (8, 9, 10):
        _read_groups(talk, version, topic_id)


def _read_one_group(talk: Talk, name: str, gone: str) -> None:
    older = [OffsetFetchRequestTopic(name=name, partition_indexes=[0, 1, 2, 9])]
    unknown = [OffsetFetchRequestTopic(name=gone, partition_indexes=[0])]
    for version in range(1, 8):
        for label, topics in {"read": older, "unknown": unknown, "nothing": []}.items():
            request = OffsetFetchRequest(group_id=talk.topic("g"), topics=topics)
            talk.ask(f"{label} in {version}", request, version)
        nobody = OffsetFetchRequest(group_id=talk.topic("nobody"), topics=older)
        talk.ask(f"read of nobody in {version}", nobody, version)
        if version >= 2:
            every = OffsetFetchRequest(group_id=talk.topic("g"), topics=None)
            talk.ask(f"everything in {version}", every, version)


def _read_groups(talk: Talk, version: int, topic_id: bytes) -> None:
    def topics(name: str, known: bytes) -> list[OffsetFetchRequestTopics]:
        return [OffsetFetchRequestTopics(name=name, topic_id=known, partition_indexes=[0, 1, 2, 9])]

    mine = topics(talk.topic("t"), topic_id)
    strange = topics(talk.topic("gone"), STRANGE_ID)

    def group(
        name: str,
        topics: list[OffsetFetchRequestTopics] | None,
        *,
        member: str | None = None,
        epoch: int = -1,
    ) -> OffsetFetchRequestGroup:
        called = talk.topic(name) if name else ""
        return OffsetFetchRequestGroup(
            group_id=called, topics=topics, member_id=member, member_epoch=epoch
        )

    for label, groups in {
        "groups": [group("g", mine), group("nobody", mine)],
        "everything of groups": [group("g", None), group("nobody", None)],
        "strange topics": [group("g", strange)],
        "no topics": [group("g", [])],
        "no groups": [],
        "nameless group": [group("", mine)],
        "as a member": [group("g", mine, member="m", epoch=1)],
        "as a member of nothing": [group("nobody", mine, member="m", epoch=1)],
    }.items():
        talk.ask(f"{label} in {version}", OffsetFetchRequest(groups=groups), version)


SCENARIOS = (
    api_versions,
    describe_cluster,
    describe_quorum,
    describe_topic_partitions,
    find_coordinator,
    offsets_of_a_group,
)
