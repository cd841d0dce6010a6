"""Write docs/configuration.md from the rows of `barnabas.config`; `make docs` runs it."""

from pathlib import Path

from barnabas.config.broker import BrokerConfig
from barnabas.config.clients import AdminConfig, ClientConfig, ConsumerConfig, ProducerConfig
from barnabas.config.configuration import Configuration
from barnabas.config.definition import DOUBLE_MAX, INT_MAX, LONG_MAX, Setting
from barnabas.config.ignored_names import BROKER_NAMES, CLIENT_NAMES, LOUD
from barnabas.config.share_clients import ShareConsumerConfig
from barnabas.config.topic import TopicConfig

_HEAD = """# Configuration

<!-- Written by `make docs` from src/barnabas/config. Do not edit: change the rows there. -->

All names are Kafka's. The attribute of a property in Python has underscores for dots
(`config.log_segment_bytes`), and so may any place where a property is given. A value out of range
is an error that names property, value and range, and so are two of a broker's that exclude each other,
as a session below the shortest one that may be. An unknown name is a warning that says which known name
is nearest, and an error where it is typed for Barnabas: in `--set`, `-X` and a test's `EmbeddedBroker`.
A property that is set here to no effect is a warning. **Bold** names are of high importance.

Where a broker's properties come from, the later one winning: defaults, the file of `--config`,
`--set name=value`, the options `--port`, `--host` and `--data-dir`.

`barnabas produce` and `barnabas consume` take client properties with `-X name=value`; `Producer`,
`Consumer` and `Admin` take them as a mapping (`{"linger.ms": 20}`) or as keywords (`linger_ms=20`).
"""

_NOTHING = (
    "Kafka knows these; here they change nothing, and the log says so: as a warning where one "
    "might think oneself safe (**bold** reasons), at level info otherwise. `name.*` is every name "
    "that begins so and has no row above."
)

_SECTIONS: tuple[tuple[str, type[Configuration], str], ...] = (
    ("Broker", BrokerConfig, "In `server.properties`, or with `--set`."),
    (
        "Topic",
        TopicConfig,
        "Set when you create a topic. The default applies unless the broker's configuration sets another.",
    ),
    ("Every client", ClientConfig, ""),
    ("Producer", ProducerConfig, "Besides those of every client."),
    ("Consumer", ConsumerConfig, "Besides those of every client."),
    ("Share consumer", ShareConsumerConfig, "Besides those of every client."),
)


def page() -> str:
    """The whole page."""
    parts = [_HEAD]
    shared = ClientConfig.settings()
    for title, kind, note in _SECTIONS:
        rows = [
            row
            for row in kind.settings().values()
            if kind is ClientConfig or row.name not in shared or not issubclass(kind, ClientConfig)
        ]
        parts.append(_section(title, note, rows))
    assert AdminConfig.settings() == shared, "an admin client needs a section of its own now"
    parts.append(_elsewhere())
    return "\n".join(parts)


def _section(title: str, note: str, rows: list[Setting]) -> str:
    lines = [f"## {title}", ""]
    if note:
        lines += [note, ""]
    lines += ["| property | type | default | range | |", "|---|---|---|---|---|"]
    lines += [_row(row) for row in rows]
    return "\n".join(lines) + "\n"


def _row(row: Setting) -> str:
    name = f"`{row.name}`"
    if row.importance.value == "high":
        name = f"**{name}**"
    text = row.text
    if row.also:
        others = ", ".join(f"`{other}`" for other in row.also if "." in other)
        text += f" Also called {others}."
    if row.synonym:
        text += f" Broker: `{row.synonym}`."
    if row.inert:
        text += f" *Accepted, but changes nothing: {row.inert}.*"
    kind = row.kind.name.lower()
    return f"| {name} | {kind} | {_default(row)} | {row.range} | {text} |"


def _default(row: Setting) -> str:
    if row.default in {LONG_MAX, INT_MAX, DOUBLE_MAX}:
        return "no limit"
    shown = row.render(row.default)
    return f"`{shown}`" if shown else "none"


def _elsewhere() -> str:
    lines = [
        "## Names without effect",
        "",
        _NOTHING,
        "",
    ]
    for names in (BROKER_NAMES, CLIENT_NAMES):
        for why in dict.fromkeys(names.values()):
            listed = ", ".join(f"`{name}`" for name, reason in names.items() if reason == why)
            shown = f"**{why}**" if why in LOUD else why
            lines.append(f"- {shown}: {listed}")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    Path(__file__).with_name("configuration.md").write_text(page(), encoding="utf-8")
