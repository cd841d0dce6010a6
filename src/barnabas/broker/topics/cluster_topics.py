"""ClusterTopics: the topics of a cluster member, from its controller.

While this broker is the controller, it creates and changes topics; otherwise it sends requests to the
controller. *Not* here: logs, which are created and deleted on the controller's requests
(`broker.cluster.image_updates`).
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Protocol

from barnabas.broker.purgatory.pending import Pending
from barnabas.broker.purgatory.registry_calls import RegistryCalls
from barnabas.broker.purgatory.stepping import Steps
from barnabas.broker.topics.topic_names import check_partition
from barnabas.broker.topics.topics import Topics
from barnabas.broker.znodes.topic_znodes import write_new
from barnabas.errors import BrokerError, ErrorCode, KafkaError, StorageError
from barnabas.types import RequestedTopic, Topic

log = logging.getLogger(__name__)


class TopicsController(Protocol):
    """Gives new partitions their leaders, while this broker is the controller (`is_active`)."""

    @property
    def is_active(self) -> bool:
        """Whether this broker creates topics."""
        ...

    def new_id(self) -> bytes:
        """Return an id for a new topic; NO_TOPIC_ID if the cluster does not use topic ids."""
        ...

    def added(self, topic: Topic) -> None:
        """Note that a topic's node was written."""
        ...

    def extend(self, name: str, added: Mapping[int, Sequence[int]]) -> Pending:
        """Add partitions to a topic. The Pending completes when they are written, or with an error.

        BrokerError: there is no such topic; NOT_CONTROLLER. StorageError: they cannot be written.
        """
        ...


class ClusterTopics(Topics):
    """The topics of a cluster member. Call `join` first."""

    are_shared = True
    _controller: TopicsController
    _ask: Callable[[RequestedTopic], None]
    _ask_registry: Callable[[Callable[[], object]], Pending]

    def join(
        self,
        controller: TopicsController,
        ask: Callable[[RequestedTopic], None],
        ask_registry: Callable[[Callable[[], object]], Pending],
    ) -> None:
        """`ask` requests a topic from the controller; `ask_registry` makes registry calls beside the loop."""
        self._controller = controller
        self._ask = ask
        self._ask_registry = ask_registry

    def asks_for(self, wanted: RequestedTopic) -> bool:
        """Request an internal topic from the controller."""
        self._ask(wanted)
        return True

    def check_new(self, name: str, config: Mapping[str, str]) -> None:
        """Like `Topics.check_new`; also raises NOT_CONTROLLER: another broker creates topics."""
        if not self._controller.is_active:
            raise BrokerError(
                ErrorCode.NOT_CONTROLLER, "only the controller of a cluster creates topics"
            )
        super().check_new(name, config)

    def _new_id(self) -> bytes:
        return self._controller.new_id()

    def _write_new(self, topics: Sequence[Topic], calls: RegistryCalls) -> Steps[set[str]]:
        del calls
        there: set[str] = yield self._ask_registry(partial(write_new, self.registry, topics))
        return there

    def _serve_new(
        self,
        topics: Sequence[Topic],
        outcomes: dict[str, Topic | KafkaError],
        calls: RegistryCalls,
    ) -> Steps[None]:
        del calls
        for topic in topics:
            outcomes[topic.name] = topic
            self._controller.added(topic)
            yield

    def add_partitions_in_steps(
        self, name: str, added: Mapping[int, list[int]], calls: RegistryCalls | None = None
    ) -> Steps[Topic]:
        """As `Topics.add_partitions_in_steps`."""
        del calls
        topic = self._existing(name)
        check_partition(name, max(added))
        yield self._controller.extend(name, added)
        return topic

    def show(self, topic: Topic) -> None:
        """Take a topic from the controller, without its logs."""
        known = self.get(topic.name)
        if known is not None and known.topic_id != topic.topic_id:
            self.forget(topic.name)
        self._keep(topic)

    def forget(self, name: str) -> None:
        """Remove a topic, which was deleted, if it is known."""
        known = self.get(name)
        if known is not None:
            self._take_out(known)
            try:
                # At once: the controller may create another topic of that name in the next turn.
                for _ in self.deletions.notify([known]):
                    pass
            except StorageError as error:
                fields = {"topic": name, "error": error}
                log.error("state of a deleted topic not removed", extra=fields)  # noqa: TRY400 - it says why
