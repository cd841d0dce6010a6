"""Hints on how to fix an error, printed after it. Small, because `serve` imports it too."""

import errno

from barnabas.errors import (
    ApiVersionsUnanswered,
    ConnectionFailed,
    ConnectionSetupTimeout,
    HostUnknown,
    KafkaError,
    RequestTimeout,
)

DEFAULT_SERVERS = "localhost:9092"

_FALLBACK = "broker.version.fallback"
_LOOPBACK = {"localhost", "127.0.0.1", "[::1]"}


def add_hint(error: KafkaError, servers: str, option: str = "-b") -> None:
    """Hint at how to start or name a broker if none at `servers`, the value of `option`, was reached.

    Where it is known why, the error becomes one short sentence: a user of a command needs neither
    the step that failed nor the property that limited it.
    """
    if not isinstance(error, ConnectionFailed | RequestTimeout) or _notes(error):
        return
    of_an_old_broker = _FALLBACK in str(error)
    if isinstance(error, ApiVersionsUnanswered):
        error.args = (error.tried or str(error),)
    else:
        _hint_at_a_broker(error, servers, option)
    if of_an_old_broker and option == "-b":
        error.add_note(f"in a command: -X {_FALLBACK}=0.9.0")


def _hint_at_a_broker(error: KafkaError, servers: str, option: str) -> None:
    if tried := getattr(error, "tried", ""):
        error.args = (f"no broker at {tried}",)
    host, colon, port = servers.partition(",")[0].strip().rpartition(":")
    if isinstance(error, HostUnknown):
        first = "check how the host is spelled"
    elif isinstance(error, ConnectionSetupTimeout):
        first = "check that what runs there is a broker"
    elif (host if colon else port) in _LOOPBACK:
        elsewhere = f" --port {port}" if colon and port != "9092" else ""
        first = f"start one with `barnabas serve{elsewhere}`"
    else:
        first = "check that one runs there"
    error.add_note(f"{first}, or name another with {option}")


def add_hint_to_serve(error: ConnectionFailed) -> None:
    """Hint at which option to change if the broker could not listen."""
    from socket import gaierror

    if "--metrics-port" in str(error):
        return
    cause = error.__cause__
    if isinstance(cause, gaierror) or (
        isinstance(cause, OSError) and cause.errno == errno.EADDRNOTAVAIL
    ):
        error.add_note("--host chooses another address")
    else:
        error.add_note("--port chooses another port (0: any free one)")


def with_hints(error: KafkaError) -> str:
    """The error and its hints, as one line."""
    notes = _notes(error)
    message = str(error)
    if notes and not message.endswith(".."):
        message = message.removesuffix(".")
    return "; ".join([message, *notes])


def _notes(error: KafkaError) -> tuple[str, ...]:
    return tuple(getattr(error, "__notes__", ()))
