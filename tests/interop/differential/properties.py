"""Scripts about the properties of topics: which there are, what they may be, what goes together."""

import re
from collections.abc import Iterable, Mapping

from barnabas.protocol.alter_configs import (
    AlterableConfig,
    AlterConfigsRequest,
    AlterConfigsResource,
)
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.create_topics import (
    CreatableTopic,
    CreatableTopicConfig,
    CreateTopicsRequest,
)
from barnabas.protocol.describe_configs import DescribeConfigsRequest, DescribeConfigsResource
from tests.interop.differential.past import PastTalk
from tests.interop.differential.talk import Talk

TOPIC, BROKER, CLIENT_METRICS, GROUP = 2, 4, 16, 32

_VALUES: Mapping[str, tuple[str, ...]] = {
    "cleanup.policy": ("compact", "compact,delete", "burn", "compact,burn"),
    "compression.gzip.level": ("1", "0", "10"),
    "compression.type": ("lz4", "zstd", "lzo"),
    "flush.messages": ("0",),
    "follower.replication.throttled.replicas": ("*", "0:1,1:1", "abc", "0-1"),
    "leader.replication.throttled.replicas": ("*", "", "0:1", "abc", "0:1:2", "0:b", "*,0:1"),
    "local.retention.bytes": ("-2", "-3"),
    "local.retention.ms": ("1000", "-3"),
    "max.compaction.lag.ms": ("1", "0"),
    "message.downconversion.enable": ("false", "maybe"),
    "message.format.version": ("0.10.0", "0.9.0", "0.8.0", "9.9"),
    "message.timestamp.after.max.ms": ("1000",),
    "message.timestamp.difference.max.ms": ("1000", "-1"),
    "message.timestamp.type": ("LogAppendTime", "Noon"),
    "min.cleanable.dirty.ratio": ("0.1", "1.1"),
    "min.compaction.lag.ms": ("10", "-1"),
    "min.insync.replicas": ("2", "0"),
    "no.such": ("1",),
    "preallocate": ("true",),
    "remote.log.copy.disable": ("false",),
    "remote.storage.enable": ("false", "true"),
    "retention.bytes": ("-1", "-2"),
    "retention.ms": ("-1", "-2", "soon"),
    "segment.bytes": ("14", "13", "1048576"),
    "unclean.leader.election.enable": ("true",),
}
_TOGETHER: Mapping[str, Mapping[str, str]] = {
    "lags that leave no time": {"min.compaction.lag.ms": "20", "max.compaction.lag.ms": "10"},
    "lags that leave time": {"min.compaction.lag.ms": "10", "max.compaction.lag.ms": "20"},
    "equal lags": {"min.compaction.lag.ms": "10", "max.compaction.lag.ms": "10"},
    "kept longer here than at all": {"retention.ms": "10", "local.retention.ms": "20"},
    "larger here than at all": {"retention.bytes": "10", "local.retention.bytes": "20"},
}


def topic_properties(talk: Talk) -> None:
    """Asked of the newest Kafka."""
    talk.create("altered")
    _asked(talk, talk.topic("altered"), 7, range(1))


def documentation(talk: Talk) -> None:
    """The words with which the documentation of properties begins, which tools look for."""
    talk.create("dogs")
    resources = {TOPIC: talk.topic("dogs"), GROUP: "g", CLIENT_METRICS: "m", BROKER: "1"}
    for kind, name in resources.items():
        asked = DescribeConfigsResource(
            resource_type=kind,
            resource_name=name,
            configuration_keys=["log.cleanup.policy"] if kind == BROKER else None,
        )
        request = DescribeConfigsRequest(resources=[asked], include_documentation=True)
        (recorded,) = talk.wait(request, 4, lambda _: True).results
        assert recorded.configs
        talk.answers[str(kind)] = {
            one.name: re.sub(r"<.*?>|[:,]", "", one.documentation).split()[:3]
            for one in recorded.configs
        }


def past_topic_properties(talk: PastTalk) -> None:
    """Asked of a release that can be configured to make topics."""
    if ApiKey.CREATE_TOPICS not in talk.apis:
        return
    created = max(talk.versions(ApiKey.CREATE_TOPICS, 4))
    alters = talk.versions(ApiKey.ALTER_CONFIGS, 0)
    name = talk.made("altered")
    _asked(talk, name, created, alters)
    for version in talk.versions(ApiKey.DESCRIBE_CONFIGS, 3):
        talk.ask(f"described in {version}", _all(name), version)


def _asked(talk: Talk, altered: str, created: int, alters: Iterable[int]) -> None:
    cases: dict[str, Mapping[str, str]] = {
        f"{name}={value!r}": {name: value} for name, values in _VALUES.items() for value in values
    }
    versions = list(alters)
    for number, (label, config) in enumerate({**cases, **_TOGETHER}.items()):
        topic = CreatableTopic(
            name=talk.topic(f"made-{number}"),
            num_partitions=1,
            replication_factor=1,
            assignments=[],
            configs=[CreatableTopicConfig(name=name, value=config[name]) for name in config],
        )
        request = CreateTopicsRequest(topics=[topic], timeout_ms=10_000, validate_only=True)
        response = talk.wait(request, created, lambda _: True)
        talk.answers[f"{label}, created"] = response.topics[0].error_code
        changes = [AlterableConfig(name=name, value=config[name]) for name in config]
        resource = AlterConfigsResource(resource_type=TOPIC, resource_name=altered, configs=changes)
        for version in versions:
            change = AlterConfigsRequest(resources=[resource], validate_only=True)
            talk.ask(f"{label}, altered in {version}", change, version)


def _all(name: str) -> DescribeConfigsRequest:
    one = DescribeConfigsResource(resource_type=TOPIC, resource_name=name, configuration_keys=None)
    return DescribeConfigsRequest(resources=[one], include_synonyms=False)
