"""ClusterMetadata: keeps a client's view of its cluster up to date with Metadata requests.

One request is pending at most. It is repeated after metadata.max.age.ms, and with back-off while it fails,
or while its response has nothing new.
"""

import asyncio
import logging
from collections.abc import Iterable

from barnabas.client.aio.cluster.link import Link
from barnabas.client.aio.cluster.links import Links
from barnabas.client.core.cluster.cluster_view import ClusterView
from barnabas.client.core.cluster.requests import metadata_request
from barnabas.client.core.cluster.retry import Backoff
from barnabas.errors import ConnectionFailed, ErrorCode, KafkaError
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.metadata import MetadataResponse

log = logging.getLogger(__name__)

_CREATED = (
    "not on the cluster: %s; requesting its creation, because allow.auto.create.topics is true"
)
_APART_S = 1.0
"""Requests so far apart need no back-off, however often the response was the same."""
_NOT_CREATED = "not on the cluster: %s; not created, because allow.auto.create.topics is false"


class ClusterMetadata:
    """The topics that a client needs, and the requests that keep the view of them fresh.

    `topics`: those whose metadata stays fresh. `creates_topics`: whether requesting a topic may create
    it. `logs_missing_topics`: whether a topic that is missing is logged, once, and with it whether the
    client has it created.
    """

    def __init__(
        self, loop: asyncio.AbstractEventLoop, view: ClusterView, links: Links, retry: Backoff
    ) -> None:
        self.topics: set[str] = set()
        self.creates_topics = False
        self.logs_missing_topics = False
        self._loop = loop
        self._view = view
        self._links = links
        self._retry = retry
        self._missing: set[str] = set()
        self._requested: set[str] = set()
        self._repeats = 0
        self._not_before = loop.time()
        self._waiting: asyncio.TimerHandle | None = None
        self._refreshing: asyncio.Task[None] | None = None
        self._updated = asyncio.Event()
        self._timer: asyncio.TimerHandle | None = None
        self._closed = False

    def refresh(self) -> None:
        """Request metadata now, unless a request is pending or has just failed."""
        self._view.stale = True
        self._request_soon()

    async def updated(self) -> None:
        """Return after the next update of the view; the caller bounds the time."""
        self.refresh()
        await self._updated.wait()

    async def know(self, topics: Iterable[str]) -> None:
        """Return when the view contains all these topics; the caller bounds the time."""
        names = set(topics)
        self.topics |= names
        while self._view.updates == 0 or not names <= self._view.topics.keys():
            self._request_soon()
            await self._updated.wait()

    async def of(self, topics: Iterable[str] | None) -> MetadataResponse:
        """Request these topics (None: all) now, and leave the view as it is.

        Raises:
            KafkaError: no response arrived.
        """
        return await self._request(await self._links.any(), topics, create=False)

    def close(self) -> None:
        """Request nothing more. A second call does nothing."""
        self._closed = True
        for each in (self._timer, self._waiting, self._refreshing):
            if each is not None:
                each.cancel()

    def _request_soon(self) -> None:
        """Request topics that the view lacks, or all of them if it is stale.

        Later, if they were requested and the last response had nothing new: whoever waits for a leader, or
        for a topic that no response names, asks again with each response.
        """
        if self._refreshing is not None or self._closed:
            return
        early = self._not_before - self._loop.time()
        if early > 0 and self.topics <= self._requested:
            if self._waiting is None:
                self._waiting = self._loop.call_at(self._not_before, self._waited)
            return
        if early < -_APART_S:
            self._repeats = 0
        self._refreshing = self._loop.create_task(self._request_until_fresh())

    def _waited(self) -> None:
        self._waiting = None
        self._not_before = self._loop.time()
        self._request_soon()

    async def _request_until_fresh(self) -> None:
        failures = 0
        while not self._closed:
            try:
                await self._update()
            except KafkaError as error:
                failures += 1
                log.debug("no metadata received failures=%d why=%s", failures, error)
                await asyncio.sleep(self._retry.seconds(failures))
            else:
                if not self._view.stale:
                    break
        self._refreshing = None
        if not self._closed:
            self._updated.set()
            self._updated = asyncio.Event()
            self._links.changed()

    async def _update(self) -> None:
        """Send a request, and update the view with the response."""
        link = await self._links.any()
        # Otherwise a producer of thousands of topics would request all of them at each new one.
        partial = not self._view.stale and not self.topics <= self._view.topics.keys()
        topics = self.topics - self._view.topics.keys() if partial else self.topics
        self._requested |= topics
        response = await self._request_topics(link, topics, partial=partial)
        if not response.brokers:
            raise ConnectionFailed(f"{link} knows no brokers yet")
        now = self._loop.time()
        news = self._view.update(response, now, partial=partial)
        self._repeats = 0 if news else self._repeats + 1
        self._not_before = now + self._retry.seconds(self._repeats)
        self._links.take_addresses()
        if partial:
            return
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._loop.call_later(self._view.max_age_s, self.refresh)

    async def _request_topics(
        self, link: Link, topics: Iterable[str], *, partial: bool
    ) -> MetadataResponse:
        """Request topics, and log those that are missing before another request creates them."""
        creates_at_once = self.creates_topics and not self.logs_missing_topics
        response = await self._request(link, topics, create=creates_at_once)
        missing = _missing(response) if self.logs_missing_topics else set()
        if missing and self.creates_topics:
            log.warning(_CREATED, ", ".join(sorted(missing)))
            response = await self._request(link, topics, create=True)
        elif missing - self._missing:
            log.warning(_NOT_CREATED, ", ".join(sorted(missing - self._missing)))
        self._missing = missing | self._missing if partial else missing
        return response

    @staticmethod
    async def _request(
        link: Link, topics: Iterable[str] | None, *, create: bool
    ) -> MetadataResponse:
        version = link.protocol.version_of(ApiKey.METADATA)
        names = None if topics is None else sorted(topics)
        request = metadata_request(names, create=create, version=version)
        response = await link.ask(request, version=version)
        assert isinstance(response, MetadataResponse)
        return response


def _missing(response: MetadataResponse) -> set[str]:
    unknown = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    return {row.name or "" for row in response.topics if row.error_code == unknown}
