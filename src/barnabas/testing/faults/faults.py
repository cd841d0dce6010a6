"""Faults: the faults that a test injects between its broker and clients."""

import threading
from collections.abc import Callable, Iterable
from functools import partial
from typing import TypedDict, Unpack

from barnabas.broker.broker import Broker
from barnabas.broker.context import RequestContext
from barnabas.errors import ErrorCode, InvalidArgument
from barnabas.protocol.api_keys import ApiKey
from barnabas.testing.environment import DiskRoom
from barnabas.testing.faults import effects
from barnabas.testing.faults.effects import Effect, Holding
from barnabas.testing.faults.fault import Filter, InjectedFault, MovedFault, SeenRequest
from barnabas.testing.faults.hit import RequestHit
from barnabas.testing.faults.names import api_named, check_names, error_named
from barnabas.testing.observed_connection import Handle, ObservedConnection, Observer

Apis = str | ApiKey | Iterable[str | ApiKey]


class FaultMatch(TypedDict, total=False):
    """Which requests a fault is for, beside their API."""

    topic: str | None
    group: str | None
    client_id: str | None
    where: Callable[[SeenRequest], bool] | None
    times: int | None


_OF_LEADER = (
    *(ApiKey.PRODUCE, ApiKey.FETCH, ApiKey.LIST_OFFSETS, ApiKey.OFFSET_FOR_LEADER_EPOCH),
    *(ApiKey.DELETE_RECORDS, ApiKey.SHARE_FETCH, ApiKey.SHARE_ACKNOWLEDGE),
)
_OF_GROUPS = (
    *(ApiKey.JOIN_GROUP, ApiKey.SYNC_GROUP, ApiKey.HEARTBEAT, ApiKey.LEAVE_GROUP),
    *(ApiKey.OFFSET_COMMIT, ApiKey.OFFSET_FETCH, ApiKey.CONSUMER_GROUP_HEARTBEAT),
    *(ApiKey.SHARE_GROUP_HEARTBEAT, ApiKey.STREAMS_GROUP_HEARTBEAT, ApiKey.TXN_OFFSET_COMMIT),
)
_OF_TRANSACTIONS = (
    *(ApiKey.INIT_PRODUCER_ID, ApiKey.ADD_PARTITIONS_TO_TXN, ApiKey.ADD_OFFSETS_TO_TXN),
    ApiKey.END_TXN,
)


