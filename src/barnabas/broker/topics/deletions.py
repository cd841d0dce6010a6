"""Deletions: deletes topics: marks them in the registry, deletes their logs, then their nodes.

A marked topic counts as deleted from then on: if the broker stops, the next start completes the deletion.
"""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

from barnabas.broker.purgatory.registry_calls import RegistryCalls
from barnabas.broker.purgatory.stepping import Steps
from barnabas.broker.topics.hosting import DROPPED_A_STEP, Hosting
from barnabas.broker.znodes.topic_znodes import CONFIGS, DELETIONS, TOPICS
from barnabas.errors import BrokerError, ErrorCode, KafkaError, StorageError
from barnabas.ports import Registry
from barnabas.types import Topic

log = logging.getLogger(__name__)

Forget = Callable[[Sequence[Topic]], Iterator[None] | None]
"""Removes state of deleted topics, perhaps in steps. Raises StorageError: it could not."""


class Deletions:
    """The deletions of one broker. `_there` are the topics by id; `_take_out` removes one from them."""

    def __init__(
        self,
        registry: Registry,
        hosting: Hosting,
        there: Mapping[bytes, Topic],
        take_out: Callable[[Topic], None],
    ) -> None:
        self._registry = registry
        self._calls = RegistryCalls(registry)
        self._hosting = hosting
        self._there = there
        self._take_out = take_out
        self._leaving: set[str] = set()
        self.on_deleted: list[Forget] = []

    def __contains__(self, name: object) -> bool:
        """Whether the logs of a topic of that name are being deleted."""
        return name in self._leaving

    def in_steps(
        self,
        topics: Sequence[Topic],
        failed: dict[str, KafkaError],
        calls: RegistryCalls | None = None,
    ) -> Steps[None]:
        """Delete topics, some partitions a step; the deletions of a step are written together.

        A topic is unknown once it is marked, which happens beside the loop unless `calls` does it at once.
        Its name can be used again after its last step.
        `failed` receives the error of each topic that was not deleted.
        """
        for some in _groups(topics):
            there: list[Topic] = []
            for topic in some:
                if topic.topic_id in self._there:
                    there.append(topic)
                else:
                    what = f"there is no topic {topic.name}"
                    failed[topic.name] = BrokerError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, what)
            yield from self._delete_in_steps(there, failed, calls or self._calls)
            yield

    def _delete_in_steps(
        self, topics: Sequence[Topic], failed: dict[str, KafkaError], calls: RegistryCalls
    ) -> Steps[None]:
        names = [topic.name for topic in topics]
        try:
            marks = {f"{DELETIONS}/{name}": b"" for name in names}
            yield from calls.make(partial(self._registry.set_all, marks))
        except StorageError as error:
            failed.update(dict.fromkeys(names, error))
            return
        # Another request may have deleted some meanwhile; it will remove their marks.
        topics = [topic for topic in topics if topic.topic_id in self._there]
        names = [topic.name for topic in topics]
        for topic in topics:
            self._take_out(topic)
        self._leaving.update(names)
        gone: list[Topic] = []
        try:
            yield from self._hosting.drop_in_steps(names, failed)
            gone += [topic for topic in topics if topic.name not in failed]
            # Now, because no other topic can have such a name yet.
            yield from self.notify(gone)
        except StorageError as error:
            failed.update({topic.name: error for topic in gone})
        finally:
            self._leaving.difference_update(names)
        try:
            yield from calls.make(partial(self._remove_nodes, [topic.name for topic in gone]))
        except StorageError as error:
            failed.update({topic.name: error for topic in gone})

    def notify(self, topics: Sequence[Topic]) -> Iterator[None]:
        """Call all `Forget` functions for deleted topics, in steps.

        Raises:
            StorageError: one of them failed.
        """
        for topic in topics:
            log.info("topic deleted", extra={"topic": topic.name})
        for forget in self.on_deleted:
            yield from forget(topics) or ()

    def end(self, *names: str) -> None:
        """Remove the nodes of topics that are not served, unless their logs are being deleted.

        Raises:
            StorageError: it cannot be written.
        """
        self._remove_nodes([name for name in names if name not in self._leaving])

    def _remove_nodes(self, names: Sequence[str]) -> None:
        # The marks of the deletions are removed last.
        above = (TOPICS, CONFIGS, DELETIONS)
        self._registry.delete(*(f"{each}/{name}" for each in above for name in names))


def _groups(topics: Sequence[Topic]) -> Iterator[list[Topic]]:
    """Split topics into groups for one step each; a topic with more partitions has a group of its own."""
    some: list[Topic] = []
    for topic in topics:
        if some and sum(len(one.partitions) for one in [*some, topic]) > DROPPED_A_STEP:
            yield some
            some = []
        some.append(topic)
    if some:
        yield some
