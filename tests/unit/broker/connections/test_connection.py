"""An error of a reply that waited closes its own connection, whichever request completes it."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import cast

from barnabas.broker.broker import Broker
from barnabas.broker.connections.connection import ClientConnection
from barnabas.broker.connections.listener_dialects import ListenerDialect
from barnabas.broker.purgatory.admission import Admission
from barnabas.broker.purgatory.pending import Pending
from barnabas.broker.purgatory.slow_requests import SlowRequests
from barnabas.dialects.dialect import ErrorWithoutResponse, Request
from barnabas.errors import ConnectionFailed, KafkaError
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.produce import ProduceRequest
from barnabas.runtime.connections.connection import Connection
from tests.unit.runtime.manual_timers import ManualTimers


class Guarding:
    """As much of a Connection as one parked request needs."""

    peer = "127.0.0.1:1"
    broken: ConnectionFailed | None = None

    def __init__(self) -> None:
        self.ended_by: KafkaError | None = None
        self.client_id: str | None = None

    def guarded(self, step: Callable[..., None], *arguments: object) -> None:
        try:
            step(*arguments)
        except KafkaError as error:
            self.ended_by = error


def waiting_for(pending: Pending, write: Callable[[Request, object], None]) -> Guarding:
    """A connection whose client waits for a reply."""
    dialect = SimpleNamespace(
        at_once=1, read_request=lambda _: Request(1, 0, 7, None, None), write_response=write
    )
    broker = SimpleNamespace(
        quotas=SimpleNamespace(in_force=False),
        timers=ManualTimers(),
        stepping=SimpleNamespace(admission=Admission(1 << 20, ManualTimers().soon, lambda: 0.0)),
        slow_requests=SlowRequests(ManualTimers()),
        replicas=SimpleNamespace(write=lambda: True, take_uncommitted=list),
    )
    connection = Guarding()
    client = ClientConnection(
        cast("Broker", broker),
        cast("ListenerDialect", (dialect, {1: lambda *_: pending})),
        cast("Connection", connection),
        listener="PLAINTEXT",
        number=1,
        on_gone=lambda _: None,
    )
    assert not client.on_frame(memoryview(b""))
    client.on_event_end()
    return connection


def test_a_late_reply_that_fails_ends_its_connection_alone() -> None:
    def refuse(request: Request, outcome: object) -> None:
        raise ErrorWithoutResponse("too large")

    pending = Pending()
    connection = waiting_for(pending, refuse)
    pending.complete([])
    assert isinstance(connection.ended_by, ErrorWithoutResponse)


def test_a_reply_that_could_not_be_made_ends_its_connection() -> None:
    written: list[object] = []
    pending = Pending()
    connection = waiting_for(pending, lambda _, outcome: written.append(outcome))
    pending.fail(ErrorWithoutResponse("no records to read"))
    assert isinstance(connection.ended_by, ErrorWithoutResponse)
    assert written == []


def test_who_has_gone_is_asked_nothing_any_more_and_its_records_count() -> None:
    handled: list[int] = []

    def handle(_broker: object, _context: object, key: int) -> list[object]:
        handled.append(key)
        return []

    dialect = SimpleNamespace(
        at_once=1,
        read_request=lambda frame: Request(frame[0], 0, 7, None, frame[0]),
        write_response=lambda *_: None,
    )
    broker = SimpleNamespace(
        quotas=SimpleNamespace(in_force=False),
        timers=ManualTimers(),
        stepping=SimpleNamespace(admission=Admission(1 << 20, ManualTimers().soon, lambda: 0.0)),
        slow_requests=SlowRequests(ManualTimers()),
        replicas=SimpleNamespace(write=lambda: True, take_uncommitted=list),
    )
    connection = Guarding()
    client = ClientConnection(
        cast("Broker", broker),
        cast("ListenerDialect", (dialect, {ApiKey.PRODUCE: handle, ApiKey.FETCH: handle})),
        cast("Connection", connection),
        listener="PLAINTEXT",
        number=1,
        on_gone=lambda _: None,
    )
    assert client.on_frame(memoryview(bytes([ApiKey.FETCH])))
    connection.broken = ConnectionFailed("reset by the test")
    for key in (ApiKey.FETCH, ApiKey.PRODUCE, ApiKey.FETCH):
        assert client.on_frame(memoryview(bytes([key])))
    assert handled == [ApiKey.FETCH, ApiKey.PRODUCE]


def test_a_long_frame_of_an_old_dialect_is_read_in_its_turn() -> None:
    """Each of a hundred connections had 30,000 sets read in each turn, and put back: 9 s a turn."""
    timers, read, resumed = ManualTimers(), list[int](), list[int]()

    def read_request(frame: memoryview) -> Request:
        read.append(frame[0])
        return Request(
            ApiKey.PRODUCE, 0, 7, None, ProduceRequest(acks=0, timeout_ms=0, topic_data=[])
        )

    dialect = SimpleNamespace(
        name="kafka-0.7", at_once=1, read_request=read_request, write_response=lambda *_: None
    )
    broker = SimpleNamespace(
        quotas=SimpleNamespace(in_force=False),
        timers=timers,
        slow_requests=SlowRequests(timers),
        replicas=SimpleNamespace(write=lambda: True, take_uncommitted=list),
    )

    def client(number: int) -> ClientConnection:
        connection = Guarding()
        connection.resume = lambda: resumed.append(number)  # type: ignore[attr-defined]
        return ClientConnection(
            cast("Broker", broker),
            cast("ListenerDialect", (dialect, {ApiKey.PRODUCE: lambda *_: []})),
            cast("Connection", connection),
            listener="OLD",
            number=number,
            on_gone=lambda _: None,
        )

    clients = [client(number) for number in range(3)]
    frames = [memoryview(bytes([number]) * 70_000) for number in range(3)]
    taken = [one.may_take(frame) for one, frame in zip(clients, frames, strict=True)]
    assert taken == [True, False, False]
    assert clients[0].on_frame(frames[0])
    for number in (1, 2):
        timers.run_turn()
        assert resumed[-1] == number
        assert clients[number].may_take(frames[number])
        assert clients[number].on_frame(frames[number])
        assert not clients[0].may_take(frames[0]), "it had its turn"
    assert read == [0, 1, 2]
