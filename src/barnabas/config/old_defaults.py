"""Defaults that properties of brokers had in older Kafka releases.

Source: DescribeConfigs responses of brokers 0.11 to 4.3 (`tests/vectors/properties`), the
documentation of each release line since 0.9.0, and for earlier ones KAFKA-4203, KIP-32, KIP-98,
KIP-186, KIP-541, KIP-937, KIP-1030.
"""

OLD_DEFAULTS = """
connections.max.idle.ms -1<0.8.2
delete.topic.enable false<1.0
fetch.max.bytes 2147483647<2.5
group.coordinator.append.linger.ms 10<4.0 5<4.2
group.coordinator.rebalance.protocols classic<4.0 classic,consumer<4.1
group.coordinator.threads 1<4.0
group.initial.rebalance.delay.ms 0<0.11.0
group.max.session.timeout.ms 1800000<0.8.0 30000<0.10.0 300000<2.3
group.share.partition.max.record.locks 200<4.1
inter.broker.protocol.version 0.9.0.X<0.10.0 0.10.0-IV1<0.10.1 0.10.1-IV2<0.10.2 0.10.2-IV0<0.11.0
inter.broker.protocol.version 0.11.0-IV2<1.0 1.0-IV0<1.1 1.1-IV0<2.0 2.0-IV1<2.1 2.1-IV2<2.2
inter.broker.protocol.version 2.2-IV1<2.3 2.3-IV1<2.4 2.4-IV1<2.5 2.5-IV0<2.6 2.6-IV0<2.7
inter.broker.protocol.version 2.7-IV2<2.8 2.8-IV1<3.0 3.0-IV1<3.1 3.1-IV0<3.2 3.2-IV0<3.3
inter.broker.protocol.version 3.3-IV3<3.4 3.4-IV0<3.5 3.5-IV2<3.6 3.6-IV2<3.7 3.7-IV4<3.8
inter.broker.protocol.version 3.8-IV0<3.9
listener.dialect.map PLAINTEXT:kafka-0.7<0.8.0
log.cleaner.dedupe.buffer.size 524288000<0.9.0
log.cleaner.enable false<0.9.0
log.flush.interval.messages 9223372036854775807<0.8.0 10000<0.8.1
log.flush.interval.ms 3000<0.8.1
log.flush.scheduler.interval.ms 3000<0.8.1
log.message.format.version 0.7<0.8.0 0.8.0<0.8.1 0.8.1<0.8.2 0.8.2<0.9.0 0.9.0<0.10.0
log.message.format.version 0.10.0-IV1<0.10.1 0.10.1-IV2<0.10.2 0.10.2-IV0<0.11.0 0.11.0-IV2<1.0
log.message.format.version 1.0-IV0<1.1 1.1-IV0<2.0 2.0-IV1<2.1 2.1-IV2<2.2 2.2-IV1<2.3 2.3-IV1<2.4
log.message.format.version 2.4-IV1<2.5 2.5-IV0<2.6 2.6-IV0<2.7 2.7-IV2<2.8 2.8-IV1<3.0
log.message.timestamp.after.max.ms 9223372036854775807<4.0
log.retention.check.interval.ms 600000<0.8.1
log.segment.bytes 536870912<0.8.0
message.max.bytes 1000000<0.8.0 1000012<2.5
metadata.max.retention.bytes -1<3.4
metric.reporters ''<4.0
num.recovery.threads.per.data.dir 1<4.0
offset.metadata.max.bytes 4096<0.8.0 1024<0.8.2
offsets.retention.minutes 10080<0.8.0 1440<2.0
principal.builder.class org.apache.kafka.common.security.auth.DefaultPrincipalBuilder<1.0 -<3.0
producer.id.expiration.ms 604800000<3.4
remote.log.manager.copier.thread.pool.size -1<4.0
remote.log.manager.expiration.thread.pool.size -1<4.0
remote.log.manager.thread.pool.size 10<4.0
replica.lag.time.max.ms 10000<2.5
sasl.oauthbearer.expected.audience -<4.2
share.coordinator.append.linger.ms 10<4.1 5<4.2
socket.connection.setup.timeout.max.ms 127000<2.8
ssl.cipher.suites -<1.1
ssl.enabled.protocols TLSv1.2,TLSv1.1,TLSv1<2.5 TLSv1.2<2.6
ssl.endpoint.identification.algorithm -<2.0
ssl.protocol TLS<2.5 TLSv1.2<2.6
transaction.abort.timed.out.transaction.cleanup.interval.ms 60000<2.5
transaction.partition.verification.enable false<3.6
unclean.leader.election.enable true<0.11.0
zookeeper.session.timeout.ms 6000<2.5
"""
"""Properties whose default changed, each with the release line before which the old one applied.

Oldest first. `-` stands for None, '' for empty text. For releases before the property existed, the
value describes what a broker did then. Groups of a Kafka 0.7 profile, which had none, have today's.
"""
