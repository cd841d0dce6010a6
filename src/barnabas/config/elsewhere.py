"""Names that settings made for Kafka may hold and that change nothing here, with the reason.

They are told apart from misspelt names, so that a real server.properties can be used as it is. A
name that ends in `.*` stands for all that begin so.
"""

from collections.abc import Mapping

UNSAFE = "TLS, SASL and ACLs are not served yet"
INSTEAD = "say it with listeners and advertised.listeners"
BY_TOPIC = "say it with the properties of the topics"
QUOTAS = "say it with the quotas of clients (AlterClientQuotas)"
CHECKS = "say it with log.retention.check.interval.ms"

NO_SERIALIZERS = "records are bytes, or text for UTF-8: encode and decode them yourself"
NO_PARTITIONERS = "keys go where Kafka's default partitioner puts them: say others with partition="
NO_INTERCEPTORS = "the client has no interceptors: change records before they are sent"

LOUD = frozenset({UNSAFE, INSTEAD, BY_TOPIC, QUOTAS, CHECKS})
"""Reasons for a warning: who set such a property must not believe that it holds."""

_WHY = {
    "the controller is part of this broker": """
        process.roles controller.* metadata.* initial.broker.registration.timeout.ms
        socket.connection.setup.timeout.ms socket.connection.setup.timeout.max.ms
        broker.heartbeat.interval.ms broker.session.timeout.ms broker.id.generation.enable
        reserved.broker.max.id control.plane.listener.name server.max.startup.time.ms
        auto.leader.rebalance.enable leader.imbalance.check.interval.seconds
        leader.imbalance.per.broker.percentage controlled.shutdown.*
        zookeeper.metadata.migration.enable""",
    "nothing waits for several answers of ZooKeeper": """
        zookeeper.max.in.flight.requests zookeeper.sync.time.ms""",
    "one thread serves all connections": """
        num.network.threads num.io.threads background.threads queued.max.requests
        num.recovery.threads.per.data.dir num.replica.alter.log.dirs.threads""",
    "there is one broker": """
        inter.broker.listener.name inter.broker.protocol.version security.inter.broker.protocol
        num.replica.fetchers replica.* unclean.leader.election.* broker.rack
        transaction.state.log.replication.factor transaction.state.log.min.isr
        share.coordinator.state.topic.min.isr share.coordinator.state.topic.replication.factor
        replication.quota.* alter.log.dirs.replication.quota.* request.timeout.ms
        log.dir.failure.timeout.ms eligible.leader.replicas.enable""",
    "the coordinator of a transaction is in the broker that it writes to": """
        add.partitions.to.txn.*""",
    "groups need no coordinator's threads": """
        group.coordinator.background.threads group.coordinator.cached.buffer.max.bytes
        group.coordinator.threads share.coordinator.threads""",
    "share groups have one way of assigning": """
        group.share.assignors""",
    "group.share.max.share.sessions says how many may fetch": """
        group.share.max.groups""",
    "one thread compacts, with buffers as large as they must be": """
        log.cleaner.threads log.cleaner.io.buffer.size""",
    "what coordinators decide is written at once, and there is nobody to wait for": """
        group.coordinator.append.linger.ms share.coordinator.append.linger.ms
        offsets.commit.timeout.ms offsets.commit.required.acks share.coordinator.write.timeout.ms""",
    "the states of share groups are kept in one way": """
        share.coordinator.*""",
    "coordinators read their logs in steps of one size": """
        offsets.load.buffer.size transaction.state.log.load.buffer.size
        share.coordinator.load.buffer.size""",
    "where logs begin is written down with their other offsets": """
        log.flush.start.offset.checkpoint.interval.ms""",
    "what is due for logs from time to time begins an interval after the start": """
        log.initial.task.delay.ms""",
    "nothing is tiered": """
        remote.* follower.fetch.last.tiered.offset.enable""",
    "requests that waited leave nothing behind that must be purged": """
        fetch.purgatory.purge.interval.requests producer.purgatory.purge.interval.requests
        delete.records.purgatory.purge.interval.requests
        share.fetch.purgatory.purge.interval.requests""",
    "it is another name of node.id": """
        broker.id""",
    "no directory is closed to new partitions": """
        cordoned.log.dirs""",
    "a page of DescribeTopicPartitions has up to 2,000 partitions": """
        max.request.partition.size.limit""",
    "there is nothing for Java classes to plug into": """
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
    "the client has none of it": """
        metric.reporters metrics.num.samples metrics.sample.window.ms
        metrics.recording.level client.dns.lookup
        socket.connection.setup.timeout.max.ms metadata.max.idle.ms metadata.recovery.strategy
        partitioner.adaptive.partitioning.enable partitioner.availability.timeout.ms
        enable.metrics.push""",
    UNSAFE: """
        ssl.* sasl.* security.providers""",
}

BROKER_NAMES: dict[str, str] = {name: why for why, names in _WHY.items() for name in names.split()}
"""Each name with the reason why it changes nothing."""

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
    """Why property `name` cannot have `value`: records would be others than the user believes."""
    why = names.get(name)
    if why not in _HARMLESS or value is None or value in ("", []):
        return None
    harmless = isinstance(value, str) and value.rpartition(".")[2] in _HARMLESS[why]
    return None if harmless else why


def reason(names: Mapping[str, str], name: str) -> str | None:
    """Why the property `name` changes nothing; None where `names` does not hold it."""
    if name in names:
        return names[name]
    families = (other for other in names if other.endswith(".*") and name.startswith(other[:-1]))
    return next((names[family] for family in families), None)
