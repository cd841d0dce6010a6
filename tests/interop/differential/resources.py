"""Scripts about what has properties besides topics: brokers, client metrics, groups, features."""

from collections.abc import Mapping

from barnabas.protocol.describe_configs import DescribeConfigsRequest, DescribeConfigsResource
from barnabas.protocol.get_telemetry_subscriptions import GetTelemetrySubscriptionsRequest
from barnabas.protocol.incremental_alter_configs import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
)
from barnabas.protocol.list_config_resources import ListConfigResourcesRequest
from barnabas.protocol.push_telemetry import PushTelemetryRequest
from barnabas.protocol.update_features import FeatureUpdateKey, UpdateFeaturesRequest
from tests.interop.differential.talk import Talk

TOPIC, BROKER, LOGGER, CLIENT_METRICS, GROUP = 2, 4, 8, 16, 32
SET, DELETE, APPEND, SUBTRACT = range(4)


def changed(
    kind: int, name: str, *changes: tuple[str, int, str | None], validate_only: bool = False
) -> IncrementalAlterConfigsRequest:
    return IncrementalAlterConfigsRequest(
        resources=[
            AlterConfigsResource(
                resource_type=kind,
                resource_name=name,
                configs=[
                    AlterableConfig(name=key, config_operation=how, value=value)
                    for key, how, value in changes
                ],
            )
        ],
        validate_only=validate_only,
    )


def described(kind: int, name: str, keys: list[str] | None = None) -> DescribeConfigsRequest:
    one = DescribeConfigsResource(resource_type=kind, resource_name=name, configuration_keys=keys)
    return DescribeConfigsRequest(resources=[one], include_synonyms=True)


def _validated_then_done(talk: Talk, cases: Mapping[str, IncrementalAlterConfigsRequest]) -> None:
    for label, request in cases.items():
        request.validate_only = True
        talk.ask(f"{label}, validated", request, 1)
        request.validate_only = False
        talk.ask(label, request, 1)


def update_features(talk: Talk) -> None:
    """Levels that are, and levels that cannot be."""

    def asked(
        feature: str, level: int, kind: int = 1, *, only: bool = True, downgrade: bool = False
    ) -> UpdateFeaturesRequest:
        return UpdateFeaturesRequest(
            feature_updates=[
                FeatureUpdateKey(
                    feature=feature,
                    max_version_level=level,
                    upgrade_type=kind,
                    allow_downgrade=downgrade,
                )
            ],
            validate_only=only,
        )

    for version in (0, 1, 2):
        talk.ask(f"unknown feature in {version}", asked("no.such", 1), version)
        talk.ask(f"nothing in {version}", UpdateFeaturesRequest(feature_updates=[]), version)
        talk.ask(f"empty name in {version}", asked("", 1), version)
        talk.ask(f"negative level in {version}", asked("no.such", -1), version)
    for kind in (0, 1, 2, 3, 7):
        talk.ask(f"unknown feature, kind {kind}", asked("no.such", 1, kind, only=False), 2)
        talk.ask(f"unknown feature removed, kind {kind}", asked("no.such", 0, kind, only=False), 2)
    for feature, level in (("group", 1), ("share", 1), ("streams", 1), ("transaction", 2)):
        for kind in (0, 1, 2, 3):
            for version in (1, 2):
                same = asked(f"{feature}.version", level, kind)
                talk.ask(f"{feature} as it is, kind {kind} in {version}", same, version)
        talk.ask(f"{feature} as it is in 0", asked(f"{feature}.version", level), 0)
        talk.ask(f"{feature} too high", asked(f"{feature}.version", level + 1), 2)
        talk.ask(f"{feature} lowered by an upgrade", asked(f"{feature}.version", 0), 2)
        talk.ask(f"{feature} lowered", asked(f"{feature}.version", 0, 2), 2)
    twice = asked("no.such", 1).feature_updates * 2
    talk.ask("twice", UpdateFeaturesRequest(feature_updates=twice), 2)


