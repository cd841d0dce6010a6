"""`barnabas serve`: run a broker until a signal ends it. The broker itself is elsewhere."""

import contextlib
import gc
import logging
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from barnabas.cli.arguments.hints import DEFAULT_SERVERS, add_hint_to_serve
from barnabas.cli.arguments.names import named
from barnabas.cli.arguments.numbers import WholeNumber
from barnabas.cli.arguments.usage import usage
from barnabas.cli.output.log_lines import log_from
from barnabas.cli.signals import when_stdin_ends
from barnabas.config.broker import BrokerConfig
from barnabas.config.files import Given, file_properties, merge, overrides, values
from barnabas.config.listeners import Endpoint, listeners
from barnabas.config.releases import release_line
from barnabas.errors import ConfigError, ConnectionFailed, LogDirFailed, StartCancelled
from barnabas.types import bracketed
from barnabas.version import __version__

if TYPE_CHECKING:
    import subprocess
    from multiprocessing.connection import Connection

    from barnabas.broker.server.node import Node

log = logging.getLogger(__name__)

_LOOKED_AT = 10_000
"""The garbage collector's first threshold; Python's default of 700 costs a tenth of the time of
small requests.
"""
_ADDRESS = "--port and --host"
_LONGEST_FILE = 1 << 20
_LEVELS = click.Choice(["debug", "info", "warning", "error"])


@click.command()
@click.option("--port", type=WholeNumber(0, 65535), help="Port; default 9092; 0: any free port.")
@click.option("--host", help="Address to listen on; default localhost; '' for all.")
@click.option(
    "--data-dir",
    type=click.Path(file_okay=False),
    callback=named("data directory"),
    help="The directory of the logs.",
)
@click.option("--config", type=click.Path(dir_okay=False), help="A server.properties file.")
@click.option(
    "--profile",
    metavar="RELEASE",
    help="Emulate this Kafka release, as 0.8.2 or 3.9: `barnabas profiles` lists them.",
)
@click.option(
    "--set", "pairs", multiple=True, metavar="NAME=VALUE", help="Set one property; repeatable."
)
@click.option(
    "--metrics-port",
    type=WholeNumber(0, 65535),
    help="Serve /metrics for Prometheus on this port, on --host; 0: any free port.",
)
@click.option(
    "--ephemeral", is_flag=True, help="Keep the logs in a directory that is deleted at the end."
)
@click.option(
    "--console-port",
    type=WholeNumber(0, 65535),
    help="Also show the broker in a browser, on this port of this machine: `barnabas console`.",
)
@click.option(
    "--watch/--no-watch",
    "may_watch",
    default=True,
    help="Whether the console may show what connections send and receive. Default: it may.",
)
@click.option(
    "--brokers",
    type=WholeNumber(1, 100),
    default=1,
    help="Run a cluster of so many brokers, on ports one after the other (default 1).",
)
@click.option(
    "--zookeeper",
    type=click.Choice(["local"]),
    help="local: each of the brokers is a process, under a ZooKeeper that is started with them.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the address as one line of JSON.")
@click.option("--until-stdin-ends", is_flag=True, hidden=True)
@click.option("--log-level", type=_LEVELS, default="warning", show_default=True)
def serve(
    *,
    port: int | None,
    host: str | None,
    data_dir: str | None,
    config: str | None,
    profile: str | None,
    pairs: tuple[str, ...],
    metrics_port: int | None,
    ephemeral: bool,
    console_port: int | None,
    may_watch: bool,
    brokers: int,
    zookeeper: str | None,
    as_json: bool,
    until_stdin_ends: bool,
    log_level: str,
) -> None:
    """Run a broker in this process, or a cluster, until SIGTERM, SIGHUP or Ctrl-C.

    Properties have Kafka's names. --port, --host and --data-dir override --set, which overrides
    --config. With --brokers they are those of each broker; the data directory gets a folder for each.
    """
    log_from(log_level)
    if ephemeral and data_dir:
        raise click.UsageError("--ephemeral creates its own directory: leave out --data-dir")
    with usage(), _directory(data_dir, ephemeral=ephemeral) as directory:
        given = merge(_file(config), overrides(pairs))
        release = release_line(profile) if profile else ""
        if brokers > 1 or zookeeper is not None:
            if metrics_port is not None or console_port is not None:
                raise click.UsageError(
                    "--metrics-port and --console-port are for one broker; for a cluster run "
                    "`barnabas console` beside it"
                )
            from barnabas.cli.local_cluster.options import ClusterOptions

            wanted = ClusterOptions(brokers, release, directory, host, port)
            if zookeeper is None:
                from barnabas.cli.local_cluster.one_process import serve_in_one_process

                serve_in_one_process(wanted, given, configuration, as_json=as_json)
            else:
                from barnabas.cli.local_cluster.processes import serve_in_processes

                serve_in_processes(
                    wanted, given, configuration, log_level=log_level, as_json=as_json
                )
            return
        given |= from_options(given, port, host, directory)
        _run(
            configuration(given, release),
            metrics_port=metrics_port,
            console_port=console_port,
            may_watch=may_watch,
            as_json=as_json,
            until_stdin_ends=until_stdin_ends,
        )


def _file(path: str | None) -> dict[str, Given]:
    if path is None:
        return {}
    try:
        with Path(path).open(encoding="utf-8") as file:
            text = file.read(_LONGEST_FILE + 1)
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ConfigError(f"cannot read {path}: it is not UTF-8 text") from None
    if len(text) > _LONGEST_FILE:
        raise ConfigError(
            f"cannot read {path}: more than {_LONGEST_FILE} characters are no properties"
        )
    return file_properties(text, Path(path).name)


