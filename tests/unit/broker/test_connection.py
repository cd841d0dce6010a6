"""A reply that waited is its own connection's business, whoever completes it."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import cast

from barnabas.broker.broker import Broker
from barnabas.broker.connection import ClientConnection
from barnabas.broker.purgatory import Pending
from barnabas.broker.spoken import Spoken
from barnabas.dialects.dialect import OnlyByClosing, Request
from barnabas.errors import KafkaError
from barnabas.runtime.connection import Connection


class Guarding:
    """As much of a Connection as one parked request needs."""

    peer = "127.0.0.1:1"

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
        replicas=SimpleNamespace(write=lambda: True, take_unseen=list),
    )
    connection = Guarding()
    client = ClientConnection(
        cast("Broker", broker),
        cast("Spoken", (dialect, {1: lambda *_: pending})),
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
        raise OnlyByClosing("too large")

    pending = Pending()
    connection = waiting_for(pending, refuse)
    pending.complete([])
    assert isinstance(connection.ended_by, OnlyByClosing)


def test_a_reply_that_could_not_be_made_ends_its_connection() -> None:
    written: list[object] = []
    pending = Pending()
    connection = waiting_for(pending, lambda _, outcome: written.append(outcome))
    pending.fail(OnlyByClosing("no records to read"))
    assert isinstance(connection.ended_by, OnlyByClosing)
    assert written == []