def client_metrics(talk: Talk) -> None:
    """Subscriptions to the metrics of clients: their properties."""
    name = talk.topic("s")
    cases = {
        "set": changed(CLIENT_METRICS, name, ("metrics", SET, "org.apache.kafka.producer.")),
        "interval": changed(CLIENT_METRICS, name, ("interval.ms", SET, "1000")),
        "match": changed(CLIENT_METRICS, name, ("match", SET, "client_id=nobody-has-this")),
        "append": changed(CLIENT_METRICS, name, ("metrics", APPEND, "org.apache.kafka.consumer.")),
        "unknown property": changed(CLIENT_METRICS, name, ("no.such", SET, "1")),
        "short interval": changed(CLIENT_METRICS, name, ("interval.ms", SET, "99")),
        "long interval": changed(CLIENT_METRICS, name, ("interval.ms", SET, "3600001")),
        "no number": changed(CLIENT_METRICS, name, ("interval.ms", SET, "soon")),
        "bad match": changed(CLIENT_METRICS, name, ("match", SET, "colour=red")),
        "match without a value": changed(CLIENT_METRICS, name, ("match", SET, "client_id")),
        "bad pattern": changed(CLIENT_METRICS, name, ("match", SET, "client_id=(")),
        "no name": changed(CLIENT_METRICS, "", ("interval.ms", SET, "1000")),
        "odd name": changed(CLIENT_METRICS, "a b", ("interval.ms", SET, "500")),
    }
    _validated_then_done(talk, cases)
    talk.wait(
        described(CLIENT_METRICS, "a b"),
        4,
        lambda response: any(one.value == "500" for one in response.results[0].configs),
    )
    talk.ask("described", described(CLIENT_METRICS, name), 4)
    talk.ask("one of them", described(CLIENT_METRICS, name, ["match"]), 4)
    talk.ask("what nobody set", described(CLIENT_METRICS, talk.topic("nothing")), 4)
    talk.ask("described without a name", described(CLIENT_METRICS, ""), 4)
    _list(talk)
    everything = [(key, DELETE, None) for key in ("metrics", "interval.ms", "match")]
    for one in (name, "a b"):
        talk.ask(f"{one == name} removed", changed(CLIENT_METRICS, one, *everything), 1)
    talk.wait(
        ListConfigResourcesRequest(resource_types=[CLIENT_METRICS]),
        1,
        lambda response: "a b" not in {one.resource_name for one in response.config_resources},
    )
    talk.ask("none is left", ListConfigResourcesRequest(), 0)


def _list(talk: Talk) -> None:
    talk.ask("listed in 0", ListConfigResourcesRequest(), 0)
    for kind in (0, 1, LOGGER, BROKER, CLIENT_METRICS, 99):
        talk.ask(f"listed, {kind}", ListConfigResourcesRequest(resource_types=[kind]), 1)
    both = ListConfigResourcesRequest(resource_types=[BROKER, CLIENT_METRICS])
    talk.ask("listed, two kinds", both, 1)
    response = talk.wait(ListConfigResourcesRequest(resource_types=[]), 1, lambda _: True)
    talk.answers["listed, all kinds"] = sorted(
        {one.resource_type for one in response.config_resources}
    )


