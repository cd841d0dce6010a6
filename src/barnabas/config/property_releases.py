"""The Kafka releases that added and removed properties of brokers and groups.

Source: DescribeConfigs responses of brokers 0.11 to 4.3 (`tests/vectors/properties`), the
documentation of each release line since 0.9.0, and for earlier ones KAFKA-4203, KIP-32, KIP-98,
KIP-186, KIP-541, KIP-937, KIP-1030.
"""

CAME = """
0.10.0 broker.rack log.message.format.version log.message.timestamp.difference.max.ms
0.10.0 log.message.timestamp.type sasl.enabled.mechanisms sasl.mechanism.inter.broker.protocol
0.10.1 log.cleaner.min.compaction.lag.ms replica.fetch.response.max.bytes
0.10.1 replication.quota.window.num replication.quota.window.size.seconds
0.10.1 ssl.secure.random.implementation
0.10.2 create.topic.policy.class.name inter.broker.listener.name listener.security.protocol.map
0.10.2 metrics.recording.level
0.11.0 alter.config.policy.class.name delete.records.purgatory.purge.interval.requests
0.11.0 group.initial.rebalance.delay.ms log.flush.start.offset.checkpoint.interval.ms
0.11.0 transaction.abort.timed.out.transaction.cleanup.interval.ms transaction.max.timeout.ms
0.11.0 transaction.remove.expired.transaction.cleanup.interval.ms
0.11.0 transaction.state.log.load.buffer.size transaction.state.log.min.isr
0.11.0 transaction.state.log.num.partitions transaction.state.log.replication.factor
0.11.0 transaction.state.log.segment.bytes transactional.id.expiration.ms
1.0 queued.max.request.bytes
1.1 alter.log.dirs.replication.quota.window.num
1.1 alter.log.dirs.replication.quota.window.size.seconds delegation.token.expiry.check.interval.ms
1.1 delegation.token.expiry.time.ms delegation.token.master.key delegation.token.max.lifetime.ms
1.1 max.incremental.fetch.session.cache.slots num.replica.alter.log.dirs.threads
1.1 password.encoder.cipher.algorithm password.encoder.iterations password.encoder.key.length
1.1 password.encoder.keyfactory.algorithm password.encoder.old.secret password.encoder.secret
1.1 sasl.jaas.config zookeeper.max.in.flight.requests
2.0 client.quota.callback.class log.message.downconversion.enable
2.0 sasl.client.callback.handler.class sasl.login.callback.handler.class sasl.login.class
2.0 sasl.login.refresh.buffer.seconds sasl.login.refresh.min.period.seconds
2.0 sasl.login.refresh.window.factor sasl.login.refresh.window.jitter
2.0 sasl.server.callback.handler.class
2.1 connection.failed.authentication.delay.ms kafka.metrics.polling.interval.secs
2.1 kafka.metrics.reporters
2.2 connections.max.reauth.ms control.plane.listener.name group.max.size
2.2 ssl.principal.mapping.rules
2.3 log.cleaner.max.compaction.lag.ms max.connections
2.4 replica.selector.class security.providers
2.5 fetch.max.bytes zookeeper.clientCnxnSocket zookeeper.ssl.cipher.suites
2.5 zookeeper.ssl.client.enable zookeeper.ssl.crl.enable zookeeper.ssl.enabled.protocols
2.5 zookeeper.ssl.endpoint.identification.algorithm zookeeper.ssl.keystore.location
2.5 zookeeper.ssl.keystore.password zookeeper.ssl.keystore.type zookeeper.ssl.ocsp.enable
2.5 zookeeper.ssl.protocol zookeeper.ssl.truststore.location zookeeper.ssl.truststore.password
2.5 zookeeper.ssl.truststore.type
2.6 ssl.engine.factory.class
2.7 controller.quota.window.num controller.quota.window.size.seconds max.connection.creation.rate
2.7 socket.connection.setup.timeout.max.ms socket.connection.setup.timeout.ms
2.7 ssl.keystore.certificate.chain ssl.keystore.key ssl.truststore.certificates
2.8 delegation.token.secret.key sasl.server.max.receive.size
3.0 broker.heartbeat.interval.ms broker.session.timeout.ms controller.listener.names
3.0 controller.quorum.append.linger.ms controller.quorum.election.backoff.max.ms
3.0 controller.quorum.election.timeout.ms controller.quorum.fetch.timeout.ms
3.0 controller.quorum.request.timeout.ms controller.quorum.retry.backoff.ms
3.0 controller.quorum.voters initial.broker.registration.timeout.ms metadata.log.dir
3.0 metadata.log.max.record.bytes.between.snapshots metadata.log.segment.bytes
3.0 metadata.log.segment.ms metadata.max.retention.bytes metadata.max.retention.ms node.id
3.0 process.roles sasl.mechanism.controller.protocol
3.1 sasl.login.connect.timeout.ms sasl.login.read.timeout.ms sasl.login.retry.backoff.max.ms
3.1 sasl.login.retry.backoff.ms sasl.oauthbearer.clock.skew.seconds
3.1 sasl.oauthbearer.expected.audience sasl.oauthbearer.expected.issuer
3.1 sasl.oauthbearer.jwks.endpoint.refresh.ms sasl.oauthbearer.jwks.endpoint.retry.backoff.max.ms
3.1 sasl.oauthbearer.jwks.endpoint.retry.backoff.ms sasl.oauthbearer.jwks.endpoint.url
3.1 sasl.oauthbearer.scope.claim.name sasl.oauthbearer.sub.claim.name
3.1 sasl.oauthbearer.token.endpoint.url
3.2 socket.listen.backlog.size
3.3 early.start.listeners metadata.max.idle.interval.ms
3.4 auto.include.jmx.reporter metadata.log.max.snapshot.interval.ms producer.id.expiration.ms
3.4 zookeeper.metadata.migration.enable
3.6 log.local.retention.bytes log.local.retention.ms log.message.timestamp.after.max.ms
3.6 log.message.timestamp.before.max.ms remote.log.manager.task.interval.ms
3.6 remote.log.manager.thread.pool.size remote.log.metadata.custom.metadata.max.bytes
3.6 remote.log.metadata.manager.class.name remote.log.metadata.manager.class.path
3.6 remote.log.metadata.manager.impl.prefix remote.log.metadata.manager.listener.name
3.6 remote.log.reader.max.pending.tasks remote.log.reader.threads
3.6 remote.log.storage.manager.class.name remote.log.storage.manager.class.path
3.6 remote.log.storage.manager.impl.prefix remote.log.storage.system.enable
3.6 transaction.partition.verification.enable
3.7 eligible.leader.replicas.enable group.consumer.assignors group.consumer.heartbeat.interval.ms
3.7 group.consumer.max.heartbeat.interval.ms group.consumer.max.session.timeout.ms
3.7 group.consumer.max.size group.consumer.min.heartbeat.interval.ms
3.7 group.consumer.min.session.timeout.ms group.consumer.session.timeout.ms
3.7 group.coordinator.rebalance.protocols group.coordinator.threads
3.7 remote.log.index.file.cache.total.size.bytes ssl.allow.dn.changes ssl.allow.san.changes
3.7 telemetry.max.bytes
3.8 compression.gzip.level compression.lz4.level compression.zstd.level
3.8 group.coordinator.append.linger.ms log.dir.failure.timeout.ms max.request.partition.size.limit
3.8 remote.fetch.max.wait.ms remote.log.manager.copy.max.bytes.per.second
3.8 remote.log.manager.copy.quota.window.num remote.log.manager.copy.quota.window.size.seconds
3.8 remote.log.manager.fetch.max.bytes.per.second remote.log.manager.fetch.quota.window.num
3.8 remote.log.manager.fetch.quota.window.size.seconds
3.9 alter.config.policy.kraft.compatibility.enable controller.quorum.bootstrap.servers
3.9 group.share.delivery.count.limit group.share.heartbeat.interval.ms group.share.max.groups
3.9 group.share.max.heartbeat.interval.ms group.share.max.record.lock.duration.ms
3.9 group.share.max.session.timeout.ms group.share.max.size group.share.min.heartbeat.interval.ms
3.9 group.share.min.record.lock.duration.ms group.share.min.session.timeout.ms
3.9 group.share.partition.max.record.locks group.share.record.lock.duration.ms
3.9 group.share.session.timeout.ms remote.log.manager.copier.thread.pool.size
3.9 remote.log.manager.expiration.thread.pool.size
4.0 add.partitions.to.txn.retry.backoff.max.ms add.partitions.to.txn.retry.backoff.ms
4.0 group.consumer.migration.policy remote.list.offsets.request.timeout.ms
4.0 share.coordinator.append.linger.ms share.coordinator.load.buffer.size
4.0 share.coordinator.snapshot.update.records.per.snapshot
4.0 share.coordinator.state.topic.compression.codec share.coordinator.state.topic.min.isr
4.0 share.coordinator.state.topic.num.partitions share.coordinator.state.topic.replication.factor
4.0 share.coordinator.state.topic.segment.bytes share.coordinator.threads
4.0 share.coordinator.write.timeout.ms share.fetch.purgatory.purge.interval.requests
4.1 group.share.assignors group.share.max.share.sessions group.streams.heartbeat.interval.ms
4.1 group.streams.max.heartbeat.interval.ms group.streams.max.session.timeout.ms
4.1 group.streams.max.size group.streams.max.standby.replicas
4.1 group.streams.min.heartbeat.interval.ms group.streams.min.session.timeout.ms
4.1 group.streams.num.standby.replicas group.streams.session.timeout.ms
4.1 sasl.oauthbearer.assertion.algorithm sasl.oauthbearer.assertion.claim.aud
4.1 sasl.oauthbearer.assertion.claim.exp.seconds sasl.oauthbearer.assertion.claim.iss
4.1 sasl.oauthbearer.assertion.claim.jti.include sasl.oauthbearer.assertion.claim.nbf.seconds
4.1 sasl.oauthbearer.assertion.claim.sub sasl.oauthbearer.assertion.file
4.1 sasl.oauthbearer.assertion.private.key.file sasl.oauthbearer.assertion.private.key.passphrase
4.1 sasl.oauthbearer.assertion.template.file sasl.oauthbearer.client.credentials.client.id
4.1 sasl.oauthbearer.client.credentials.client.secret sasl.oauthbearer.jwt.retriever.class
4.1 sasl.oauthbearer.jwt.validator.class sasl.oauthbearer.scope
4.1 share.isolation.level streams.heartbeat.interval.ms streams.num.standby.replicas
4.1 streams.session.timeout.ms transaction.two.phase.commit.enable
4.2 config.providers controller.quorum.auto.join.enable group.streams.initial.rebalance.delay.ms
4.2 remote.log.manager.follower.thread.pool.size streams.initial.rebalance.delay.ms
4.3 controller.quorum.fetch.max.bytes controller.quorum.fetch.snapshot.max.bytes cordoned.log.dirs
4.3 follower.fetch.last.tiered.offset.enable group.consumer.assignment.interval.ms
4.3 group.consumer.max.assignment.interval.ms group.consumer.min.assignment.interval.ms
4.3 group.coordinator.background.threads group.coordinator.cached.buffer.max.bytes
4.3 group.share.assignment.interval.ms group.share.max.assignment.interval.ms
4.3 group.share.max.delivery.count.limit group.share.max.partition.max.record.locks
4.3 group.share.min.assignment.interval.ms group.share.min.delivery.count.limit
4.3 group.share.min.partition.max.record.locks group.streams.assignment.interval.ms
4.3 group.streams.max.assignment.interval.ms group.streams.min.assignment.interval.ms
4.3 share.coordinator.cached.buffer.max.bytes consumer.assignment.interval.ms
4.3 share.assignment.interval.ms share.delivery.count.limit share.partition.max.record.locks
4.3 share.renew.acknowledge.enable streams.assignment.interval.ms
"""
"""Release lines, each with properties that it added. A property not listed is as old as 0.9.0."""

