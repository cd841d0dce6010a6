"""What the properties without effect here mean in Kafka; see `config.inert_broker`.

Each line: the name and its meaning. Source: the documentation of Apache Kafka.
"""

from collections.abc import Mapping
from functools import cache

_TABLE = """
add.partitions.to.txn.retry.backoff.max.ms The longest pause before a partition is added again.
add.partitions.to.txn.retry.backoff.ms The first pause before a partition is added again.
advertised.host.name The host that clients connect to, where advertised.listeners says none.
advertised.port The port that clients connect to, where advertised.listeners says none.
alter.config.policy.class.name The class that may veto changes of properties.
alter.config.policy.kraft.compatibility.enable Whether that class is asked as with ZooKeeper.
authorizer.class.name The class that decides who may do what; without one everybody may all.
auto.include.jmx.reporter Whether the reporter of JMX is there without being named.
background.threads The threads for chores that nobody waits for.
broker.heartbeat.interval.ms The pause between two signs of life to the controller.
broker.id The number of the broker, under the name it had before node.id.
broker.id.generation.enable Whether a broker without a number is given one.
broker.session.timeout.ms After which silence the controller fences the broker.
client.quota.callback.class The class that decides which quota a client has.
config.providers Names of the classes that look up values kept elsewhere, such as secrets.
connection.failed.authentication.delay.ms How long a refused login is left to wait for its answer.
connections.max.reauth.ms For how long a login is good before it must be repeated; 0: for ever.
control.plane.listener.name The listener at which the controller speaks to the broker.
controlled.shutdown.max.retries How often a stopping broker tries to hand its partitions over.
controlled.shutdown.retry.backoff.ms The pause between two such tries.
controller.quorum.append.linger.ms How long the leading controller gathers changes for one write.
controller.quorum.auto.join.enable Whether a controller makes itself a voter when it starts.
controller.quorum.bootstrap.servers Controllers to ask first for the others.
controller.quorum.election.backoff.max.ms The longest random pause before another election.
controller.quorum.election.timeout.ms How long a candidate waits for votes.
controller.quorum.fetch.max.bytes The most of the metadata log that one fetch brings.
controller.quorum.fetch.snapshot.max.bytes The most of a metadata snapshot that one fetch brings.
controller.quorum.fetch.timeout.ms How long followers go without their leader before they vote.
controller.quorum.request.timeout.ms How long a controller waits for the answer of another.
controller.quorum.retry.backoff.ms The pause before a controller asks another one again.
controller.quorum.voters The controllers that elect, each as id@host:port.
controller.socket.timeout.ms How long the connection to a controller may be silent.
cordoned.log.dirs Directories that get no new partitions.
create.topic.policy.class.name The class that may veto new topics.
delegation.token.expiry.check.interval.ms How often expired tokens are looked for.
delegation.token.expiry.time.ms For how long a token is good unless it is renewed.
delegation.token.master.key The secret that signs tokens, under its name of old.
delegation.token.max.lifetime.ms How old a token may become, however often it is renewed.
delegation.token.secret.key The secret that signs tokens, the same at each broker.
delete.records.purgatory.purge.interval.requests After how many requests ended ones are swept.
early.start.listeners Listeners that open before access rules are loaded.
eligible.leader.replicas.enable Whether replicas are noted that may lead though out of sync.
fetch.purgatory.purge.interval.requests After how many fetches ended ones are swept.
follower.fetch.last.tiered.offset.enable Whether a new replica begins behind what was moved away.
group.coordinator.append.linger.ms How long the coordinator gathers records; -1: as load asks.
group.coordinator.background.threads Threads of the coordinator for its longer work.
group.coordinator.cached.buffer.max.bytes The largest write buffer that the coordinator keeps.
group.coordinator.threads Threads that work for groups.
group.share.assignors The ways to spread partitions over the members of a share group.
group.share.max.groups How many share groups there may be.
host.name The address that is listened on, where listeners says none.
initial.broker.registration.timeout.ms How long a starting broker tries to register.
inter.broker.listener.name The listener by which brokers talk to each other.
kafka.metrics.polling.interval.secs How often metrics are handed to kafka.metrics.reporters.
kafka.metrics.reporters Classes that take the older kind of metrics.
log.cleaner.io.buffer.size The memory for reading and writing of all threads that compact.
log.cleaner.threads How many threads compact.
log.dir.failure.timeout.ms How long a broker with a failed directory tries to inform the controller.
log.flush.start.offset.checkpoint.interval.ms How often the first offsets of logs are written down.
max.connection.creation.rate How many connections a second are taken.
max.connections.per.ip.overrides Other limits of connections for some addresses.
max.request.partition.size.limit The most partitions that one DescribeTopicPartitions tells of.
metadata.log.dir Where the metadata log is; else in the first of log.dirs.
metadata.log.max.record.bytes.between.snapshots After how many bytes of changes a snapshot is due.
metadata.log.max.snapshot.interval.ms After how long a snapshot of the metadata is due.
metadata.log.segment.bytes The size of a segment of the metadata log.
metadata.log.segment.ms The age at which a segment of the metadata log is closed.
metadata.max.idle.interval.ms How often the leading controller writes when it has nothing to say.
metadata.max.retention.bytes How large the metadata log and its snapshots may grow.
metadata.max.retention.ms How long old snapshots and segments of the metadata log are kept.
metric.reporters Classes that take metrics.
metrics.num.samples Over how many samples a metric is computed.
metrics.recording.level How detailed the metrics are that are kept.
metrics.sample.window.ms The length of a sample of a metric.
num.io.threads Threads that work on requests, disk included.
num.network.threads Threads of each listener that read requests and write answers.
num.recovery.threads.per.data.dir Threads that open and close the logs of each directory.
num.replica.alter.log.dirs.threads Threads that move replicas between directories.
num.replica.fetchers Threads that copy from each other broker.
offsets.commit.required.acks How many replicas must have a commit before it is answered.
offsets.commit.timeout.ms How long a commit waits until all replicas have it.
offsets.load.buffer.size How much of the offsets' log is read at once when it is loaded.
password.encoder.cipher.algorithm The cipher of passwords that are kept in ZooKeeper.
password.encoder.iterations How often a password's key is hashed.
password.encoder.key.length The bits of a password's key.
password.encoder.keyfactory.algorithm What makes that key.
password.encoder.old.secret The secret before the one in use.
password.encoder.secret The secret that passwords in ZooKeeper are encoded with.
port The port that is listened on, where listeners says none.
principal.builder.class The class that says who is behind a connection.
process.roles Whether the process is a broker, a controller or both.
producer.purgatory.purge.interval.requests After how many Produce requests ended ones are swept.
queued.max.requests How many requests may wait before no more are read.
quota.consumer.default The bytes a second that a consumer may read, where no quota says more.
quota.producer.default The bytes a second that a producer may write, where no quota says more.
remote.fetch.max.wait.ms How long a fetch waits for records from remote storage.
remote.list.offsets.request.timeout.ms How long ListOffsets waits for remote storage.
remote.log.index.file.cache.total.size.bytes The disk for copies of indexes from remote storage.
remote.log.manager.copier.thread.pool.size Threads that copy segments to remote storage.
remote.log.manager.copy.max.bytes.per.second How fast a broker copies to remote storage at most.
remote.log.manager.copy.quota.window.num How many samples measure copies to remote storage.
remote.log.manager.copy.quota.window.size.seconds The seconds of a sample of copies.
remote.log.manager.expiration.thread.pool.size Threads that delete old segments from remote storage.
remote.log.manager.fetch.max.bytes.per.second How fast a broker reads remote storage at most.
remote.log.manager.fetch.quota.window.num How many samples measure reads of remote storage.
remote.log.manager.fetch.quota.window.size.seconds The seconds of a sample of reads.
remote.log.manager.follower.thread.pool.size Threads that follow what leaders have moved away.
remote.log.manager.task.interval.ms How often it is looked for segments to copy or delete.
remote.log.manager.thread.pool.size Threads for remote storage, before each task had its own.
remote.log.metadata.custom.metadata.max.bytes The most a storage plugin may note for each segment.
remote.log.metadata.manager.class.name The class that keeps track of segments in remote storage.
remote.log.metadata.manager.class.path Where the class that tracks remote segments is.
remote.log.metadata.manager.impl.prefix How the names of its own properties begin.
remote.log.metadata.manager.listener.name The listener for the class that tracks remote segments.
remote.log.reader.max.pending.tasks How many reads of remote storage may wait.
remote.log.reader.threads Threads that read remote storage.
remote.log.storage.manager.class.name The class that stores segments elsewhere.
remote.log.storage.manager.class.path Where the class that stores segments elsewhere is.
remote.log.storage.manager.impl.prefix How the names of its own properties begin.
remote.log.storage.system.enable Whether the broker can move segments to remote storage at all.
replica.fetch.min.bytes How much a follower wants to be there before it is answered.
replica.high.watermark.checkpoint.interval.ms How often high watermarks are written to disk.
replica.socket.receive.buffer.bytes The receive buffer of connections to leaders.
replica.socket.timeout.ms How long a follower waits for a leader's answer.
request.timeout.ms How long the broker waits for answers to its own requests.
reserved.broker.max.id The greatest number of a broker that is given by hand.
sasl.client.callback.handler.class The class that a broker asks for its login elsewhere.
sasl.enabled.mechanisms The ways in which clients may log in.
sasl.jaas.config The login of a listener, in the words of JAAS.
sasl.kerberos.kinit.cmd The command that gets a Kerberos ticket.
sasl.kerberos.min.time.before.relogin The least pause between two renewals of a ticket.
sasl.kerberos.principal.to.local.rules How a Kerberos principal becomes a short name.
sasl.kerberos.service.name The name that brokers have as a Kerberos service.
sasl.kerberos.ticket.renew.jitter The random share added to the time of renewal.
sasl.kerberos.ticket.renew.window.factor After which share of its life a ticket is renewed.
sasl.login.callback.handler.class The class that gives the broker's own login its details.
sasl.login.class The class that logs the broker in.
sasl.login.connect.timeout.ms How long to wait for a connection to who issues tokens.
sasl.login.read.timeout.ms How long to wait for an answer of who issues tokens.
sasl.login.refresh.buffer.seconds How long before its end a token is renewed at the latest.
sasl.login.refresh.min.period.seconds The least time before a token is renewed.
sasl.login.refresh.window.factor After which share of its life a token is renewed.
sasl.login.refresh.window.jitter The random share added to the time when a token is renewed.
sasl.login.retry.backoff.max.ms The longest pause before a token is asked for again.
sasl.login.retry.backoff.ms The first pause before a token is asked for again.
sasl.mechanism.controller.protocol How brokers log in at controllers.
sasl.mechanism.inter.broker.protocol How brokers log in at each other.
sasl.oauthbearer.assertion.algorithm How an assertion is signed.
sasl.oauthbearer.assertion.claim.aud For whom an assertion is meant.
sasl.oauthbearer.assertion.claim.exp.seconds For how long an assertion is good.
sasl.oauthbearer.assertion.claim.iss Who made an assertion.
sasl.oauthbearer.assertion.claim.jti.include Whether an assertion has an id of its own.
sasl.oauthbearer.assertion.claim.nbf.seconds How far back an assertion begins to be good.
sasl.oauthbearer.assertion.claim.sub Whom an assertion is about.
sasl.oauthbearer.assertion.file A file with a finished assertion.
sasl.oauthbearer.assertion.private.key.file The file of the key that signs assertions.
sasl.oauthbearer.assertion.private.key.passphrase What opens the key that signs assertions.
sasl.oauthbearer.assertion.template.file A file of what assertions hold besides.
sasl.oauthbearer.client.credentials.client.id The name with which tokens are asked for.
sasl.oauthbearer.client.credentials.client.secret The secret with which tokens are asked for.
sasl.oauthbearer.clock.skew.seconds How far clocks may differ when tokens are judged.
sasl.oauthbearer.expected.audience For whom a token must be meant.
sasl.oauthbearer.expected.issuer Who must have made a token.
sasl.oauthbearer.jwks.endpoint.refresh.ms How often the keys that tokens are judged by are read.
sasl.oauthbearer.jwks.endpoint.retry.backoff.max.ms The longest pause before keys are read again.
sasl.oauthbearer.jwks.endpoint.retry.backoff.ms The first pause before keys are read again.
sasl.oauthbearer.jwks.endpoint.url Where the keys are that tokens are judged by.
sasl.oauthbearer.jwt.retriever.class The class that gets tokens.
sasl.oauthbearer.jwt.validator.class The class that judges tokens.
sasl.oauthbearer.scope What a token is asked for to allow.
sasl.oauthbearer.scope.claim.name Where in a token it says what it allows.
sasl.oauthbearer.sub.claim.name Where in a token it says who has it.
sasl.oauthbearer.token.endpoint.url Where tokens are asked for.
sasl.server.callback.handler.class The class that checks the details of a client's login.
sasl.server.max.receive.size The largest message of a login.
security.inter.broker.protocol How brokers secure their talk, where no listener is named for it.
security.providers Classes that bring algorithms to Java.
share.coordinator.append.linger.ms How long the share coordinator gathers records; -1: as load asks.
share.coordinator.cached.buffer.max.bytes The largest write buffer the share coordinator keeps.
share.coordinator.load.buffer.size How much of the states of share groups is loaded at once.
share.coordinator.snapshot.update.records.per.snapshot After how many updates all is written anew.
share.coordinator.state.topic.compression.codec How states of share groups are compressed: a number.
share.coordinator.state.topic.segment.bytes The segment size of states of share groups.
share.coordinator.threads Threads that work for the state of share groups.
share.coordinator.write.timeout.ms How long a write of a share group's state waits.
share.fetch.purgatory.purge.interval.requests After how many share fetches ended ones are swept.
socket.connection.setup.timeout.max.ms The most time that a connection gets to be made.
socket.connection.setup.timeout.ms The time that a first attempt to connect gets.
ssl.allow.dn.changes Whether a new certificate may have another distinguished name.
ssl.allow.san.changes Whether a new certificate may lack alternative names of the old one.
ssl.cipher.suites The ciphers that may be agreed on; none: all that Java has.
ssl.client.auth Whether clients must, may or need not show a certificate.
ssl.enabled.protocols The versions of TLS that may be agreed on.
ssl.endpoint.identification.algorithm How the name in a server's certificate is checked.
ssl.engine.factory.class The class that makes TLS engines.
ssl.key.password What opens the private key.
ssl.keymanager.algorithm The algorithm of Java's key manager.
ssl.keystore.certificate.chain The certificates of the broker, as text.
ssl.keystore.key The private key, as text.
ssl.keystore.location The file with the broker's key and certificates.
ssl.keystore.password What opens the file with the broker's key.
ssl.keystore.type The format of the file with the broker's key.
ssl.principal.mapping.rules How the name in a certificate becomes a user's.
ssl.protocol The version of TLS that is begun with.
ssl.provider The provider of Java that does TLS.
ssl.secure.random.implementation Where TLS has its random numbers from.
ssl.trustmanager.algorithm The algorithm of Java's trust manager.
ssl.truststore.certificates The certificates that are trusted, as text.
ssl.truststore.location The file with the certificates that are trusted.
ssl.truststore.password What opens the file with trusted certificates.
ssl.truststore.type The format of the file with trusted certificates.
transaction.state.log.load.buffer.size How much of the transactions' log is read at once at loading.
zookeeper.clientCnxnSocket The class that connects to ZooKeeper.
zookeeper.max.in.flight.requests How many requests wait for answers of ZooKeeper at once.
zookeeper.metadata.migration.enable Whether what ZooKeeper keeps is moved to controllers.
zookeeper.set.acl Whether nodes in ZooKeeper are the broker's alone.
zookeeper.ssl.cipher.suites The ciphers of TLS with ZooKeeper.
zookeeper.ssl.client.enable Whether ZooKeeper is spoken to with TLS.
zookeeper.ssl.crl.enable Whether lists of revoked certificates are looked at.
zookeeper.ssl.enabled.protocols The versions of TLS with ZooKeeper.
zookeeper.ssl.endpoint.identification.algorithm How ZooKeeper's name is held to its certificate.
zookeeper.ssl.keystore.location The file of the broker's key for ZooKeeper.
zookeeper.ssl.keystore.password The password of that file.
zookeeper.ssl.keystore.type The format of that file.
zookeeper.ssl.ocsp.enable Whether it is asked if certificates are revoked.
zookeeper.ssl.protocol The version of TLS that is begun with.
zookeeper.ssl.truststore.location The file of certificates that ZooKeeper may have.
zookeeper.ssl.truststore.password The password of that file.
zookeeper.ssl.truststore.type The format of that file.
zookeeper.sync.time.ms How far behind its leader a ZooKeeper may be.
"""


@cache
def meanings() -> Mapping[str, str]:
    """The meaning of each property, by name."""
    rows = (line.partition(" ") for line in _TABLE.strip().split("\n"))
    return {name: text for name, _, text in rows}
