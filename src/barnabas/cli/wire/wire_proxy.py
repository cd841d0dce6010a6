"""The proxy of `barnabas wire`: a relay on an event loop, its frames on stdout, its file if any."""

import sys
from contextlib import ExitStack
from pathlib import Path

from barnabas.cli.output.log_lines import log_from
from barnabas.cli.wire.wire_output import Style, show
from barnabas.errors import ConfigError, ConnectionFailed
from barnabas.lens.capture.reading import Heard
from barnabas.lens.capture.recording import Recording
from barnabas.lens.capture.relay import Relay, RelayOptions
from barnabas.lens.languages.language import Language
from barnabas.runtime.clock import SystemClock
from barnabas.runtime.event_loop import EventLoop

_LOOPBACK = "127.0.0.1"
_MOST_PORT = 65535


def parse_place(text: str, option: str) -> tuple[str, int]:
    """Host and port; the host may be left out.

    Raises:
        ConfigError: it is neither.
    """
    host, _, port = text.rpartition(":")
    if not port.isdecimal() or int(port) > _MOST_PORT:
        raise ConfigError(f"{option}: HOST:PORT expected, not {text!r}")
    return host.strip("[]") or _LOOPBACK, int(port)


def run_proxy(
    listen: tuple[str, int],
    to: tuple[str, int],
    language: Language,
    style: Style,
    *,
    save: str | None,
    keep_addresses: bool,
) -> None:
    """Serve until a signal comes."""
    log_from("warning")
    loop = EventLoop()
    broken: list[OSError] = []

    def on_heard(heard: Heard) -> None:
        if broken:
            return
        try:
            show(heard.told, style, heard)
        except OSError as error:  # Nobody reads any more: there is no use in going on.
            broken.append(error)
            loop.call(end)

    def end() -> None:
        relay.close()
        loop.stop()

    with ExitStack() as stack:
        recording = None
        if save is not None:
            file = stack.enter_context(Path(save).open("wb", buffering=0))
            recording = Recording(file.write)
        options = RelayOptions(listen[0], recording, keep_addresses)
        relay = Relay(loop.network, SystemClock(), language, on_heard, options)
        try:
            host, port = relay.open(to, listen[1])
        except ConnectionFailed as error:
            loop.close()
            error.add_note("--listen takes another port (0: any that is free)")
            raise
        loop.on_signals(lambda _: end())
        print(f"listening at {host}:{port} for {to[0]}:{to[1]}", file=sys.stderr, flush=True)
        loop.run()
    if broken:
        raise broken[0]
