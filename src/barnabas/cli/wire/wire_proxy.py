"""The proxy of `barnabas wire`: a relay on an event loop, its frames on stdout, its optional file."""

import sys
from contextlib import ExitStack
from pathlib import Path

from barnabas.cli.output.log_lines import log_from
from barnabas.cli.wire.wire_output import Style, show
from barnabas.errors import ConfigError, ConnectionFailed
from barnabas.lens.capture.reading import Arrival
from barnabas.lens.capture.recording import Recording
from barnabas.lens.capture.relay import Relay, RelayOptions
from barnabas.lens.languages.language import Language
from barnabas.runtime.clock import SystemClock
from barnabas.runtime.event_loop import EventLoop

_LOOPBACK = "127.0.0.1"
_MOST_PORT = 65535


def parse_place(text: str, option: str) -> tuple[str, int]:
    """Parse host and port; the host is optional.

    Raises:
        ConfigError: neither form matches.
    """
    host, _, port = text.rpartition(":")
    if not port.isdecimal() or int(port) > _MOST_PORT:
        raise ConfigError(f"{option}: expected HOST:PORT, not {text!r}")
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
    """Run until a signal arrives."""
    log_from("warning")
    loop = EventLoop()
    broken: list[OSError] = []

    def on_frame(arrival: Arrival) -> None:
        if broken:
            return
        try:
            show(arrival.sent, style, arrival)
        except OSError as error:  # The output has no reader any more: stop.
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
        relay = Relay(loop.network, SystemClock(), language, on_frame, options)
        try:
            host, port = relay.open(to, listen[1])
        except ConnectionFailed as error:
            loop.close()
            error.add_note("--listen takes another port (0: any free one)")
            raise
        loop.on_signals(lambda _: end())
        print(f"listening at {host}:{port} for {to[0]}:{to[1]}", file=sys.stderr, flush=True)
        loop.run()
    if broken:
        raise broken[0]
