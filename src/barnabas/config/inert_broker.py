"""Kafka broker properties that have no effect here, with their types and defaults.

DescribeConfigs reports them, because tools expect them. Some can be changed while the broker runs,
as in Kafka. `config.elsewhere` says why they have no effect, `config.inert_meanings` what they
mean.

Source: Apache Kafka 4.3, and 0.11 to 3.9 for removed ones: what a broker reports about itself. Each
line: name, type, default (`-` for none), and whether it can change while the broker runs.
`config.past` says which release had which, and with what default.
"""

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import NamedTuple

from barnabas.config.definition import LOW, Setting
from barnabas.config.ignored_names import BROKER_NAMES, why_ignored
from barnabas.config.inert_meanings import meanings
from barnabas.config.parsing import Kind

_KAFKA = "org.apache.kafka"

_LONG = {
    "principal.builder.class": f"{_KAFKA}.common.security.authenticator.DefaultKafkaPrincipalBuilder",
    "remote.log.metadata.manager.class.name": f"{_KAFKA}.server.log.remote.metadata.storage."
    "TopicBasedRemoteLogMetadataManager",
    "sasl.oauthbearer.jwt.retriever.class": f"{_KAFKA}.common.security.oauthbearer."
    "DefaultJwtRetriever",
    "sasl.oauthbearer.jwt.validator.class": f"{_KAFKA}.common.security.oauthbearer."
    "DefaultJwtValidator",
}
"""Defaults that are too long for their line."""

