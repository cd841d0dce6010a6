"""The share sessions of a consumer with its brokers: one request at a time with each. Decodes no record."""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from barnabas.client.aio.cluster.cluster import Cluster
from barnabas.client.core.group.epoch_membership import TopicIdIndex
from barnabas.client.core.shares.acknowledgements import Acquired
from barnabas.client.core.shares.share_options import ShareOptions
from barnabas.client.core.shares.share_session import (
    CLOSES,
    Batches,
    ClientShareSession,
    acknowledged_topics,
)
from barnabas.errors import BrokerError, ConnectionFailed, ErrorCode, KafkaError
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.share_acknowledge import ShareAcknowledgeRequest
from barnabas.protocol.share_fetch import PartitionData, ShareFetchRequest

_SINCE: Final = 1
_STRICT_SINCE: Final = 2
_NEEDED: Final = "share groups need brokers of Kafka 4.1 or later"
_STRICT_NEEDED: Final = "share.acquire.mode=record_limit needs brokers of Kafka 4.2 or later"


@dataclass(frozen=True, slots=True)
class Fetched:
    """What one broker returned of one partition."""

    node_id: int
    place: TopicIdIndex
    data: PartitionData


class ShareRequests:
    """Sends the requests of all sessions. Acknowledgements come from `acquired`.

    `refused` are the errors of acknowledgements by partition, until the caller takes them.
    """

    def __init__(
        self, cluster: Cluster, member_id: str, options: ShareOptions, acquired: Acquired
    ) -> None:
        self.refused: dict[TopicIdIndex, KafkaError] = {}
        self._cluster = cluster
        self._member_id = member_id
        self._options = options
        self._acquired = acquired
        self._sessions: dict[int, ClientShareSession] = {}
        self._locks: dict[int, asyncio.Lock] = {}

    async def fetch(self, node_id: int, wanted: Iterable[TopicIdIndex]) -> list[Fetched]:
        """Acknowledge what is due at a broker, and acquire records of these partitions.

        Raises:
            KafkaError: no records were acquired; the session starts again.
        """
        async with self._lock(node_id):
            session = self._session(node_id)
            acknowledged = self._due(node_id, session)
            topics, forgotten = session.fetched(wanted, acknowledged)
            options = self._options
            request = ShareFetchRequest(
                group_id=options.group_id,
                member_id=self._member_id,
                share_session_epoch=session.epoch,
                max_wait_ms=int(options.max_wait_s * 1000),
                min_bytes=options.min_bytes,
                max_bytes=options.max_bytes,
                max_records=options.most_records,
                batch_size=options.most_records,
                share_acquire_mode=int(options.strict),
                topics=topics,
                forgotten_topics_data=forgotten,
            )
            response = await self._ask(node_id, session, ApiKey.SHARE_FETCH, request, acknowledged)
            found = []
            for topic in response.responses:
                for row in topic.partitions:
                    place = TopicIdIndex(bytes(topic.topic_id), row.partition_index)
                    if row.acknowledge_error_code:
                        self._refuse(
                            place, row.acknowledge_error_code, row.acknowledge_error_message
                        )
                    found.append(Fetched(node_id, place, row))
            return found

    async def acknowledge(self, node_id: int, *, closes: bool = False) -> None:
        """Send what is due at a broker; `closes`: end the session, so that the rest is released.

        Raises:
            KafkaError: no response arrived; the session starts again.
        """
        async with self._lock(node_id):
            session = self._session(node_id)
            acknowledged = self._due(node_id, session)
            if not session.is_open or not (acknowledged or closes):
                return
            request = ShareAcknowledgeRequest(
                group_id=self._options.group_id,
                member_id=self._member_id,
                share_session_epoch=CLOSES if closes else session.epoch,
                topics=acknowledged_topics(acknowledged),
            )
            response = await self._ask(
                node_id, session, ApiKey.SHARE_ACKNOWLEDGE, request, acknowledged
            )
            if closes:
                session.reset()
            for topic in response.responses:
                for row in topic.partitions:
                    if row.error_code:
                        place = TopicIdIndex(bytes(topic.topic_id), row.partition_index)
                        self._refuse(place, row.error_code, row.error_message)

    def open_nodes(self) -> list[int]:
        """The brokers with a session."""
        return [node_id for node_id, session in self._sessions.items() if session.is_open]

    async def _ask(
        self,
        node_id: int,
        session: ClientShareSession,
        api: ApiKey,
        request: object,
        acknowledged: Batches,
    ) -> Any:
        try:
            response = await self._response(node_id, api, request)
        except BaseException as error:
            # The broker may have handled the request or not: only a new session is in a known state.
            session.reset()
            self._acquired.lost(node_id)
            cause = error if isinstance(error, KafkaError) else ConnectionFailed("interrupted")
            self.refused.update(dict.fromkeys(acknowledged, cause))
            raise
        session.answered()
        return response

    async def _response(self, node_id: int, api: ApiKey, request: object) -> Any:
        seconds = self._options.max_wait_s + self._options.request_timeout_s
        link = await self._cluster.ready_link(node_id)
        version = link.protocol.version_of(api)
        if version < _SINCE:
            raise BrokerError(ErrorCode.UNSUPPORTED_VERSION, _NEEDED)
        if self._options.strict and version < _STRICT_SINCE:
            raise BrokerError(ErrorCode.UNSUPPORTED_VERSION, _STRICT_NEEDED)
        response = await link.ask(request, version=version, timeout_s=seconds)
        if response.error_code:
            raise BrokerError(response.error_code, response.error_message or api.name)
        return response

    def _due(self, node_id: int, session: ClientShareSession) -> Batches:
        due = self._acquired.due(node_id)
        if due and not session.is_open:
            ended = BrokerError(ErrorCode.SHARE_SESSION_NOT_FOUND, "the session has ended")
            self.refused.update(dict.fromkeys(due, ended))
            return {}
        return due

    def _refuse(self, place: TopicIdIndex, code: int, why: str | None) -> None:
        self.refused[place] = BrokerError(code, why or "acknowledging")

    def _session(self, node_id: int) -> ClientShareSession:
        return self._sessions.setdefault(node_id, ClientShareSession())

    def _lock(self, node_id: int) -> asyncio.Lock:
        return self._locks.setdefault(node_id, asyncio.Lock())
