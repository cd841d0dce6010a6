"""Kafka's property names that have no effect here, each with the reason.

They keep a real server.properties usable: only other unknown names count as misspelled. A name that
ends in `.*` stands for all names with that prefix.
"""

from collections.abc import Mapping

UNSAFE = "TLS, SASL and ACLs are not supported yet"
INSTEAD = "use listeners and advertised.listeners instead"
BY_TOPIC = "use the topics' own properties instead"
QUOTAS = "use client quotas instead (AlterClientQuotas)"
CHECKS = "use log.retention.check.interval.ms instead"

NO_SERIALIZERS = "records are bytes, or text as UTF-8: encode and decode them yourself"
NO_PARTITIONERS = "Kafka's default partitioner chooses by key: pass partition= to choose yourself"
NO_INTERCEPTORS = "the client has no interceptors: change records before you send them"

LOUD = frozenset({UNSAFE, INSTEAD, BY_TOPIC, QUOTAS, CHECKS})
"""Reasons to warn about: the user must not believe that such a property is in force."""

_WHY = {
    "the controller is part of this broker": """
        process.roles controller.* metadata.* initial.broker.registration.timeout.ms
        socket.connection.setup.timeout.ms socket.connection.setup.timeout.max.ms
        broker.heartbeat.interval.ms broker.session.timeout.ms broker.id.generation.enable
        reserved.broker.max.id control.plane.listener.name server.max.startup.time.ms
        controlled.shutdown.*
        zookeeper.metadata.migration.enable""",
    "ZooKeeper requests are sent one at a time": """
        zookeeper.max.in.flight.requests zookeeper.sync.time.ms""",
    "one thread serves all connections": """
        num.network.threads num.io.threads background.threads queued.max.requests
        num.recovery.threads.per.data.dir num.replica.alter.log.dirs.threads""",
    "there is one broker": """
        inter.broker.listener.name security.inter.broker.protocol
        num.replica.fetchers replica.*
        request.timeout.ms
        log.dir.failure.timeout.ms eligible.leader.replicas.enable""",
    "each broker coordinates its own transactions": """
        add.partitions.to.txn.*""",
    "group coordinators use no threads of their own": """
        group.coordinator.background.threads group.coordinator.cached.buffer.max.bytes
        group.coordinator.threads share.coordinator.threads""",
    "share groups have one assignor": """
        group.share.assignors""",
    "group.share.max.share.sessions limits how many members may fetch": """
        group.share.max.groups""",
    "one thread compacts, with buffers of the size it needs": """
        log.cleaner.threads log.cleaner.io.buffer.size""",
    "coordinators write at once and wait for no replica": """
        group.coordinator.append.linger.ms share.coordinator.append.linger.ms
        offsets.commit.timeout.ms offsets.commit.required.acks share.coordinator.write.timeout.ms""",
    "share group state has one storage format": """
        share.coordinator.*""",
    "coordinators read their logs in steps of a fixed size": """
        offsets.load.buffer.size transaction.state.log.load.buffer.size
        share.coordinator.load.buffer.size""",
    "log start offsets are stored with the other checkpoints": """
        log.flush.start.offset.checkpoint.interval.ms""",
    "periodic log tasks first run one interval after the start": """
        log.initial.task.delay.ms""",
    "there is no tiered storage": """
        remote.* follower.fetch.last.tiered.offset.enable""",
    "completed requests leave nothing to purge": """
        fetch.purgatory.purge.interval.requests producer.purgatory.purge.interval.requests
        delete.records.purgatory.purge.interval.requests
        share.fetch.purgatory.purge.interval.requests""",
    "node.id is the same property": """
        broker.id""",
    "no log directory is closed to new partitions": """
        cordoned.log.dirs""",
    "a DescribeTopicPartitions page holds up to 2,000 partitions": """
        max.request.partition.size.limit""",
    "Java classes cannot be plugged in": """
        config.providers metric.reporters metrics.* kafka.metrics.* auto.include.jmx.reporter
        alter.config.policy.class.name alter.config.policy.kraft.compatibility.enable
        client.quota.callback.class create.topic.policy.class.name""",
    UNSAFE: """
        ssl.* sasl.* zookeeper.set.acl zookeeper.ssl.* zookeeper.clientCnxnSocket
        security.providers principal.builder.class authorizer.* super.users
        allow.everyone.if.no.acl.found delegation.token.* password.encoder.* listener.name.*
        connections.max.reauth.ms connection.failed.authentication.delay.ms early.start.listeners
        max.connections.per.ip.overrides
        max.connection.creation.rate""",
    INSTEAD: """
        port host.name advertised.port advertised.host.name""",
    BY_TOPIC: """
        log.flush.interval.ms.per.topic log.retention.bytes.per.topic log.retention.hours.per.topic
        log.roll.hours.per.topic log.segment.bytes.per.topic""",
    QUOTAS: """
        quota.producer.default quota.consumer.default""",
    CHECKS: """
        log.cleanup.interval.mins""",
}

_CLIENTS = {
    NO_SERIALIZERS: """
        key.serializer value.serializer key.deserializer value.deserializer""",
    NO_PARTITIONERS: """
        partitioner.class""",
    NO_INTERCEPTORS: """
        interceptor.classes""",
    "the client does not have this feature": """
        metric.reporters metrics.num.samples metrics.sample.window.ms
        metrics.recording.level client.dns.lookup
        socket.connection.setup.timeout.max.ms metadata.max.idle.ms metadata.recovery.strategy
        partitioner.adaptive.partitioning.enable partitioner.availability.timeout.ms
        enable.metrics.push""",
    UNSAFE: """
        ssl.* sasl.* security.providers""",
}

BROKER_NAMES: dict[str, str] = {name: why for why, names in _WHY.items() for name in names.split()}
"""Each name with the reason why it has no effect."""

CLIENT_NAMES: dict[str, str] = {
    name: why for why, names in _CLIENTS.items() for name in names.split()
}
"""The same for clients."""


_HARMLESS = {
    NO_SERIALIZERS: {"ByteArraySerializer", "ByteArrayDeserializer", "StringSerializer"},
    NO_PARTITIONERS: {"DefaultPartitioner"},
    NO_INTERCEPTORS: set[str](),
}


def refusal(names: Mapping[str, str], name: str, value: object) -> str | None:
    """Why property `name` cannot have `value`: the records would differ from what the user expects."""
    why = names.get(name)
    if why not in _HARMLESS or value is None or value in ("", []):
        return None
    harmless = isinstance(value, str) and value.rpartition(".")[2] in _HARMLESS[why]
    return None if harmless else why


def why_ignored(names: Mapping[str, str], name: str) -> str | None:
    """Why the property `name` has no effect; None if `names` does not contain it."""
    if name in names:
        return names[name]
    families = (other for other in names if other.endswith(".*") and name.startswith(other[:-1]))
    return next((names[family] for family in families), None)