_TABLE = """
add.partitions.to.txn.retry.backoff.max.ms int 100
add.partitions.to.txn.retry.backoff.ms int 20
advertised.host.name string -
advertised.port int -
alter.config.policy.class.name class -
alter.config.policy.kraft.compatibility.enable boolean false
authorizer.class.name string ''
auto.include.jmx.reporter boolean true
background.threads int 10 changeable
broker.heartbeat.interval.ms int 2000
broker.id int -1
broker.id.generation.enable boolean true
broker.session.timeout.ms int 9000
client.quota.callback.class class -
config.providers list '' changeable
connection.failed.authentication.delay.ms int 100
connections.max.reauth.ms long 0
control.plane.listener.name string -
controlled.shutdown.max.retries int 3
controlled.shutdown.retry.backoff.ms long 5000
controller.quorum.append.linger.ms int 25
controller.quorum.auto.join.enable boolean false
controller.quorum.bootstrap.servers list ''
controller.quorum.election.backoff.max.ms int 1000
controller.quorum.election.timeout.ms int 1000
controller.quorum.fetch.max.bytes int 1048576
controller.quorum.fetch.snapshot.max.bytes int 1048576
controller.quorum.fetch.timeout.ms int 2000
controller.quorum.request.timeout.ms int 2000
controller.quorum.retry.backoff.ms int 20
controller.quorum.voters list ''
controller.socket.timeout.ms int 30000
cordoned.log.dirs list '' changeable
create.topic.policy.class.name class -
delegation.token.expiry.check.interval.ms long 3600000
delegation.token.expiry.time.ms long 86400000
delegation.token.master.key password -
delegation.token.max.lifetime.ms long 604800000
delegation.token.secret.key password -
delete.records.purgatory.purge.interval.requests int 1
early.start.listeners list -
eligible.leader.replicas.enable boolean false
fetch.purgatory.purge.interval.requests int 1000
follower.fetch.last.tiered.offset.enable boolean false changeable
group.coordinator.append.linger.ms int -1
group.coordinator.background.threads int 2
group.coordinator.cached.buffer.max.bytes int 1048588 changeable
group.coordinator.threads int 4
group.share.assignors list simple
group.share.max.groups short 10
host.name string ''
initial.broker.registration.timeout.ms int 60000
inter.broker.listener.name string -
kafka.metrics.polling.interval.secs int 10
kafka.metrics.reporters list ''
log.cleaner.io.buffer.size int 524288 changeable
log.cleaner.threads int 1 changeable
log.dir.failure.timeout.ms long 30000
log.flush.start.offset.checkpoint.interval.ms int 60000
max.connection.creation.rate int 2147483647
max.connections.per.ip.overrides string ''
max.request.partition.size.limit int 2000
metadata.log.dir string -
metadata.log.max.record.bytes.between.snapshots long 20971520
metadata.log.max.snapshot.interval.ms long 3600000
metadata.log.segment.bytes int 1073741824
metadata.log.segment.ms long 604800000
metadata.max.idle.interval.ms int 500
metadata.max.retention.bytes long 104857600
metadata.max.retention.ms long 604800000
metric.reporters list org.apache.kafka.common.metrics.JmxReporter changeable
metrics.num.samples int 2
metrics.recording.level string INFO
metrics.sample.window.ms long 30000
num.io.threads int 8 changeable
num.network.threads int 3 changeable
num.recovery.threads.per.data.dir int 2 changeable
num.replica.alter.log.dirs.threads int -
num.replica.fetchers int 1 changeable
offsets.commit.required.acks short -1
offsets.commit.timeout.ms int 5000
offsets.load.buffer.size int 5242880
password.encoder.cipher.algorithm string AES/CBC/PKCS5Padding
password.encoder.iterations int 4096
password.encoder.key.length int 128
password.encoder.keyfactory.algorithm string -
password.encoder.old.secret password -
password.encoder.secret password -
port int 9092
principal.builder.class class ...
process.roles list ''
producer.purgatory.purge.interval.requests int 1000
queued.max.requests int 500
quota.consumer.default long 9223372036854775807
quota.producer.default long 9223372036854775807
remote.fetch.max.wait.ms int 500 changeable
remote.list.offsets.request.timeout.ms long 30000 changeable
remote.log.index.file.cache.total.size.bytes long 1073741824 changeable
remote.log.manager.copier.thread.pool.size int 10 changeable
remote.log.manager.copy.max.bytes.per.second long 9223372036854775807 changeable
remote.log.manager.copy.quota.window.num int 11
remote.log.manager.copy.quota.window.size.seconds int 1
remote.log.manager.expiration.thread.pool.size int 10 changeable
remote.log.manager.fetch.max.bytes.per.second long 9223372036854775807 changeable
remote.log.manager.fetch.quota.window.num int 11
remote.log.manager.fetch.quota.window.size.seconds int 1
remote.log.manager.follower.thread.pool.size int 2 changeable
remote.log.manager.task.interval.ms long 30000
remote.log.manager.thread.pool.size int 2
remote.log.metadata.custom.metadata.max.bytes int 128
remote.log.metadata.manager.class.name string ...
remote.log.metadata.manager.class.path string -
remote.log.metadata.manager.impl.prefix string rlmm.config.
remote.log.metadata.manager.listener.name string -
remote.log.reader.max.pending.tasks int 100
remote.log.reader.threads int 10 changeable
remote.log.storage.manager.class.name string -
remote.log.storage.manager.class.path string -
remote.log.storage.manager.impl.prefix string rsm.config.
remote.log.storage.system.enable boolean false
replica.fetch.min.bytes int 1
replica.high.watermark.checkpoint.interval.ms long 5000
replica.socket.receive.buffer.bytes int 65536
replica.socket.timeout.ms int 30000
request.timeout.ms int 30000
reserved.broker.max.id int 1000
sasl.client.callback.handler.class class -
sasl.enabled.mechanisms list GSSAPI
sasl.jaas.config password -
sasl.kerberos.kinit.cmd string /usr/bin/kinit
sasl.kerberos.min.time.before.relogin long 60000
sasl.kerberos.principal.to.local.rules list DEFAULT
sasl.kerberos.service.name string -
sasl.kerberos.ticket.renew.jitter double 0.05
sasl.kerberos.ticket.renew.window.factor double 0.8
sasl.login.callback.handler.class class -
sasl.login.class class -
sasl.login.connect.timeout.ms int -
sasl.login.read.timeout.ms int -
sasl.login.refresh.buffer.seconds short 300
sasl.login.refresh.min.period.seconds short 60
sasl.login.refresh.window.factor double 0.8
sasl.login.refresh.window.jitter double 0.05
sasl.login.retry.backoff.max.ms long 10000
sasl.login.retry.backoff.ms long 100
sasl.mechanism.controller.protocol string GSSAPI
sasl.mechanism.inter.broker.protocol string GSSAPI
sasl.oauthbearer.assertion.algorithm string RS256
sasl.oauthbearer.assertion.claim.aud string -
sasl.oauthbearer.assertion.claim.exp.seconds int 300
sasl.oauthbearer.assertion.claim.iss string -
sasl.oauthbearer.assertion.claim.jti.include boolean false
sasl.oauthbearer.assertion.claim.nbf.seconds int 60
sasl.oauthbearer.assertion.claim.sub string -
sasl.oauthbearer.assertion.file string -
sasl.oauthbearer.assertion.private.key.file string -
sasl.oauthbearer.assertion.private.key.passphrase password -
sasl.oauthbearer.assertion.template.file string -
sasl.oauthbearer.client.credentials.client.id string -
sasl.oauthbearer.client.credentials.client.secret password -
sasl.oauthbearer.clock.skew.seconds int 30
sasl.oauthbearer.expected.audience list ''
sasl.oauthbearer.expected.issuer string -
sasl.oauthbearer.jwks.endpoint.refresh.ms long 3600000
sasl.oauthbearer.jwks.endpoint.retry.backoff.max.ms long 10000
sasl.oauthbearer.jwks.endpoint.retry.backoff.ms long 100
sasl.oauthbearer.jwks.endpoint.url string -
sasl.oauthbearer.jwt.retriever.class class ...
sasl.oauthbearer.jwt.validator.class class ...
sasl.oauthbearer.scope string -
sasl.oauthbearer.scope.claim.name string scope
sasl.oauthbearer.sub.claim.name string sub
sasl.oauthbearer.token.endpoint.url string -
sasl.server.callback.handler.class class -
sasl.server.max.receive.size int 524288
security.inter.broker.protocol string PLAINTEXT
security.providers string -
share.coordinator.append.linger.ms int -1
share.coordinator.cached.buffer.max.bytes int 1048588 changeable
share.coordinator.load.buffer.size int 5242880
share.coordinator.snapshot.update.records.per.snapshot int 500
share.coordinator.state.topic.compression.codec int 0
share.coordinator.state.topic.segment.bytes int 104857600
share.coordinator.threads int 1
share.coordinator.write.timeout.ms int 5000
share.fetch.purgatory.purge.interval.requests int 1000
socket.connection.setup.timeout.max.ms long 30000
socket.connection.setup.timeout.ms long 10000
ssl.allow.dn.changes boolean false
ssl.allow.san.changes boolean false
ssl.cipher.suites list ''
ssl.client.auth string none
ssl.enabled.protocols list TLSv1.2,TLSv1.3
ssl.endpoint.identification.algorithm string https
ssl.engine.factory.class class -
ssl.key.password password -
ssl.keymanager.algorithm string SunX509
ssl.keystore.certificate.chain password -
ssl.keystore.key password -
ssl.keystore.location string -
ssl.keystore.password password -
ssl.keystore.type string JKS
ssl.principal.mapping.rules string DEFAULT
ssl.protocol string TLSv1.3
ssl.provider string -
ssl.secure.random.implementation string -
ssl.trustmanager.algorithm string PKIX
ssl.truststore.certificates password -
ssl.truststore.location string -
ssl.truststore.password password -
ssl.truststore.type string JKS
transaction.state.log.load.buffer.size int 5242880
zookeeper.clientCnxnSocket string -
zookeeper.max.in.flight.requests int 10
zookeeper.metadata.migration.enable boolean false
zookeeper.set.acl boolean false
zookeeper.ssl.cipher.suites list -
zookeeper.ssl.client.enable boolean false
zookeeper.ssl.crl.enable boolean false
zookeeper.ssl.enabled.protocols list -
zookeeper.ssl.endpoint.identification.algorithm string HTTPS
zookeeper.ssl.keystore.location string -
zookeeper.ssl.keystore.password password -
zookeeper.ssl.keystore.type string -
zookeeper.ssl.ocsp.enable boolean false
zookeeper.ssl.protocol string TLSv1.2
zookeeper.ssl.truststore.location string -
zookeeper.ssl.truststore.password password -
zookeeper.ssl.truststore.type string -
zookeeper.sync.time.ms int 2000
"""


class InertRow(NamedTuple):
    """One property."""

    row: Setting
    changeable: bool


@cache
def inert_rows() -> Mapping[str, InertRow]:
    """All of them by name. Built on first use, so that a broker starts faster."""
    rows = {}
    for line in _TABLE.split("\n"):
        words = line.split()
        if words:
            name, kind, default, *changeable = words
            setting = Setting(Kind[kind.upper()], _LONG.get(name, default), LOW, _text(name))
            setting.__set_name__(InertRow, name.replace(".", "_"))
            setting.default = _default(setting)
            rows[name] = InertRow(setting, bool(changeable))
    return MappingProxyType(rows)


def _default(setting: Setting) -> object:
    if setting.default == "-":
        return None
    return setting.parse("" if setting.default == "''" else setting.default)


def _text(name: str) -> str:
    return f"{meanings()[name]} No effect here: {why_ignored(BROKER_NAMES, name)}."