@contextlib.contextmanager
def _directory(data_dir: str | None, *, ephemeral: bool) -> Iterator[str | None]:
    """Open the data directory that the options name; an ephemeral one is deleted afterwards."""
    if not ephemeral:
        yield data_dir
        return
    import shutil
    import tempfile

    made = tempfile.mkdtemp(prefix="barnabas-")
    try:
        yield made
    finally:
        shutil.rmtree(made, ignore_errors=True)


def from_options(
    given: dict[str, Given], port: int | None, host: str | None, directory: str | None
) -> dict[str, Given]:
    """Turn --port, --host and the data directory into properties.

    They discard a file's advertised.listeners, which belonged to the file's listeners.
    """
    options = {}
    if directory is not None:
        options["log.dirs"] = Given(str(Path(directory).absolute()), "--data-dir")
    if port is not None or host is not None or "listeners" not in given:
        place = "localhost" if host is None else host
        number = 9092 if port is None else port
        options["listeners"] = Given(f"PLAINTEXT://{bracketed(place)}:{number}", _ADDRESS)
    addresses = given.get("advertised.listeners")
    if (
        (port is not None or host is not None)
        and addresses is not None
        and addresses.source != "--set"
    ):
        options["advertised.listeners"] = Given("", _ADDRESS)
    return options


def configuration(given: dict[str, Given], release: str = "") -> BrokerConfig:
    """Combine the properties with the defaults of a release.

    Directories do not depend on this process's working directory. Without a node id, the id stored
    in the directories applies, as in Kafka.
    """
    config = BrokerConfig.load(values(given), release=release)
    absolute = [str(Path(one).absolute()) for one in config.directories]
    changed: dict[str, object] = {}
    if absolute != list(config.directories):
        changed["log.dirs"] = absolute
    owner = None if "node.id" in config.given else _owner(absolute)
    if owner is not None and owner != config.node_id:
        changed["node.id"] = owner
    if not changed:
        return config
    # A second parse would repeat the warnings of the first.
    known = {name: config.value(name) for name in config.given}
    return BrokerConfig.load({**known, **changed}, release=release)


def _owner(directories: list[str]) -> int | None:
    """Return the node id in the first valid meta.properties."""
    from barnabas.log.directories.meta_properties import META_PROPERTIES, parse_meta_properties

    for directory in directories:
        path = Path(directory) / META_PROPERTIES
        # The broker reports an unreadable one itself, and may run without that directory.
        with contextlib.suppress(OSError, LogDirFailed):
            # To open a pipe takes until somebody opens its other end.
            if not path.is_file() or path.stat().st_size > _LONGEST_FILE:
                continue
            return parse_meta_properties(str(path), path.read_bytes()).node_id
    return None


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


def _run(
    config: BrokerConfig,
    *,
    metrics_port: int | None,
    console_port: int | None,
    may_watch: bool,
    as_json: bool,
    until_stdin_ends: bool,
) -> None:
    def announce(addresses: dict[str, Endpoint]) -> None:
        where = None if metrics is None else f"http://{bracketed(host)}:{node.metrics_port}/metrics"
        _announce(config, addresses, where, as_json=as_json)
        if console_port is not None:
            watch = node.watch_frames if may_watch else None
            consoles.append(_start_console(addresses, console_port, watch))

    host = listeners(config)[0].host or "localhost"
    metrics = None if metrics_port is None else (listeners(config)[0].host, metrics_port)
    consoles: list[subprocess.Popen[bytes]] = []
    node_type = _node()
    from barnabas.runtime.descriptors import raise_limit

    raise_limit()
    node = node_type(config, metrics=metrics)
    if until_stdin_ends:
        # The whole cluster ends then: nobody takes over.
        when_stdin_ends(lambda: node.stop(hand_over=False))
    try:
        node.run(announce, stop_on_signals=True)
    except ConnectionFailed as error:
        add_hint_to_serve(error)
        raise
    except StartCancelled as cancelled:
        log.info("broker stopped before it had started", extra={"why": cancelled})
    finally:
        for each in consoles:
            each.terminate()
            each.wait()
    if sys.stdout.isatty():
        print("\nstopped")  # Ctrl-C left ^C on the line.


def _announce(
    config: BrokerConfig, addresses: dict[str, Endpoint], metrics: str | None, *, as_json: bool
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


def _start_console(
    addresses: dict[str, Endpoint],
    port: int,
    watch: Callable[["Connection[Any, Any]"], None] | None,
) -> "subprocess.Popen[bytes]":
    """Run the console in a process of its own, which ends with this one: no page slows the broker.

    `watch` gets our end of a pipe over which the console watches connections; None: it may not.
    """
    import subprocess

    first = next(iter(addresses.values()))
    where = f"{bracketed(first.host or 'localhost')}:{first.port}"
    command = [sys.executable, "-m", "barnabas", "console", "--bootstrap-servers", where]
    command += ["--port", str(port), "--until-stdin-ends"]
    if watch is None:
        return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=sys.stderr)  # noqa: S603 (ours)
    from multiprocessing import Pipe

    ours, theirs = Pipe()
    with theirs:
        number = theirs.fileno()
        command += ["--watch-pipe", str(number)]
        started = subprocess.Popen(  # noqa: S603 (ours)
            command, stdin=subprocess.PIPE, stdout=sys.stderr, pass_fds=(number,)
        )
    watch(ours)
    return started
