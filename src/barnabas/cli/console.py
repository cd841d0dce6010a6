"""`barnabas console`: starts the web console for any Kafka; its pages are in `barnabas.console`."""

import os
import socket
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from barnabas.cli.arguments.connection import admin_settings, client_settings, connection_options
from barnabas.cli.arguments.hints import add_hint, with_hints
from barnabas.cli.arguments.numbers import WholeNumber
from barnabas.cli.console_process import check_console, listen
from barnabas.cli.output.printable import printable_lines
from barnabas.cli.signals import when_stdin_ends
from barnabas.errors import ConfigError, ConnectionFailed, KafkaError
from barnabas.types import bracketed

if TYPE_CHECKING:
    from barnabas.lens.watching.frame_watch import FrameSource

PASSWORD: Final = "BARNABAS_CONSOLE_PASSWORD"  # noqa: S105 (the name of a variable)
_PATIENCE_MS: Final = 10_000


@click.command()
@click.option(
    "--port", type=WholeNumber(0, 65535), default=8080, show_default=True,
    help="The port of the pages; 0: any free port.",
)  # fmt: skip
@click.option(
    "--host", default="localhost", show_default=True, help="Address to listen on; '' for all."
)
@click.option(
    "--password-file",
    type=click.Path(dir_okay=False),
    help=f"A file whose first line is the password. Or set {PASSWORD}.",
)
@click.option(
    "--read-only/--allow-changes",
    default=None,
    help="Whether pages only show. Default: read-only, except on this machine alone.",
)
@click.option(
    "--allow-host", "names", multiple=True, metavar="NAME",
    help="A name under which browsers reach the console, as behind a proxy; repeatable.",
)  # fmt: skip
@click.option("--schema-registry", metavar="URL", help="For values in Avro and Protocol Buffers.")
@click.option(
    "--watch-port", type=WholeNumber(0, 65535), metavar="PORT",
    help="Open a proxy before the first bootstrap server, on this port of this machine: the frames of "
    "clients that connect there can be watched. 0: any free port.",
)  # fmt: skip
@click.option("--watch-pipe", type=WholeNumber(0, 1 << 30), hidden=True)
@click.option("--listening", type=WholeNumber(0, 1 << 30), hidden=True)
@click.option("--until-stdin-ends", is_flag=True, hidden=True)
@connection_options
def console(
    *,
    port: int,
    host: str,
    password_file: str | None,
    read_only: bool | None,
    names: tuple[str, ...],
    schema_registry: str | None,
    watch_port: int | None,
    watch_pipe: int | None,
    listening: int | None,
    until_stdin_ends: bool,
    servers: str,
    pairs: tuple[str, ...],
) -> None:
    """Show a cluster in a browser: topics, records, groups, brokers.

    Works with any Kafka from 0.10 on. Beyond this machine it needs a password, and changes nothing
    unless you give --allow-changes.
    """
    settings = client_settings(servers, pairs)
    password = _password(password_file)
    # Whoever is reached under another name is behind a proxy, which others reach.
    local = is_loopback(host) and not names
    if not local and password is None:
        option = f"--allow-host {names[0]}" if is_loopback(host) else f"--host {host!r}"
        raise ConfigError(
            f"with {option} other machines reach the console, so it needs a password: give "
            f"--password-file, or set {PASSWORD}"
        )
    check_console()
    from barnabas.console.application import create_application
    from barnabas.console.server import serve_console
    from barnabas.console.settings import LOOPBACK, ConsoleSettings

    own = {host, socket.gethostname()} - {"", "0.0.0.0", "::"}  # noqa: S104 (not bound here)
    given = ConsoleSettings(
        settings,
        read_only=(not local) if read_only is None else read_only,
        password=password,
        hosts=LOOPBACK | {bracketed(one.lower()) for one in {*own, *names}},
        any_address=not is_loopback(host),
        registry=schema_registry,
    )
    frames = _frames(given.servers, watch_port, watch_pipe)
    # Before the address is shown: the first page would wait for it.
    application = create_application(given, frames)
    opened = listen(host, port) if listening is None else socket.socket(fileno=listening)
    shown = bracketed(host or "localhost")
    print(f"the console is at http://{shown}:{opened.getsockname()[1]}/", flush=True)
    if watch_port is not None and frames is not None:
        print(f"clients that connect to {frames.place} can be watched", flush=True)
    threading.Thread(target=_check, args=(servers, settings), daemon=True).start()
    if until_stdin_ends:
        when_stdin_ends(lambda: os._exit(0))
    serve_console(application, opened)


def _frames(servers: str, port: int | None, pipe: int | None) -> "FrameSource | None":
    """The source of frames: the broker that started this console, a proxy, or none.

    Raises:
        ConfigError: there is no bootstrap server to which the proxy could connect.
        ConnectionFailed: the proxy cannot have its port.
    """
    from barnabas.console.frame_sources import PipeFrames, ProxyFrames

    if pipe is not None:
        return PipeFrames(pipe)
    if port is None:
        return None
    host, _, number = servers.partition(",")[0].strip().rpartition(":")
    if not number.isdecimal():
        raise ConfigError(f"--watch-port: expected HOST:PORT as bootstrap server, not {servers!r}")
    try:
        return ProxyFrames((host.strip("[]") or "localhost", int(number)), port)
    except ConnectionFailed as error:
        error.add_note("--watch-port chooses another port (0: any free one)")
        raise


def _check(servers: str, settings: Mapping[str, object]) -> None:
    """Report at the start that no broker responds: otherwise only pages would, after they are opened."""
    from barnabas import Admin

    soon = {"bootstrap.refused.timeout.ms": 0, "default.api.timeout.ms": _PATIENCE_MS}
    try:
        with Admin({**admin_settings(settings), **soon}) as admin:
            admin.describe_cluster()
    except KafkaError as error:
        add_hint(error, servers)
        what = printable_lines(with_hints(error))
        print(
            f"barnabas: {what}; the pages show the cluster as soon as it is there",
            file=sys.stderr,
            flush=True,
        )


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches an address."""
    import ipaddress

    with suppress(ValueError):
        return ipaddress.ip_address(host).is_loopback
    return host.lower() == "localhost"


def _password(path: str | None) -> str | None:
    if path is None:
        return os.environ.get(PASSWORD) or None
    try:
        found = Path(path).read_text(encoding="utf-8").partition("\n")[0].strip()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"--password-file {path}: {error}") from None
    if not found:
        raise ConfigError(f"--password-file {path}: its first line is empty")
    return found
