"""`barnabas wire`: what bytes on the wire say, field by field, and where they are wrong."""

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import click

from barnabas.cli.arguments.hints import DEFAULT_SERVERS
from barnabas.cli.arguments.usage import HintingGroup, usage
from barnabas.cli.wire.hex_text import hex_bytes
from barnabas.cli.wire.wire_output import Style, show
from barnabas.errors import ConfigError, KafkaError
from barnabas.lens.capture.conversation import Told
from barnabas.lens.capture.pcap import is_capture
from barnabas.lens.capture.reading import Heard, read_capture, read_requests, read_responses
from barnabas.lens.languages.language import Language
from barnabas.lens.languages.languages import LANGUAGES, language_of, with_other_language
from barnabas.lens.walks.part import Asked

_dialect = click.option(
    "--dialect",
    type=click.Choice(list(LANGUAGES)),
    default="kafka",
    show_default=True,
    help="The wire language: Kafka's since 0.8, or an earlier one.",
)
_json = click.option("--json", "as_json", is_flag=True, help="One JSON document a frame.")
_brief = click.option("--brief", is_flag=True, help="One line for each frame.")
_full = click.option("--full", is_flag=True, help="Long values in full.")


@click.group(cls=HintingGroup)
def wire() -> None:
    """Read what clients and brokers say, byte by byte."""


@wire.command()
@click.argument("what", nargs=-1)
@_dialect
@click.option("--response", is_flag=True, help="These are responses; --api says to what.")
@click.option("--api", help="The API that was asked for, by its name or key.")
@click.option("--version", type=int, help="Its version; the newest if not said.")
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
    """Explain frames: hex, a file, or stdin. Exit code 1 if there is a mistake in them.

    A file holds hex, the bytes themselves, or a capture (pcap, pcapng) of whole conversations, in
    which responses are read by what was asked. Without one, a response needs --response and --api.
    """
    language = language_of(dialect)
    with usage():
        asked = _asked(language, api, version, response=response)
        data = _bytes(what)
    style = Style(as_json, brief, full)
    mistakes = 0
    frames = 0
    for told, heard in _read(language, data, asked):
        show(told, style, heard)
        mistakes += len(told.explained.faults)
        frames += 1
    if not frames:
        raise KafkaError("there is nothing to explain: no frame was found")
    return int(mistakes > 0)


def _read(
    language: Language, data: bytes, asked: Asked | None
) -> Iterator[tuple[Told, Heard | None]]:
    if is_capture(data):
        for heard in read_capture(language, data):
            yield heard.told, heard
        return
    if asked is not None:
        for told in read_responses(language, data, asked):
            yield told, None
        return
    for told in read_requests(language, data):
        found = with_other_language(told.explained, language.name)
        yield replace(told, explained=found), None


def _asked(
    language: Language, api: str | None, version: int | None, *, response: bool
) -> Asked | None:
    """What the responses answer; None where requests are to be read.

    Raises:
        ConfigError: no API is named, or none that there is.
    """
    if not response:
        return None
    if api is None:
        raise ConfigError("--response needs --api: a response does not say what it answers")
    number = language.number_of(api)
    if number is None:
        raise ConfigError(f"--api {api}: {language.name} has no such API")
    return Asked(number, language.newest_version(number) if version is None else version)


def _bytes(what: tuple[str, ...]) -> bytes:
    """What is to be explained, from the command line, a file or stdin."""
    if len(what) == 1 and what[0] != "-" and Path(what[0]).is_file():
        return _plain(Path(what[0]).read_bytes())
    if what in ((), ("-",)):
        return _plain(sys.stdin.buffer.read())
    if len(what) == 1 and {".", "/"} & set(what[0]):
        raise ConfigError(f"there is no file {what[0]}")
    return hex_bytes(" ".join(what))


def _plain(data: bytes) -> bytes:
    """Bytes as they are, or those that they spell in hex."""
    if is_capture(data) or not data.isascii() or b"\0" in data:
        return data
    return hex_bytes(data.decode())


@wire.command()
@click.option(
    "--listen",
    default="9192",
    show_default=True,
    metavar="[HOST:]PORT",
    help="Where clients connect; port 0 is any that is free.",
)
@click.option(
    "--to", default=DEFAULT_SERVERS, show_default=True, metavar="HOST:PORT", help="The broker."
)
@_dialect
@click.option(
    "--save", type=click.Path(dir_okay=False), help="Keep all that is said in a pcap file."
)
@click.option(
    "--keep-addresses", is_flag=True, help="Let clients go to the addresses that brokers tell."
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
    """Stand between clients and a broker, and explain what they say.

    Clients connect to --listen. Brokers tell them addresses; these are replaced by some of this
    proxy, one port for each broker, so that all they say goes through it. --save keeps it, as the
    broker said it, for explain and for other readers of pcap.
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
