"""Properties of brokers and groups in older Kafka releases: which existed, with which default.

The tables are in `property_releases` and `old_defaults`, with their sources.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from types import MappingProxyType

from barnabas.config.definition import Setting
from barnabas.config.old_defaults import OLD_DEFAULTS
from barnabas.config.property_releases import CAME, WENT
from barnabas.config.releases import is_before, is_reported_by_07

_OUR_OWN = frozenset(
    {
        "client.state.max.bytes",
        "cluster.member",
        "listener.dialect.map",
        "socket.request.max.memory.bytes",
        "topic.partition.count.map",
    }
)
"""Properties that no Kafka since 0.8 has."""

_NOT_DESCRIBED = frozenset({"producer.id.expiration.check.interval.ms"})
"""Properties that Kafka reports only where they are set, up to the given release line."""

_CHANGEABLE = """
1.1 advertised.listeners background.threads compression.type listener.security.protocol.map
1.1 listeners log.cleaner.backoff.ms log.cleaner.dedupe.buffer.size
1.1 log.cleaner.delete.retention.ms log.cleaner.io.buffer.load.factor log.cleaner.io.buffer.size
1.1 log.cleaner.io.max.bytes.per.second log.cleaner.min.cleanable.ratio
1.1 log.cleaner.min.compaction.lag.ms log.cleaner.threads log.cleanup.policy
1.1 log.flush.interval.messages log.flush.interval.ms log.index.interval.bytes
1.1 log.index.size.max.bytes log.message.timestamp.difference.max.ms log.message.timestamp.type
1.1 log.preallocate log.retention.bytes log.retention.ms log.roll.jitter.ms log.roll.ms
1.1 log.segment.bytes log.segment.delete.delay.ms message.max.bytes metric.reporters
1.1 min.insync.replicas num.io.threads num.network.threads num.recovery.threads.per.data.dir
1.1 num.replica.fetchers principal.builder.class sasl.enabled.mechanisms sasl.kerberos.kinit.cmd
1.1 sasl.kerberos.min.time.before.relogin sasl.kerberos.principal.to.local.rules
1.1 sasl.kerberos.service.name sasl.kerberos.ticket.renew.jitter
1.1 sasl.kerberos.ticket.renew.window.factor sasl.mechanism.inter.broker.protocol
1.1 ssl.cipher.suites ssl.client.auth ssl.enabled.protocols ssl.endpoint.identification.algorithm
1.1 ssl.key.password ssl.keymanager.algorithm ssl.keystore.location ssl.keystore.password
1.1 ssl.keystore.type ssl.protocol ssl.provider ssl.secure.random.implementation
1.1 ssl.trustmanager.algorithm ssl.truststore.location ssl.truststore.password ssl.truststore.type
1.1 unclean.leader.election.enable
2.1 max.connections.per.ip max.connections.per.ip.overrides
4.0 remote.log.manager.copier.thread.pool.size remote.log.manager.expiration.thread.pool.size
4.0 remote.log.reader.threads
"""
"""Release lines, each with properties that became changeable at run time.

A property not listed that is changeable today always was.
"""


def is_of(release: str, name: str) -> bool:
    """Whether brokers or groups of a release line report a property; empty for the current one."""
    if name in _NOT_DESCRIBED:
        return False
    if not release:
        return name not in _lines(WENT)
    if is_reported_by_07(release, name):
        return True
    if name in _OUR_OWN or not _has_come(CAME, name, release):
        return False
    gone = _lines(WENT).get(name)
    return gone is None or is_before(release, gone)


def is_changeable_in(release: str, name: str) -> bool:
    """Whether a release's broker could change a property at run time that is changeable today."""
    return not release or _has_come(_CHANGEABLE, name, release)


def default_in(release: str, row: Setting) -> object:
    """Return the default of a broker property, or of a topic property that follows it, in a release line."""
    for text, bound in _defaults().get(row.synonym or row.name, ()):
        if is_before(release, bound):
            return None if text == "-" else row.parse("" if text == "''" else text, release)
    return row.default


def _has_come(table: str, name: str, release: str) -> bool:
    since = _lines(table).get(name)
    return since is None or not is_before(release, since)


@cache
def _lines(table: str) -> Mapping[str, str]:
    """The release line of each property in a table."""
    return MappingProxyType({name: line for line, *names in _words(table) for name in names})


@cache
def _defaults() -> Mapping[str, tuple[tuple[str, str], ...]]:
    """By property: texts, each with the release line before which it was the default."""
    found: dict[str, tuple[tuple[str, str], ...]] = {}
    for name, *words in _words(OLD_DEFAULTS):
        parts = (word.rpartition("<") for word in words)
        found[name] = (*found.get(name, ()), *((text, bound) for text, _, bound in parts))
    return MappingProxyType(found)


def _words(table: str) -> Iterator[list[str]]:
    return (line.split() for line in table.strip().split("\n"))
