"""Check of a server.properties file: whether a broker would start with it, and what it names."""

from collections.abc import Sequence
from typing import NamedTuple

from barnabas.cli.doctor.finding import Finding, Verdict
from barnabas.cli.serve.properties import configuration, from_options, read_file
from barnabas.config.broker import BrokerConfig
from barnabas.config.listeners import listeners
from barnabas.config.property_files import PropertyText, merge
from barnabas.errors import ConfigError


class NamedResources(NamedTuple):
    """The addresses and directories of a broker, and the findings in its file."""

    places: Sequence[tuple[str, int]]
    directories: Sequence[str]
    findings: Sequence[Finding] = ()


def check_properties(
    path: str | None, port: int | None, host: str | None, directory: str | None
) -> NamedResources:
    """The resources that a file and the options of `serve` name; a broken file names none."""
    try:
        given = merge(read_file(path))
        unknown = [name for name in given if not BrokerConfig.knows(name)]
        config = configuration({**given, **from_options(given, port, host, directory)})
        found = listeners(config)
    except ConfigError as error:
        remedy = f"correct {path}: a broker would not start with it" if path else ""
        return NamedResources((), (), [Finding("config", Verdict.PROBLEM, str(error), remedy)])
    places = [(one.host or "", one.port) for one in found]
    rows = [] if path is None else [_row(path, given, unknown)]
    return NamedResources(places, config.directories, rows)


def _row(path: str, given: dict[str, PropertyText], unknown: list[str]) -> Finding:
    if not unknown:
        return Finding("config", Verdict.OK, f"{path} sets {len(given)} properties")
    advice = [f"{name} ({given[name].source}){BrokerConfig.nearest(name)}" for name in unknown]
    what = f"{path} sets what no broker here knows: {', '.join(advice)}"
    return Finding("config", Verdict.WARNING, what, "correct the names, or remove them")
