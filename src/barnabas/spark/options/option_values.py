"""The options of a user: check their names, parse their values, report mistakes.

The meaning of options is in `read_options` and `write_options`.
"""

import difflib
import json
from collections.abc import Iterable, Mapping
from typing import Any

from barnabas.client.core.cluster.bootstrap import parse_addresses
from barnabas.config.clients import AdminConfig, ConsumerConfig, ProducerConfig
from barnabas.config.ignored_names import CLIENT_NAMES, refusal, why_ignored
from barnabas.errors import ConfigError
from barnabas.spark.errors import OptionError

KAFKA_PREFIX = "kafka."
BOOTSTRAP = "kafka.bootstrap.servers"

TASK_REFUSED_MS = "3600000"
"""`bootstrap.refused.timeout.ms` of a task's client, so that the limit of each call holds.

Planning has reached the brokers: where nothing listens now, they are starting again.
"""

_NO_OPTIONS = (
    "is missing, as all options are. Of a table made by CREATE TABLE ... USING barnabas Spark keeps "
    "none, so give them at each use: SELECT * FROM name WITH (`kafka.bootstrap.servers` = "
    "'host:port', subscribe = 'topic'), INSERT INTO name WITH (..., topic = 'topic') ...; or make a "
    "temporary view, which keeps its OPTIONS"
)

_DURATIONS_MS = {
    "us": 0.001,
    "ms": 1,
    "s": 1000,
    "m": 60_000,
    "min": 60_000,
    "h": 3_600_000,
    "d": 86_400_000,
}


class Options:
    """A case-insensitive view of the options of one `load` or `save`.

    Spark passes option names in lower case; messages show them as they are documented.
    """

    def __init__(self, given: Mapping[str, str]) -> None:
        self._values = {name.lower(): value for name, value in given.items()}

    def check_names(self, known: Iterable[str], elsewhere: Mapping[str, str]) -> None:
        """Check that all names are in `known` or start with `kafka.`.

        Args:
            known: the names as documented.
            elsewhere: names of options for the other direction (reading or writing), each with a hint.

        Raises:
            OptionError: for the first other name; the message names the most similar known one.
        """
        documented = {name.lower(): name for name in known}
        hints = {name.lower(): (name, hint) for name, hint in elsewhere.items()}
        for name in self._values:
            if name in documented or name.startswith(KAFKA_PREFIX):
                continue
            if name in hints:
                raise OptionError(*hints[name])
            near = difflib.get_close_matches(name, documented, n=1)
            meant = f"did you mean '{documented[near[0]]}'?" if near else "remove it"
            raise OptionError(name, f"not known here; {meant}")

    def has(self, name: str) -> bool:
        """Whether the option was given."""
        return name.lower() in self._values

    def given(self, names: Iterable[str]) -> list[str]:
        """Those of `names` that were given, in their documented spelling."""
        return [name for name in names if self.has(name)]

    def text(self, name: str) -> str | None:
        """The value without surrounding white space, or None."""
        value = self._values.get(name.lower())
        return None if value is None else str(value).strip()

    def flag(self, name: str, *, default: bool) -> bool:
        """A value that is true or false."""
        value = self.text(name)
        if value is None:
            return default
        if value.lower() not in {"true", "false"}:
            raise OptionError(name, f"must be true or false, not '{value}'")
        return value.lower() == "true"

    def word(self, name: str, *known: str) -> str:
        """One of the words `known`, in upper or lower case; by default the first one."""
        value = (self.text(name) or known[0]).lower()
        if value not in known:
            meant = f"{', '.join(known[:-1])} or {known[-1]}"
            raise OptionError(name, f"must be {meant}, not '{value}'")
        return value

    def integer(self, name: str, *, least: int, most: int = 2**63 - 1) -> int | None:
        """A whole number in [least, most], or None if the option was not given."""
        value = self.text(name)
        if value is None:
            return None
        try:
            number = int(value)
        except ValueError:
            raise OptionError(name, f"must be a whole number, not '{value}'") from None
        if not least <= number <= most:
            raise OptionError(name, f"must be from {least} to {most}, not {number}")
        return number

    def duration_ms(self, name: str, *, default: int) -> int:
        """A duration as Spark writes it ("500ms", "30s", "15m", "2h", "1d"; bare: milliseconds)."""
        value = self.text(name)
        if value is None:
            return default
        digits = value.rstrip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ ")
        unit = value[len(digits) :].strip().lower() or "ms"
        if not digits.isdecimal() or unit not in _DURATIONS_MS:
            raise OptionError(name, f"must be a duration such as 500ms, 30s or 15m, not '{value}'")
        return int(int(digits) * _DURATIONS_MS[unit])

    def kafka(self, *, refused: Mapping[str, str]) -> dict[str, str]:
        """The `kafka.*` options without their prefix.

        Args:
            refused: Kafka properties that cannot be used here, each with a hint.

        Raises:
            OptionError: one of `refused` was given, or a property or value that Kafka's clients do not know,
                or `kafka.bootstrap.servers` is missing.
        """
        if not self._values:
            raise OptionError(BOOTSTRAP, _NO_OPTIONS)
        if not self.text(BOOTSTRAP):
            raise OptionError(BOOTSTRAP, "is missing; set it to host:port of one or more brokers")
        found = {
            name[len(KAFKA_PREFIX) :]: str(value)
            for name, value in self._values.items()
            if name.startswith(KAFKA_PREFIX)
        }
        try:
            parse_addresses(found["bootstrap.servers"].split(","))
        except ConfigError as error:
            raise OptionError(BOOTSTRAP, str(error)) from None
        for name, hint in refused.items():
            if name in found:
                raise OptionError(KAFKA_PREFIX + name, hint)
        for name, value in found.items():
            _check_property(name, value)
        return found


def parse_json(name: str, value: str, wanted: str) -> Any:
    """The JSON value of an option.

    Args:
        name: that of the option.
        value: its text.
        wanted: what to say if it is no JSON.

    Raises:
        OptionError: it is no JSON, or an object has a name twice, of which Python would keep only the last.
    """

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key, each in pairs:
            if key in found:
                raise OptionError(name, f"has '{key}' twice; keep one of them")
            found[key] = each
        return found

    try:
        return json.loads(value, object_pairs_hook=unique)
    except ValueError:
        raise OptionError(name, wanted) from None


def _check_property(name: str, value: str) -> None:
    """Raise OptionError for unknown properties and invalid values.

    Properties of other clients, or without effect here, only cause a warning when the client is created: the
    same options are often used for reading and writing.
    """
    clients = (ConsumerConfig, ProducerConfig, AdminConfig)
    rows = [row for each in clients if (row := each.find(name)) is not None]
    try:
        for row in rows:
            row.parse(value)
    except ConfigError as error:
        raise OptionError(KAFKA_PREFIX + name, str(error)) from None
    if why := refusal(CLIENT_NAMES, name, value):
        raise OptionError(KAFKA_PREFIX + name, f"is not supported: {why}")
    if rows or why_ignored(CLIENT_NAMES, name):
        return
    known = [*CLIENT_NAMES, *(known for each in clients for known in each.settings())]
    near = difflib.get_close_matches(name, known, n=1)
    meant = f"did you mean '{KAFKA_PREFIX}{near[0]}'?" if near else "remove it"
    raise OptionError(KAFKA_PREFIX + name, f"not a property of Kafka's clients; {meant}")
