"""Names that settings made for Kafka may hold and that change nothing here, with the reason.

They are told apart from misspelt names, so that a real server.properties can be used as it is.
"""

_WHY = {
    "the controller is part of this broker": """
        process.roles controller.quorum.voters controller.quorum.bootstrap.servers
        controller.quorum.election.timeout.ms controller.quorum.fetch.timeout.ms
        metadata.log.dir metadata.log.segment.bytes metadata.max.retention.bytes
        initial.broker.registration.timeout.ms broker.heartbeat.interval.ms
        broker.session.timeout.ms zookeeper.connect zookeeper.connection.timeout.ms
        zookeeper.session.timeout.ms auto.leader.rebalance.enable controlled.shutdown.enable""",
    "one thread serves all connections": """
        num.network.threads num.io.threads background.threads queued.max.requests
        num.recovery.threads.per.data.dir""",
    "there is one broker": """
        inter.broker.listener.name inter.broker.protocol.version security.inter.broker.protocol
        num.replica.fetchers replica.lag.time.max.ms replica.fetch.max.bytes
        replica.fetch.min.bytes replica.fetch.wait.max.ms replica.socket.timeout.ms
        replica.high.watermark.checkpoint.interval.ms unclean.leader.election.enable broker.rack""",
    "there are no transactions yet": """
        transaction.state.log.replication.factor transaction.state.log.min.isr
        transaction.state.log.num.partitions transaction.state.log.segment.bytes
        transaction.max.timeout.ms transactional.id.expiration.ms""",
    "there are no group members yet": """
        group.initial.rebalance.delay.ms group.max.session.timeout.ms group.min.session.timeout.ms
        group.max.size group.coordinator.rebalance.protocols group.consumer.assignors
        group.share.enable share.coordinator.state.topic.replication.factor
        share.coordinator.state.topic.min.isr""",
    "logs are not compacted yet": """
        log.cleaner.enable log.cleaner.threads log.cleaner.dedupe.buffer.size
        log.cleaner.delete.retention.ms log.cleaner.min.cleanable.ratio
        log.cleaner.min.compaction.lag.ms log.cleaner.max.compaction.lag.ms
        log.cleaner.backoff.ms log.cleaner.io.max.bytes.per.second""",
    "offsets are written as they come": """
        offsets.commit.timeout.ms offsets.load.buffer.size offsets.topic.compression.codec
        log.flush.start.offset.checkpoint.interval.ms""",
}

_TOPICS = {
    "nothing is tiered": """
        remote.storage.enable remote.log.copy.disable remote.log.delete.on.disable
        local.retention.ms local.retention.bytes""",
    "batches are stored as the producer sent them": """
        message.downconversion.enable message.format.version""",
}

_CLIENTS = {
    "values are bytes; turn them into what you need": """
        key.serializer value.serializer key.deserializer value.deserializer""",
    "the client has none of it": """
        interceptor.classes metric.reporters metrics.num.samples metrics.sample.window.ms
        metrics.recording.level partitioner.class partition.assignment.strategy client.dns.lookup
        socket.connection.setup.timeout.max.ms metadata.max.idle.ms metadata.recovery.strategy
        partitioner.adaptive.partitioning.enable partitioner.availability.timeout.ms
        enable.metrics.push exclude.internal.topics""",
    "there are no group members yet": """
        session.timeout.ms heartbeat.interval.ms max.poll.interval.ms group.instance.id
        group.protocol group.remote.assignor""",
}

BROKER_NAMES: dict[str, str] = {name: why for why, names in _WHY.items() for name in names.split()}
"""Each name with the reason why it changes nothing."""

TOPIC_NAMES: dict[str, str] = {
    name: why for why, names in _TOPICS.items() for name in names.split()
}
"""The same for topics."""

CLIENT_NAMES: dict[str, str] = {
    name: why for why, names in _CLIENTS.items() for name in names.split()
}
"""The same for clients."""