WENT = """
0.8.0 zk.connect
3.0 advertised.host.name advertised.port host.name port quota.consumer.default
3.0 quota.producer.default
3.2 zookeeper.sync.time.ms
4.0 alter.config.policy.kraft.compatibility.enable auto.include.jmx.reporter
4.0 broker.id.generation.enable control.plane.listener.name controlled.shutdown.max.retries
4.0 controlled.shutdown.retry.backoff.ms delegation.token.master.key
4.0 eligible.leader.replicas.enable inter.broker.protocol.version
4.0 leader.imbalance.per.broker.percentage log.message.downconversion.enable
4.0 log.message.format.version log.message.timestamp.difference.max.ms
4.0 offsets.commit.required.acks password.encoder.cipher.algorithm password.encoder.iterations
4.0 password.encoder.key.length password.encoder.keyfactory.algorithm password.encoder.old.secret
4.0 password.encoder.secret reserved.broker.max.id zookeeper.clientCnxnSocket zookeeper.connect
4.0 zookeeper.connection.timeout.ms zookeeper.max.in.flight.requests
4.0 zookeeper.metadata.migration.enable zookeeper.session.timeout.ms zookeeper.set.acl
4.0 zookeeper.ssl.cipher.suites zookeeper.ssl.client.enable zookeeper.ssl.crl.enable
4.0 zookeeper.ssl.enabled.protocols zookeeper.ssl.endpoint.identification.algorithm
4.0 zookeeper.ssl.keystore.location zookeeper.ssl.keystore.password zookeeper.ssl.keystore.type
4.0 zookeeper.ssl.ocsp.enable zookeeper.ssl.protocol zookeeper.ssl.truststore.location
4.0 zookeeper.ssl.truststore.password zookeeper.ssl.truststore.type
4.1 group.share.max.groups
"""
"""Release lines, each with properties that it removed."""