class Faults:
    """The faults of one broker. A request is hit by one at most: by that which was set first.

    Each call returns a `InjectedFault`, which counts its `hits`, and ends with `stop()` or with its `with`.

    `api` is a name such as "Produce", or several; none means all. `topic`, `group` and `client_id` narrow
    down which of their requests are meant; `where` is a function of an `SeenRequest` that decides. `times`: so
    many requests; without it, all until the fault is stopped.
    """

    def __init__(
        self, observer: Observer, room: DiskRoom, run: Callable[[Callable[[], object]], None]
    ) -> None:
        """`run` calls a function on the broker's thread and waits until it returns."""
        self._observer = observer
        self._room = room
        self._run = run
        self._holdings: list[tuple[InjectedFault, Holding]] = []
        self._full_disk: InjectedFault | None = None
        self._lock = threading.Lock()
        self._set: tuple[tuple[InjectedFault, Effect], ...] = ()

    def fail(
        self,
        api: Apis,
        *,
        error: str | ErrorCode,
        message: str | None = None,
        **meant: Unpack[FaultMatch],
    ) -> InjectedFault:
        """Respond with an error, such as "NOT_ENOUGH_REPLICAS", instead of handling a request.

        With a `topic`, only the topic's part of a request is refused. `message` is sent if the response
        has a field for it.

        Raises:
            InvalidArgument: there is no API or error of that name (the message lists near matches), or
                a `topic` or `group` is given for requests that name none. All faults raise this.
        """
        return self._add(api, effects.fail(error_named(error), message), **meant)

    def delay(
        self, api: Apis = (), *, seconds: float, **meant: Unpack[FaultMatch]
    ) -> InjectedFault:
        """Handle a request and respond `seconds` later; later requests of the connection wait."""
        if seconds <= 0:
            raise InvalidArgument(f"seconds={seconds}: expected more than 0")
        holding = Holding()
        return self._add(api, effects.delay(seconds, holding), holding, **meant)

    def drop(self, api: Apis = (), **meant: Unpack[FaultMatch]) -> InjectedFault:
        """Handle a request and never respond: the connection is silent until the client closes it.

        When the fault is stopped, the connections that it has silenced are closed.
        """
        holding = Holding()
        return self._add(api, effects.drop(holding), holding, **meant)

    def cut(self, api: Apis = (), **meant: Unpack[FaultMatch]) -> InjectedFault:
        """Handle a request, send half of the response, and close the connection."""
        return self._add(api, effects.cut, **meant)

    def disconnect(
        self, api: Apis = (), *, after: bool = False, **meant: Unpack[FaultMatch]
    ) -> InjectedFault:
        """Close the connection instead of handling a request; `after`: handle it, but do not respond."""
        effect = effects.disconnect_after if after else effects.disconnect
        return self._add(api, effect, **meant)

    def throttle(self, api: Apis = (), *, ms: int, **meant: Unpack[FaultMatch]) -> InjectedFault:
        """Respond with `throttle_time_ms`, and serve the connection again after that time."""
        if ms < 1:
            raise InvalidArgument(f"ms={ms}: expected 1 or more")
        return self._add(api, effects.throttle(ms), **meant)

    def move_leader(self, topic: str, *, client_id: str | None = None) -> InjectedFault:
        """Respond NOT_LEADER_OR_FOLLOWER for a topic until the refused client has sent a Metadata request.

        Each client is refused, new ones too. Clients are distinguished by their client ids.
        """
        meant = Filter(frozenset(_OF_LEADER), topic, client_id=client_id)
        fault = MovedFault(meant, self._remove, {ApiKey.METADATA})
        return self._put(fault, effects.fail(ErrorCode.NOT_LEADER_OR_FOLLOWER))

    def move_coordinator(
        self, group: str | None = None, *, client_id: str | None = None
    ) -> InjectedFault:
        """Respond NOT_COORDINATOR for a group until the refused client has sent a FindCoordinator request.

        Each client is refused, new ones too. Clients are distinguished by their client ids. Without a
        group, this applies to all groups and transactional ids.
        """
        apis = _OF_GROUPS if group is not None else (*_OF_GROUPS, *_OF_TRANSACTIONS)
        meant = Filter(frozenset(apis), group=group, client_id=client_id)
        fault = MovedFault(meant, self._remove, {ApiKey.FIND_COORDINATOR})
        return self._put(fault, effects.fail(ErrorCode.NOT_COORDINATOR))

    def fill_disk(self) -> InjectedFault:
        """Make the broker's disk full until the fault is stopped; stored records can still be read.

        Produced records are refused with KAFKA_STORAGE_ERROR, as on a disk that is really full. The broker
        accepts records again within a second after the fault. `hits` counts the writes that failed.
        """
        if self._full_disk is not None:
            raise InvalidArgument("the disk is full already: stop() that fault first")
        fault = self._full_disk = InjectedFault(Filter(frozenset()), self._empty_disk)
        self._room.on_refused = fault.hit
        return fault

    def stop(self) -> None:
        """Stop all faults."""
        for fault, _ in self._set:
            fault.stop()
        if self._full_disk is not None:
            self._full_disk.stop()
        self.let_go()

    def let_go(self) -> None:
        """Send the responses that are held back, and close silent connections; the faults stay."""
        for _, holding in self._holdings:
            if holding:
                self._run(holding.release_all)

    def _add(  # noqa: PLR0913 - as a caller gives them, so that Python refuses others
        self,
        api: Apis,
        effect: Effect,
        holding: Holding | None = None,
        *,
        topic: str | None = None,
        group: str | None = None,
        client_id: str | None = None,
        where: Callable[[SeenRequest], bool] | None = None,
        times: int | None = None,
    ) -> InjectedFault:
        given = (api,) if isinstance(api, str | ApiKey) else api
        apis = frozenset(map(api_named, given))
        check_names(apis, topic=topic, group=group)

        def stop(fault: InjectedFault) -> None:
            self._remove(fault)
            if holding is not None:
                self._run(holding.end)

        fault = InjectedFault(Filter(apis, topic, group, client_id, where), stop, times)
        if holding is not None:
            left = [one for one in self._holdings if one[1] or not one[0].is_over]
            self._holdings = [*left, (fault, holding)]
        return self._put(fault, effect)

    def _put(self, fault: InjectedFault, effect: Effect) -> InjectedFault:
        with self._lock:
            self._set = (*self._set, (fault, effect))
            self._observer.interfere = self._interfere
        return fault

    def _remove(self, fault: InjectedFault) -> None:
        with self._lock:
            self._set = tuple(one for one in self._set if one[0] is not fault)
            if not self._set:
                self._observer.interfere = None

    def _empty_disk(self, _fault: InjectedFault) -> None:
        self._room.on_refused = self._full_disk = None

    def _interfere(
        self,
        connection: ObservedConnection,
        handle: Handle,
        broker: Broker,
        context: RequestContext,
        message: object,
    ) -> object:
        """Apply the first fault that affects a request; called on the broker's thread."""
        asked = SeenRequest(broker, context, message)
        for fault, effect in self._set:
            if fault.takes(asked):
                outcome = effect(
                    fault, RequestHit(connection, asked, partial(handle, broker, context))
                )
                if fault.is_over:
                    self._remove(fault)
                return outcome
        return handle(broker, context, message)