def group_configs(talk: Talk) -> None:
    """Properties of groups, there or not."""
    name = talk.topic("g")
    cases = {
        "set": changed(GROUP, name, ("consumer.session.timeout.ms", SET, "50000")),
        "out of range": changed(GROUP, name, ("consumer.session.timeout.ms", SET, "1")),
        "above the broker's": changed(GROUP, name, ("consumer.session.timeout.ms", SET, "99000")),
        "no number": changed(GROUP, name, ("consumer.session.timeout.ms", SET, "soon")),
        "unknown property": changed(GROUP, name, ("no.such", SET, "1")),
        "choice": changed(GROUP, name, ("share.isolation.level", SET, "read_committed")),
        "bad choice": changed(GROUP, name, ("share.isolation.level", SET, "none")),
        "reset": changed(GROUP, name, ("share.auto.offset.reset", SET, "by_duration:PT1H")),
        "bad reset": changed(GROUP, name, ("share.auto.offset.reset", SET, "sometime")),
        "short lock": changed(GROUP, name, ("share.record.lock.duration.ms", SET, "14999")),
        "long lock": changed(GROUP, name, ("share.record.lock.duration.ms", SET, "60001")),
        "one delivery": changed(GROUP, name, ("share.delivery.count.limit", SET, "1")),
        "many deliveries": changed(GROUP, name, ("share.delivery.count.limit", SET, "11")),
        "many locks": changed(GROUP, name, ("share.partition.max.record.locks", SET, "4001")),
        "short session": changed(GROUP, name, ("share.session.timeout.ms", SET, "44999")),
        "no name": changed(GROUP, "", ("consumer.session.timeout.ms", SET, "50000")),
        "list": changed(GROUP, name, ("consumer.session.timeout.ms", APPEND, "1")),
    }
    _validated_then_done(talk, cases)
    talk.wait(
        described(GROUP, name),
        4,
        lambda response: any(
            one.value == "by_duration:PT1H" for one in response.results[0].configs
        ),
    )
    talk.ask("described", described(GROUP, name), 4)
    talk.ask("what nobody set", described(GROUP, talk.topic("nothing")), 4)
    talk.ask("described without a name", described(GROUP, ""), 4)
    talk.ask("listed", ListConfigResourcesRequest(resource_types=[GROUP]), 1)
    listed = talk.answers["listed"]
    # Other tests give groups properties too, some of them at one of the brokers only.
    listed["config_resources"] = [
        one for one in listed["config_resources"] if one["resource_name"].startswith(name)
    ]
    keys = ("consumer.session.timeout.ms", "share.isolation.level", "share.auto.offset.reset")
    talk.ask("removed", changed(GROUP, name, *[(key, DELETE, None) for key in keys]), 1)


def telemetry(talk: Talk) -> None:
    """A client without a subscription, and pushes that are wrong, or come too early.

    All over one connection: with it a broker forgets whom it met there, Kafka some time later.
    """
    some, other = bytes(range(16)), bytes(range(1, 17))

    def pushed(
        client: bytes, subscription: int = 0, codec: int = 0, metrics: bytes = b"", *, end: bool
    ) -> PushTelemetryRequest:
        return PushTelemetryRequest(
            client_instance_id=client,
            subscription_id=subscription,
            terminating=end,
            compression_type=codec,
            metrics=metrics,
        )

    new = GetTelemetrySubscriptionsRequest(client_instance_id=bytes(16))
    with talk.one_connection():
        first = GetTelemetrySubscriptionsRequest(client_instance_id=some)
        talk.ask("a client with an id", first, 0)
        talk.ask("it asks again", first, 0)
        response = talk.ask("a new client", new, 0)
        known, right = response.client_instance_id, response.subscription_id
        again = GetTelemetrySubscriptionsRequest(client_instance_id=known)
        talk.ask("pushed without an id", pushed(bytes(16), end=False), 0)
        talk.ask("pushed", pushed(known, right, end=False), 0)
        talk.ask("pushed at once again", pushed(known, right, end=False), 0)
        talk.ask("asked after that", again, 0)
        response = talk.ask("another new client", new, 0)
        known, right = response.client_instance_id, response.subscription_id
        again = GetTelemetrySubscriptionsRequest(client_instance_id=known)
        talk.ask("another subscription", pushed(known, right + 1, end=False), 0)
        talk.ask("asked for the right one", again, 0)
        talk.ask("pushed the right one", pushed(known, right, end=False), 0)
        talk.ask("pushed by a stranger", pushed(other, right, end=False), 0)
        talk.ask("unknown codec", pushed(known, right, 9, b"x", end=True), 0)
        talk.ask("asked for the right codec", again, 0)
        talk.ask("pushed after the last time", pushed(known, right, end=False), 0)


