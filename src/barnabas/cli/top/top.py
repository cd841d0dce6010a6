"""`barnabas top`: topics by rate, groups by lag and brokers, refreshed in place."""

import dataclasses
import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager

import click

from barnabas import Admin
from barnabas.cli.arguments.connection import client_settings, connection_options
from barnabas.cli.arguments.numbers import Number
from barnabas.cli.arguments.waiting_notice import waiting_notice
from barnabas.cli.output.output import show_json
from barnabas.cli.top.rates import ORDERS, RateTables, rates_between
from barnabas.cli.top.sample import ClusterSample, take_sample
from barnabas.errors import KafkaError
from barnabas.runtime.clock import SystemClock

_ORDER_BY_KEY = {"r": "records", "b": "bytes", "s": "size", "n": "name"}
_END_OF_INPUT = "\x04"


@click.command()
@click.option(
    "--sort",
    "order",
    type=click.Choice(ORDERS),
    default="records",
    show_default=True,
    help="Order of topics: records or bytes per second, size on disk, name.",
)
@click.option(
    "--interval",
    type=Number(0.1, 3600),
    default=2.0,
    show_default=True,
    metavar="SECONDS",
    help="Time between two samples.",
)
@click.option("--once", is_flag=True, help="Print the rates of one interval, then end.")
@click.option("--internal", is_flag=True, help="Include Kafka's internal topics.")
@click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON document per interval, each a line."
)
@connection_options
def top(
    *,
    servers: str,
    pairs: tuple[str, ...],
    order: str,
    interval: float,
    once: bool,
    internal: bool,
    as_json: bool,
) -> None:
    """Show topics by rate, groups by lag, and brokers, refreshed until q or Ctrl-C.

    Keys sort topics: r by records per second, b by bytes per second, s by size, n by name.

    Rates are measured at the leaders: records by the ends of partitions, bytes by the growth of
    their logs, compressed as stored; deleted segments count as no growth. A group reads as fast as
    its saved positions advance. In a pipe, and without --json, it is as with --once.
    """
    with Admin(client_settings(servers, pairs)) as admin:
        # A notice while samples are awaited: the time between two of them is no silence.
        watch = ClusterWatch(admin, interval, lambda: waiting_notice(servers), internal=internal)
        if as_json:
            while True:
                show_json(dataclasses.asdict(watch.next_rates(order)))
                sys.stdout.flush()
                if once:
                    return
        elif once or not sys.stdout.isatty():
            from rich.console import Console

            from barnabas.cli.top.screen import screen_of

            Console().print(screen_of(watch.next_rates(order), servers, order, None))
        else:
            _refresh(watch, servers, order)


class ClusterWatch:
    """Samples of one cluster, of which the last is kept. The first is taken at once.

    `waiting` gives what is around the wait for a sample: a notice if that is long.

    Raises:
        KafkaError: the cluster does not answer.
    """

    def __init__(
        self,
        admin: Admin,
        interval: float,
        waiting: Callable[[], AbstractContextManager[None]],
        *,
        internal: bool,
    ) -> None:
        self._admin = admin
        self._clock = SystemClock()
        self._internal = internal
        with waiting():
            self._latest = self._sample()
        self._before = self._latest
        self.interval = interval
        self._waiting = waiting

    def _sample(self) -> ClusterSample:
        return take_sample(self._admin, self._clock, internal=self._internal)

    def next_rates(self, order: str) -> RateTables:
        """Wait for an interval and return its rates."""
        time.sleep(self.interval)
        with self._waiting():
            self.advance()
        return self.rates(order)

    def advance(self) -> None:
        """Take another sample."""
        self._before, self._latest = self._latest, self._sample()

    def rates(self, order: str) -> RateTables:
        """The rates between the last two samples."""
        return rates_between(self._before, self._latest, order)


def _refresh(watch: ClusterWatch, servers: str, order: str) -> None:
    """A full screen until a key ends it. A cluster that stops answering is reported on it."""
    from rich.console import Console
    from rich.live import Live

    from barnabas.cli.top.keys import TerminalKeys
    from barnabas.cli.top.screen import screen_of

    console = Console()
    clock = SystemClock()
    problem = "measuring"

    def draw() -> None:
        rates = watch.rates(order)
        if problem:
            rates = dataclasses.replace(rates, problems=(problem, *rates.problems))
        live.update(screen_of(rates, servers, order, console.height), refresh=True)

    with TerminalKeys() as keys, Live(console=console, screen=True, auto_refresh=False) as live:
        while True:
            draw()
            until = clock.monotonic() + watch.interval
            while key := keys.next(until - clock.monotonic()):
                if key in ("q", _END_OF_INPUT):
                    return
                order = _ORDER_BY_KEY.get(key, order)
                draw()
            try:
                watch.advance()
                problem = ""
            except KafkaError as error:
                problem = f"{error}; still trying"
