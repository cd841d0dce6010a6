"""The coordinator of a group or a transaction: found when needed, and again when it moves.

It has a link of its own, so that neither a fetch nor a waiting join delays other requests.
"""

from typing import Any, Final

from barnabas.client.aio.cluster.cluster import Cluster
from barnabas.client.aio.cluster.link import Link
from barnabas.client.aio.cluster.links import APART
from barnabas.client.core.cluster.requests import api_of
from barnabas.errors import BrokerError, ErrorCode, KafkaError
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.find_coordinator import (
    Coordinator as Found,
)
from barnabas.protocol.find_coordinator import FindCoordinatorRequest, FindCoordinatorResponse

_GROUP: Final = 0, "group"
_TRANSACTION: Final = 1, "transactional id"
_NOBODY: Final = -1
_MOVED: Final = (ErrorCode.NOT_COORDINATOR, ErrorCode.COORDINATOR_NOT_AVAILABLE)


class Coordinator:
    """Of one group, or one transactional id. `node_id`: the broker, -1 while unknown.

    `keeps_in_zookeeper`: brokers are older than 0.8.2, and each keeps the offsets of all groups there.
    """

    def __init__(self, cluster: Cluster, group_id: str, *, of_transaction: bool = False) -> None:
        self.cluster = cluster
        self.group_id = group_id
        self._kind = _TRANSACTION if of_transaction else _GROUP
        self.node_id = _NOBODY
        self.keeps_in_zookeeper = False

    async def ask(
        self,
        request: object,
        *,
        at_least: int = 0,
        at_most: int | None = None,
        timeout_s: float | None = None,
    ) -> Any:
        """Send a request and return its response; the caller bounds the time.

        Raises:
            ConnectionFailed, RequestTimeout: no response arrived.
            BrokerError: the group has no coordinator now, or the broker does not support this API in
                a suitable version.
        """
        try:
            link = await self._link()
            version = link.protocol.version_of(api_of(request), at_most=at_most)
            if version < at_least:
                what = (
                    f"{api_of(request).name}: version {at_least} is required, the broker "
                    f"supports {version}"
                )
                raise BrokerError(ErrorCode.UNSUPPORTED_VERSION, what)
            return await link.ask(request, version=version, timeout_s=timeout_s)
        except KafkaError as error:
            if error.retriable:
                self.node_id = _NOBODY
            raise

    def check(self, code: int, what: str) -> None:
        """Raise an error code of a response; look up the coordinator again if the broker was not it.

        Raises:
            BrokerError: `code` is not 0.
        """
        if code:
            self.look_at(code)
            # A broker's message often contains the name already, as in "Group dogs not found."
            whose = "" if f"roup {self.group_id} " in what else f"{self._kind[1]} {self.group_id}: "
            raise BrokerError(code, f"{whose}{what}")

    def look_at(self, code: int) -> None:
        """Look up the coordinator again, if the error means that."""
        if code in _MOVED:
            self.node_id = _NOBODY

    def level_of(self, feature: str) -> int | None:
        """The finalized level of a feature; None without a link."""
        link = self.cluster.links.ready(APART + self.node_id)
        return None if link is None else link.protocol.level_of(feature)

    def hang_up(self) -> None:
        """Close the link; its pending requests fail."""
        if self.node_id != _NOBODY:
            self.cluster.links.hang_up(APART + self.node_id)

    async def version_of(self, api: ApiKey) -> int:
        """The version of an API that its broker is asked in; the caller bounds the time.

        Raises:
            KafkaError: as `ask`.
        """
        return (await self._link()).protocol.version_of(api)

    async def _link(self) -> Link:
        if self.node_id == _NOBODY:
            self.node_id = await self._find()
        return await self.cluster.ready_link(APART + self.node_id)

    async def _find(self) -> int:
        link = await self.cluster.links.any()
        self.keeps_in_zookeeper = not link.protocol.speaks(ApiKey.FIND_COORDINATOR)
        if self.keeps_in_zookeeper:
            if not self.cluster.view.brokers:
                await self.cluster.metadata.updated()
            return min(self.cluster.view.brokers)
        request = FindCoordinatorRequest(
            key=self.group_id, key_type=self._kind[0], coordinator_keys=[self.group_id]
        )
        response: Any = await link.ask(request)
        assert isinstance(response, FindCoordinatorResponse)
        rows: list[Found | FindCoordinatorResponse] = [*response.coordinators] or [response]
        for row in rows:
            self.check(row.error_code, row.error_message or "finding the coordinator")
            if row.node_id not in self.cluster.view.brokers:
                await self.cluster.metadata.updated()
            return row.node_id
        what = f"{self._kind[1]} {self.group_id}: no broker was named as its coordinator"
        raise BrokerError(ErrorCode.COORDINATOR_NOT_AVAILABLE, what)