def broker_configs(talk: Talk) -> None:
    """Properties of brokers, changed while they run: of one, and of all."""
    one, every = "1", ""
    cases = {
        "set": changed(BROKER, one, ("log.retention.ms", SET, "7000000")),
        "set for all": changed(BROKER, every, ("log.retention.ms", SET, "8000000")),
        "another for all": changed(BROKER, every, ("log.segment.bytes", SET, "7340032")),
        "list": changed(BROKER, every, ("log.cleanup.policy", APPEND, "compact")),
        "without effect here": changed(BROKER, every, ("background.threads", SET, "12")),
        "unknown property": changed(BROKER, one, ("no.such", SET, "1")),
        "unknown property for all": changed(BROKER, every, ("no.such", SET, "1")),
        "bad value": changed(BROKER, one, ("log.retention.ms", SET, "soon")),
        "out of range": changed(BROKER, one, ("log.segment.bytes", SET, "1")),
        "out of range for all": changed(BROKER, every, ("log.segment.bytes", SET, "1")),
        "bad choice": changed(BROKER, every, ("compression.type", SET, "rar")),
        "read-only": changed(BROKER, one, ("num.partitions", SET, "2")),
        "read-only for all": changed(BROKER, every, ("num.partitions", SET, "2")),
        "of one broker, for all": changed(BROKER, every, ("listeners", SET, "PLAINTEXT://:9")),
        "only in other units": changed(BROKER, one, ("log.retention.hours", SET, "2")),
        "another broker": changed(BROKER, "7", ("log.retention.ms", SET, "1")),
        "no number": changed(BROKER, "one", ("log.retention.ms", SET, "1")),
        "append to no list": changed(BROKER, one, ("log.retention.ms", APPEND, "1")),
        "delete what is not set": changed(BROKER, one, ("log.segment.bytes", DELETE, None)),
        "delete what nobody knows": changed(BROKER, one, ("no.such", DELETE, None)),
        "delete what is read-only": changed(BROKER, one, ("num.partitions", DELETE, None)),
        "twice a property": changed(
            BROKER, one, ("log.segment.bytes", SET, "7340032"), ("log.segment.bytes", DELETE, None)
        ),
    }
    _validated_then_done(talk, cases)
    keys = ["log.retention.ms", "log.retention.hours", "log.segment.bytes", "background.threads"]
    talk.wait(
        described(BROKER, one, keys),
        4,
        lambda response: (
            {c.name: c.value for c in response.results[0].configs}["background.threads"] == "12"
        ),
    )
    talk.ask("one", described(BROKER, one, [*keys, "log.cleanup.policy"]), 4)
    talk.ask("all", described(BROKER, every, [*keys, "log.cleanup.policy"]), 4)
    talk.create("t", config={"segment.bytes": "2000000"})
    names = ["retention.ms", "segment.bytes", "cleanup.policy"]
    talk.ask("a topic", described(TOPIC, talk.topic("t"), names), 4)
    talk.ask("all again", changed(BROKER, every, ("log.cleanup.policy", SUBTRACT, "compact")), 1)
    set_here = (*keys[::2], "log.cleanup.policy", "background.threads", "no.such")
    gone = [(key, DELETE, None) for key in set_here]
    for name in (one, every):
        talk.ask(f"removed of {name}", changed(BROKER, name, *gone), 1)
    talk.wait(
        described(BROKER, one, keys),
        4,
        lambda response: (
            {c.name: c.value for c in response.results[0].configs}["log.segment.bytes"]
            == "1073741824"
        ),
    )
    talk.ask("one at the end", described(BROKER, one, keys), 4)
    talk.ask("all at the end", described(BROKER, every), 4)


def every_broker_property(talk: Talk) -> None:
    """All that a broker says of itself, with types, defaults and synonyms."""
    talk.ask("all", described(BROKER, "1"), 4)


SCENARIOS = (
    broker_configs,
    every_broker_property,
    update_features,
    client_metrics,
    group_configs,
    telemetry,
)
