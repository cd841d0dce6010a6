"""ControllerClient: a member's requests to the controller, which may be this broker itself."""

import logging
from collections.abc import Callable
from functools import partial
from itertools import islice

from barnabas.broker.cluster.inter_broker import InterBrokerVersions
from barnabas.broker.cluster.peer_connection import (
    Address,
    OnAnswer,
    PeerConnection,
    address_of,
)
from barnabas.cluster.image import ClusterImage
from barnabas.config.broker import BrokerConfig
from barnabas.errors import ConnectionFailed
from barnabas.ports import Timers
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.controlled_shutdown import (
    ControlledShutdownRequest,
    ControlledShutdownResponse,
)
from barnabas.protocol.create_topics import (
    CreatableTopic,
    CreatableTopicConfig,
    CreateTopicsRequest,
)
from barnabas.types import RequestedTopic

log = logging.getLogger(__name__)

_PATIENCE_SECONDS = 30.0
_CREATE_TOPICS = 1
"""The version of CreateTopics that this broker sends: all brokers with ZooKeeper support it."""
MOST_TOPICS = 1000
"""Topics that may wait for the controller. Clients repeat requests, and may name any number of topics."""
TOPICS_A_REQUEST = 32
_TRIES = 3
_PAUSE_SECONDS = 1.0


class ControllerClient:
    """Sends each request over a new connection to the controller named by the last UpdateMetadata."""

    def __init__(
        self,
        config: BrokerConfig,
        versions: InterBrokerVersions,
        timers: Timers,
        connect: Callable[[Address], PeerConnection],
        image: Callable[[], ClusterImage],
        broker_epoch: Callable[[], int],
    ) -> None:
        self._config = config
        self._versions = versions
        self._timers = timers
        self._connect = connect
        self._image = image
        self._broker_epoch = broker_epoch
        self._asked_for: dict[str, CreatableTopic] = {}
        self._asks_for_topics = False
        self._open: set[PeerConnection] = set()
        """The connections of pending requests."""

    def ask(self, key: ApiKey, version: int, message: object, on_answer: OnAnswer) -> None:
        """Send the controller a request; `on_answer` gets the response, or the error instead."""
        broker = self._image().brokers.get(self._image().controller)
        if broker is None:
            error = ConnectionFailed("no controller is known")
            self._timers.soon(lambda: on_answer(error))
            return
        connection = self._connect(address_of(broker))
        self._open.add(connection)

        def answered(response: object) -> None:
            self._open.discard(connection)
            connection.close()
            on_answer(response)

        connection.ask(key, version, message, _PATIENCE_SECONDS, answered)

    def ask_for_topic(
        self, wanted: RequestedTopic, replicas: int, min_isr: int | None = None
    ) -> None:
        """Request a topic from the controller, with fewer replicas if there are fewer brokers.

        Requests contain several topics. A topic is dropped if `MOST_TOPICS` are waiting already.
        `min_isr`: the topic's `min.insync.replicas`.
        """
        if wanted.name in self._asked_for or len(self._asked_for) >= MOST_TOPICS:
            return
        count = max(min(replicas, len(self._image().brokers)), 1)
        config = dict(wanted.config)
        if min_isr is not None:
            config["min.insync.replicas"] = str(min(min_isr, count))
        self._asked_for[wanted.name] = CreatableTopic(
            name=wanted.name,
            num_partitions=len(wanted.partitions),
            replication_factor=count,
            assignments=[],
            configs=[
                CreatableTopicConfig(name=name, value=value) for name, value in config.items()
            ],
        )
        if not self._asks_for_topics:
            self._asks_for_topics = True
            self._timers.soon(self._ask_for_topics)

    def _ask_for_topics(self) -> None:
        """Request the topics that have waited longest."""
        topics = [*islice(self._asked_for.values(), TOPICS_A_REQUEST)]
        self._asks_for_topics = bool(topics)
        if not topics:
            return

        def answered(response: object) -> None:
            for topic in topics:
                self._asked_for.pop(topic.name, None)
            names = [topic.name for topic in topics]
            log.info("topics requested", extra={"topics": names, "answer": response})
            self._ask_for_topics()

        request = CreateTopicsRequest(topics=topics)
        self.ask(ApiKey.CREATE_TOPICS, _CREATE_TOPICS, request, answered)

    def hand_over(self, on_done: Callable[[], None], tries: int = _TRIES) -> None:
        """Have the controller move leadership to other brokers, as this one stops; then call `on_done`.

        After a few tries, `on_done` is called even if partitions remain or no controller answers.
        """
        if not self._config.controlled_shutdown_enable or not tries:
            on_done()
            return

        def answered(response: object) -> None:
            if isinstance(response, ControlledShutdownResponse):
                left = len(response.remaining_partitions)
                if not response.error_code and not left:
                    on_done()
                    return
                why: dict[str, object] = {"error": response.error_code, "partitions": left}
            else:
                why = {"error": response}
            log.warning("controlled shutdown not complete", extra={**why, "tries_left": tries - 1})
            again = partial(self.hand_over, on_done, tries - 1)
            self._timers.after(_PAUSE_SECONDS if tries > 1 else 0, again)

        request = ControlledShutdownRequest(
            broker_id=self._config.node_id, broker_epoch=self._broker_epoch()
        )
        version = self._versions.controlled_shutdown
        self.ask(ApiKey.CONTROLLED_SHUTDOWN, version, request, answered)

    def close(self) -> None:
        """Drop all pending requests."""
        for connection in self._open:
            connection.close()
        self._open.clear()
