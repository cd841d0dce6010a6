"""What to do about an error, for behind what the error says. Kept light: `serve` imports it too."""

from barnabas.errors import (
    ConnectionFailed,
    HostUnknown,
    KafkaError,
    RequestTimeout,
    VersionsUntold,
)

DEFAULT_SERVERS = "localhost:9092"

_LOOPBACK = {"localhost", "127.0.0.1", "[::1]"}


def add_hint(error: KafkaError, servers: str) -> None:
    """Tell who reached no broker at `servers` how to come by one, unless it was told of another one."""
    lost = isinstance(error, ConnectionFailed | RequestTimeout)
    if not lost or _notes(error) or isinstance(error, VersionsUntold):
        return
    if isinstance(error, HostUnknown):
        error.add_note("-b names another")
        return
    host, colon, port = servers.partition(",")[0].strip().rpartition(":")
    if (host if colon else port) not in _LOOPBACK:
        from barnabas.client.core.cluster.bootstrap import CHECK

        asked = "" if CHECK in str(error) else "is it running? "
        error.add_note(f"{asked}-b names another")
        return
    elsewhere = f" --port {port}" if colon and port != "9092" else ""
    error.add_note(f"`barnabas serve{elsewhere}` starts one there, -b names another")


def add_hint_to_serve(error: ConnectionFailed) -> None:
    """Tell who could not listen which option to change."""
    from socket import gaierror

    if isinstance(error.__cause__, gaierror):
        error.add_note("--host takes another address")
    else:
        error.add_note("--port takes another one (0: any that is free)")


def with_hints(error: KafkaError) -> str:
    """The error and what was added to it, as one line."""
    notes = _notes(error)
    told = str(error)
    if notes and not told.endswith(".."):
        told = told.removesuffix(".")
    return "; ".join([told, *notes])


def _notes(error: KafkaError) -> tuple[str, ...]:
    return tuple(getattr(error, "__notes__", ()))
