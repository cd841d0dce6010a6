"""A broker in this process until a signal ends it, with the metrics and the console beside it."""

import gc
import logging
import sys
from typing import TYPE_CHECKING

from barnabas.cli.arguments.hints import DEFAULT_SERVERS, add_hint_to_serve
from barnabas.cli.signals import when_stdin_ends
from barnabas.config.broker import BrokerConfig
from barnabas.config.listeners import Endpoint, listeners
from barnabas.errors import ConnectionFailed, StartCancelled
from barnabas.types import bracketed
from barnabas.version import __version__

if TYPE_CHECKING:
    from barnabas.broker.server.node import Node
    from barnabas.cli.console_process import ConsoleProcess

log = logging.getLogger(__name__)

_LOOKED_AT = 10_000
"""The garbage collector's first threshold; Python's default of 700 costs a tenth of the time of
small requests.
"""


def _node() -> "type[Node]":
    """Import the broker's modules without garbage collection: they create no garbage.

    Freezing them also halves the later pauses.
    """
    gc.disable()
    try:
        from barnabas.broker.server.node import Node
    finally:
        gc.freeze()
        # Requests that wait for one write are many, and rarely garbage in cycles.
        gc.set_threshold(_LOOKED_AT)
        gc.enable()
    return Node


def run_broker(
    config: BrokerConfig,
    *,
    metrics_port: int | None,
    console: "ConsoleProcess | None",
    may_watch: bool,
    as_json: bool,
    until_stdin_ends: bool,
) -> None:
    """Run it.

    Raises:
        ConfigError: packages that metrics need are missing or too old.
        KafkaError: it cannot start.
    """

    def announce(addresses: dict[str, Endpoint]) -> None:
        where = None if metrics is None else f"http://{bracketed(host)}:{node.metrics_port}/metrics"
        _announce(config, addresses, where, console, as_json=as_json)
        if console is not None:
            first = next(iter(addresses.values()))
            reached = f"{bracketed(first.host or 'localhost')}:{first.port}"
            console.start(reached, node.watch_frames if may_watch else None)

    host = listeners(config)[0].host or "localhost"
    metrics = None if metrics_port is None else (listeners(config)[0].host, metrics_port)
    node_type = _node()
    from barnabas.runtime.descriptors import raise_limit

    raise_limit()
    node = node_type(config, metrics=metrics)
    if until_stdin_ends:
        # The whole cluster ends then: no other broker can take over.
        when_stdin_ends(lambda: node.stop(hand_over=False))
    try:
        node.run(announce, stop_on_signals=True)
    except ConnectionFailed as error:
        add_hint_to_serve(error)
        raise
    except StartCancelled as cancelled:
        log.info("broker stopped before it had started", extra={"why": cancelled})
    if sys.stdout.isatty():
        print("\nstopped")  # Ctrl-C left ^C on the line.


def _announce(
    config: BrokerConfig,
    addresses: dict[str, Endpoint],
    metrics: str | None,
    console: "ConsoleProcess | None",
    *,
    as_json: bool,
) -> None:
    places = [f"{bracketed(endpoint.host)}:{endpoint.port}" for endpoint in addresses.values()]
    if as_json:
        import json

        announcement = {
            "bootstrap_servers": places[0],
            "listeners": dict(zip(addresses, places, strict=True)),
            "log_dirs": list(config.directories),
            "version": __version__,
            **({"metrics": metrics} if metrics else {}),
            **({"console": console.url} if console is not None else {}),
        }
        print(json.dumps(announcement), flush=True)
        return
    where, logs = ", ".join(places), ", ".join(config.directories)
    print(f"barnabas {__version__} is ready at {where}, logs in {logs}", flush=True)
    if metrics:
        print(f"metrics at {metrics}", flush=True)
    if sys.stdout.isatty():
        reached = "" if places[0] == DEFAULT_SERVERS else f" -b {places[0]}"
        print(f"Ctrl-C stops it. Try: echo hello | barnabas produce greetings{reached}", flush=True)
