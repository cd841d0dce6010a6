"""BrokerServer: starts a broker over its ports, runs its periodic work, stops it in order."""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from barnabas.broker.broker import Broker
from barnabas.broker.connections.client_connections import IDLE_TICKS, Connections, MakeClient
from barnabas.broker.connections.connection import ClientConnection
from barnabas.broker.connections.open_listeners import open_listeners
from barnabas.broker.properties.broker_settings import BrokerSettings
from barnabas.broker.properties.cleaner_properties import cleaner_settings
from barnabas.broker.properties.log_properties import log_config
from barnabas.broker.server.assembly import Environment, assemble
from barnabas.broker.server.background import Background, Job
from barnabas.broker.topics.assignments import check_count, check_total, placed
from barnabas.broker.topics.start_configs import StartConfigs
from barnabas.broker.zookeeper.registrations import Registries, name_cluster, register
from barnabas.config.broker import BrokerConfig
from barnabas.config.listeners import Endpoint
from barnabas.config.startup_checks import check_at_start
from barnabas.coordinators.internal_topics import TRANSACTIONS_TOPIC
from barnabas.errors import KafkaError
from barnabas.log.cleaner import LogCleaner
from barnabas.log.directories.meta_properties import WITH_ZOOKEEPER, WITHOUT_ZOOKEEPER
from barnabas.log.file_names import uuid_text
from barnabas.log.log_start import LogEvent, LogSettings
from barnabas.log.manager import LogManager
from barnabas.ports import Listener

if TYPE_CHECKING:
    from barnabas.broker.transactions.transactions import Transactions
    from barnabas.broker.zookeeper.registrations import AnyRegistration

log = logging.getLogger(__name__)

_MAINTENANCE_SECONDS = 1.0
_CLEANER_SECONDS = 1.0
_STOP_SECONDS = 5.0
_ONE_BROKER = (
    "default.replication.factor=%d needs more brokers than this one: a topic whose creator does not "
    "ask for 1 is refused with INVALID_REPLICATION_FACTOR, and none is made on first use"
)


