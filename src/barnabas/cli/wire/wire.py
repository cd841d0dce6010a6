"""`barnabas wire`: decode bytes on the wire field by field, and find mistakes in them."""

import difflib
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import click

from barnabas.cli.arguments.hints import DEFAULT_SERVERS
from barnabas.cli.arguments.numbers import WholeNumber
from barnabas.cli.arguments.usage import HintingGroup, usage
from barnabas.cli.wire.wire_output import Style, show
from barnabas.errors import ConfigError, KafkaError
from barnabas.lens.capture.conversation import SentFrame
from barnabas.lens.capture.pcap import is_capture
from barnabas.lens.capture.reading import Arrival, read_capture, read_requests, read_responses
from barnabas.lens.hex_text import hex_bytes
from barnabas.lens.languages.language import Language
from barnabas.lens.languages.languages import LANGUAGES, language_of, with_other_language
from barnabas.lens.walks.part import RequestSummary

_dialect = click.option(
    "--dialect",
    type=click.Choice(list(LANGUAGES)),
    default="kafka",
    show_default=True,
    help="The protocol: Kafka's since 0.8, or an earlier one.",
)
_json = click.option("--json", "as_json", is_flag=True, help="One JSON document per frame.")
_brief = click.option("--brief", is_flag=True, help="One line per frame.")
_full = click.option("--full", is_flag=True, help="Do not shorten long values.")


@click.group(cls=HintingGroup)
def wire() -> None:
    """Decode the traffic of clients and brokers."""


@wire.command()
@click.argument("what", nargs=-1)
@_dialect
@click.option("--response", is_flag=True, help="The bytes are responses; --api names the request.")
@click.option("--api", help="The API of the request, by name or key.")
@click.option("--version", type=WholeNumber(), help="Its version; default: the newest.")
@_brief
@_full
@_json
def explain(
    what: tuple[str, ...],
    *,
    dialect: str,
    response: bool,
    api: str | None,
    version: int | None,
    brief: bool,
    full: bool,
    as_json: bool,
) -> int:
    """Decode frames from hex, a file, or stdin. Exit code 1 if one contains a mistake.

    A file holds hex, raw bytes, or a capture (pcap, pcapng) of whole conversations. A capture pairs
    responses with their requests; otherwise a response needs --response and --api.
    """
    language = language_of(dialect)
    with usage():
        asked = _asked(language, api, version, response=response)
        data = _bytes(what)
    style = Style(as_json, brief, full)
    mistakes = 0
    frames = 0
    for sent, arrival in _read(language, data, asked):
        show(sent, style, arrival)
        mistakes += len(sent.explained.faults)
        frames += 1
    if not frames:
        raise KafkaError("nothing to explain: no frame found")
    return int(mistakes > 0)


def _read(
    language: Language, data: bytes, asked: RequestSummary | None
) -> Iterator[tuple[SentFrame, Arrival | None]]:
    if is_capture(data):
        for arrival in read_capture(language, data):
            yield arrival.sent, arrival
        return
    if asked is not None:
        for sent in read_responses(language, data, asked):
            yield sent, None
        return
    for sent in read_requests(language, data):
        found = with_other_language(sent.explained, language.name)
        yield replace(sent, explained=found), None


def _asked(
    language: Language, api: str | None, version: int | None, *, response: bool
) -> RequestSummary | None:
    """The request that the responses answer; None to decode requests.

    Raises:
        ConfigError: --api is missing or unknown.
    """
    if not response:
        return None
    if api is None:
        raise ConfigError("--response needs --api: a response does not name its request")
    number = language.number_of(api)
    if number is None:
        raise ConfigError(f"--api {api}: {language.name} has no such API{_meant(api, language)}")
    return RequestSummary(number, language.newest_version(number) if version is None else version)


def _meant(api: str, language: Language) -> str:
    """A name like the one given, to end an error; else where the names are."""
    names = {name.lower(): name for name in language.names}
    near = difflib.get_close_matches(api.replace("_", "").lower(), names, n=1)
    return f"; did you mean {names[near[0]]}?" if near else f"; it has {', '.join(names.values())}"


def _bytes(what: tuple[str, ...]) -> bytes:
    """The bytes to decode, from the command line, a file or stdin."""
    if len(what) == 1 and what[0] != "-" and Path(what[0]).is_file():
        return _plain(Path(what[0]).read_bytes())
    if what in ((), ("-",)):
        return _plain(sys.stdin.buffer.read())
    if len(what) == 1 and {".", "/"} & set(what[0]):
        raise ConfigError(f"there is no file {what[0]}")
    try:
        return hex_bytes(" ".join(what))
    except ConfigError:
        if len(what) == 1 and what[0].isalnum():
            raise ConfigError(f"{what[0]} is neither hex nor a file") from None
        raise


def _plain(data: bytes) -> bytes:
    """Raw bytes, or those spelled in hex."""
    if is_capture(data) or not data.isascii() or b"\0" in data:
        return data
    return hex_bytes(data.decode())


@wire.command()
@click.option(
    "--listen",
    default="9192",
    show_default=True,
    metavar="[HOST:]PORT",
    help="Where clients connect; port 0: any free port.",
)
@click.option(
    "--to", default=DEFAULT_SERVERS, show_default=True, metavar="HOST:PORT", help="The broker."
)
@_dialect
@click.option("--save", type=click.Path(dir_okay=False), help="Save the traffic in a pcap file.")
@click.option(
    "--keep-addresses", is_flag=True, help="Do not replace the brokers' addresses in responses."
)
@_brief
@_full
@_json
def proxy(
    *,
    listen: str,
    to: str,
    dialect: str,
    save: str | None,
    keep_addresses: bool,
    brief: bool,
    full: bool,
    as_json: bool,
) -> None:
    """Run a proxy between clients and a broker, and decode their traffic.

    Clients connect to --listen. The proxy replaces brokers' addresses in responses by its own, one
    port per broker, so that all traffic passes through it. --save writes the original traffic, for
    explain and for other pcap tools.
    """
    from barnabas.cli.wire.wire_proxy import parse_place, run_proxy

    with usage():
        places = parse_place(listen, "--listen"), parse_place(to, "--to")
    run_proxy(
        *places,
        language_of(dialect),
        Style(as_json, brief, full),
        save=save,
        keep_addresses=keep_addresses,
    )
