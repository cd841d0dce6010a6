"""Properties as rows of a table, with where each value comes from."""

from collections.abc import Mapping
from typing import Final, NamedTuple

from barnabas.client.core.admin.descriptions import ConfigEntry, ConfigSource

_SOURCES: Final = {
    ConfigSource.TOPIC: "set on the topic",
    ConfigSource.BROKER_DYNAMIC: "set on this broker while it runs",
    ConfigSource.ALL_BROKERS_DYNAMIC: "set on all brokers while they run",
    ConfigSource.BROKER_STATIC: "the broker's server.properties",
    ConfigSource.DEFAULT: "default",
    ConfigSource.BROKER_LOGGER: "the broker's logger",
    ConfigSource.CLIENT_METRICS: "the subscription to clients' metrics",
    ConfigSource.GROUP: "set on the group",
    ConfigSource.UNKNOWN: "the broker does not report it",
}


class PropertyRow(NamedTuple):
    """A property as a table shows it."""

    name: str
    value: str
    source: str
    is_default: bool
    read_only: bool
    documentation: str


def property_rows(entries: Mapping[str, ConfigEntry], *, everything: bool) -> list[PropertyRow]:
    """The rows by name; without `everything` only those that somebody has set."""
    rows = [_row(entry) for _, entry in sorted(entries.items())]
    return [row for row in rows if everything or not row.is_default]


def _row(entry: ConfigEntry) -> PropertyRow:
    value = "(secret)" if entry.sensitive else entry.value
    return PropertyRow(
        entry.name,
        "(unset)" if value is None else value,
        _SOURCES[entry.source],
        entry.source is ConfigSource.DEFAULT,
        entry.read_only,
        entry.documentation or "",
    )