class BrokerServer:
    """One broker. All calls and callbacks are on the thread of its loop."""

    def __init__(
        self,
        config: BrokerConfig,
        environment: Environment,
        open_registries: Callable[[Sequence[str]], Registries],
        make_client: MakeClient = ClientConnection,
    ) -> None:
        """`open_registries` is called with the log directories that can be used, once they are locked."""
        self._config = config
        self._make_client = make_client
        self._settings = BrokerSettings(config)
        self._environment = environment
        self._open_registries = open_registries
        self._registries: Registries | None = None
        self._start_configs = StartConfigs(lambda: self._the_registries.own, self._settings)
        self._registrations: list[AnyRegistration] = []
        self._broker: Broker | None = None
        self._background = Background(environment.timers)
        self._listeners: list[Listener] = []
        self._connections: Connections | None = None
        self._logs = LogManager(
            environment.disk,
            environment.clock,
            environment.entropy,
            LogSettings(
                config.node_id,
                config.directories,
                config.log_retention_check_interval_ms,
                config.log_flush_offset_checkpoint_interval_ms,
                config.producer_id_expiration_check_interval_ms,
                cluster_id=self._cluster_id,
                meta_version=WITH_ZOOKEEPER if config.zookeeper_connect else WITHOUT_ZOOKEEPER,
            ),
            self._start_configs.config_of,
        )
        self._cleaner = LogCleaner(
            self._logs,
            environment.worker,
            environment.entropy,
            cleaner_settings(config),
        )

    def start(self) -> dict[str, Endpoint]:
        """Open logs and listeners; gives what clients connect to, by listener name.

        Raises:
            ConfigError: properties exclude each other.
            KafkaError: a directory, the registry or an address cannot be used; nothing stays open.
        """
        environment = self._environment
        check_at_start(self._config)
        log_config({}, self._config)  # reports now what no topic could have, not at its creation
        if self._config.default_replication_factor > 1 and not self._config.cluster_member:
            log.warning(_ONE_BROKER, self._config.default_replication_factor)
        try:
            _report(self._logs.open(self._open_the_registries))
            self._the_registries.spread(self._logs.usable_paths)
        except KafkaError:
            self._close_registries()
            raise
        try:
            # Callbacks run in reverse order: this one is the last.
            self._settings.on_change.append(self._adopt)
            broker = self._broker = assemble(
                self._config, self._settings, environment, self._the_registries, self._logs
            )
            self._start_configs.forget()
            self._cleaner.configure(cleaner_settings(self._settings.current))
            self._connections = Connections(broker, self._make_client)
            open_listeners(broker, environment.network, self._connections.accept, self._listeners)
            self._registrations = register(self._the_registries, broker, environment.disk)
        except KafkaError:
            self._close_listeners()
            _report(self._logs.close())
            self._close_registries()
            raise
        broker.log_moves.resume()
        self._start_background(broker, self._connections)
        for name, endpoint in broker.advertised.items():
            log.info(
                "broker started",
                extra={
                    "node": self._config.node_id,
                    "cluster": broker.cluster_id,
                    "listener": name,
                    "address": f"{endpoint.host}:{endpoint.port}",
                },
            )
        return broker.advertised

    @property
    def broker(self) -> Broker:
        """The services of the broker, once it was started."""
        assert self._broker is not None, "the broker was not started"
        return self._broker

    @property
    def connections(self) -> Connections:
        """The connections of clients, once it was started."""
        assert self._connections is not None, "the broker was not started"
        return self._connections

    def create_topic(self, name: str, partitions: int, config: Mapping[str, str]) -> None:
        """Create a topic on this broker; for programs that run it in their process.

        Raises:
            BrokerError: it exists, or name, properties or so many partitions are not allowed.
            StorageError: it cannot be written.
        """
        check_count(partitions)
        check_total(partitions)
        replicas = placed(range(partitions), 1, self._config.node_id)
        self.broker.topics.create(name, replicas, config)

    def stop(self, on_stopped: Callable[[], None], *, hand_over: bool = True) -> None:
        """Take no more requests, answer those there are, close everything, then call `on_stopped`.

        Clients that do not take their replies within five seconds are cut off. A member of a cluster has
        its controller move its leaders away first (`hand_over`), and serves meanwhile.
        """
        log.info("broker stops", extra={"node": self._config.node_id})
        member = self._broker.member if self._broker is not None else None
        if member is None or not hand_over:
            self._stop(on_stopped)
        else:
            member.to_controller.hand_over(partial(self._stop, on_stopped))

    def abandon(self) -> None:
        """End as if killed: nobody is answered, and nothing is written."""
        self._end_duties().close()
        self._cleaner.close()
        self._logs.abandon()
        self._close_registries()

    def _end_duties(self) -> Connections:
        """Begin nothing more; the connections that are left."""
        if self._broker is not None and self._broker.member is not None:
            self._broker.member.close()
        self._close_listeners()
        if self._broker is not None:
            self._broker.log_moves.close()
        self._background.stop()
        for registration in self._registrations:
            registration.stop()
        assert self._connections is not None, "a broker is started before it is stopped"
        return self._connections

    def _stop(self, on_stopped: Callable[[], None]) -> None:
        connections = self._end_duties()

        def end() -> None:
            deadline.cancel()
            try:
                self.broker.topics.close()
                self._cleaner.close()
                _report(self._logs.close())
                self._close_registries()
                log.info("broker stopped", extra={"node": self._config.node_id})
            finally:
                on_stopped()  # Nobody waits for ever, whatever went wrong.

        def cut_off() -> None:
            log.warning("connections cut off", extra={"connections": len(connections)})
            connections.close()

        deadline = self._environment.timers.after(_STOP_SECONDS, cut_off)
        self.broker.purgatory.finish_all()
        self.broker.end_groups()
        connections.finish(lambda: self._environment.timers.soon(end))

    def _open_the_registries(self) -> None:
        self._registries = self._open_registries(self._logs.usable_paths)
        self._settings.load(self._settings.read(self._registries.own))

    @property
    def _the_registries(self) -> Registries:
        assert self._registries is not None, "they are opened when the directories are locked"
        return self._registries

    def _close_registries(self) -> None:
        if self._registries is not None:
            self._registries.close()

    def _cluster_id(self) -> str:
        """Of the cluster that new log directories are of; empty for a new one."""
        shared = self._the_registries.shared
        if shared is None:
            return ""
        return name_cluster(shared, uuid_text(self._environment.entropy.uuid()))

    def _adopt(self, config: BrokerConfig) -> None:
        """Use these properties from now on, except those that cannot change while the broker runs."""
        self.broker.config = config
        self.broker.topics.adopt(config)
        self.broker.log_moves.adopt(config)
        if self.broker.member is not None:
            self.broker.member.adopt(config)
        self._cleaner.configure(cleaner_settings(config))

    def _start_background(self, broker: Broker, connections: Connections) -> None:
        expiry_ms = self._config.offsets_retention_check_interval_ms
        self._background.every(expiry_ms / 1000, "offset expiry", broker.offsets.expire)
        self._attend_to_transactions(broker)
        if broker.member is not None:
            seconds = broker.member.tick_seconds
            self._background.every(seconds, "replicas in sync", broker.member.tick)
        self._background.every(_MAINTENANCE_SECONDS, "log maintenance", self._maintain)
        self._background.every(_CLEANER_SECONDS, "log cleaner", self._compact)
        idle_ms = self._config.connections_max_idle_ms
        if idle_ms > 0:
            self._background.every(
                idle_ms / 1000 / IDLE_TICKS, "idle connections", connections.close_idle
            )

    def _attend_to_transactions(self, broker: Broker) -> None:
        """End what was decided before the start, and from time to time what is overdue."""

        def when_used(job: Callable[["Transactions"], Iterator[None]]) -> Job:
            def run() -> Iterator[None]:
                if broker.topics.get(TRANSACTIONS_TOPIC) is not None:
                    yield from job(broker.transactions)

            return run

        config, every = broker.config, self._background.every
        resume = when_used(lambda one: one.resume())
        seconds = config.transaction_abort_timed_out_transaction_cleanup_interval_ms / 1000
        self._background.once("decided transactions at the start", resume)
        if broker.member is not None:
            # What others coordinated before may be decided, and not be at its end.
            every(seconds, "decided transactions", resume)
        every(seconds, "overdue transactions", when_used(lambda one: one.attend()))
        seconds = config.transaction_remove_expired_transaction_cleanup_interval_ms / 1000
        every(seconds, "expired transactions", when_used(lambda one: one.expire()))

    def _maintain(self) -> Iterator[None]:
        for events in self._logs.maintain_in_steps(self._environment.clock.time_ms()):
            _report(events)
            yield

    def _compact(self) -> None:
        _report(self._cleaner.poll(self._environment.clock.time_ms()))

    def _close_listeners(self) -> None:
        for listener in self._listeners:
            listener.close()
        self._listeners.clear()


def _report(events: list[LogEvent]) -> None:
    for event in events:
        quietly = logging.WARNING if event.loss else logging.INFO
        log.log(
            logging.ERROR if event.problem else quietly,
            "log %s",
            event.text,
            extra=event.partition._asdict() if event.partition else {},
        )
