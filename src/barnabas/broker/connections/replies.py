"""Replies to several requests of one event."""

from collections.abc import Callable, Iterable

from barnabas.broker.purgatory.purgatory import Unwritten
from barnabas.dialects.dialect import Dialect, Request
from barnabas.wire.send import Send


def written(outcomes: Iterable[tuple[Request, object]]) -> list[tuple[Request, object]]:
    """What the outcomes are now that all is written."""
    return [
        (request, outcome.outcome if type(outcome) is Unwritten else outcome)
        for request, outcome in outcomes
    ]


def reply_to_all(
    dialect: Dialect,
    outcomes: Iterable[tuple[Request, object]],
    send: Callable[[Send | bytes], None],
) -> None:
    """Send the replies in order, those of bytes joined with their neighbours."""
    write_response = dialect.write_response
    joined: list[bytes] = []
    try:
        for request, outcome in outcomes:
            reply = write_response(request, outcome)
            if isinstance(reply, bytes):
                joined.append(reply)
            elif reply is not None:
                if joined:
                    send(b"".join(joined))
                    joined.clear()
                send(reply)
    finally:
        # What came before a request that ends the connection has its reply.
        if joined:
            send(b"".join(joined))
