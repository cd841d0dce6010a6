"""Write docs/protocol.md from what `barnabas.protocol` declares; `make docs` runs it."""

from pathlib import Path

from barnabas.broker.dispatch import ROUTES
from barnabas.errors import ErrorCode
from barnabas.protocol.declared import DECLARED
from barnabas.protocol.internal.record_types import (
    GROUP_RECORDS,
    METADATA_RECORDS,
    REMOTE_LOG_RECORDS,
    SHARE_STATE_RECORDS,
    TRANSACTION_RECORDS,
)
from barnabas.wire.schema import declaration_of

_HEAD = """# Protocol

<!-- Written by `make docs` from src/barnabas/protocol and the broker's routes. Do not edit. -->

Every API that any release of Kafka has had, 0.8 to 4.x, is declared in `barnabas.protocol`, in a
file of its name, with all its versions: what a request says can be read and written with
`Codec.of(VoteRequest, 2)`, whoever serves it. The broker serves what the table says, and offers it
by ApiVersions; a request for anything else closes the connection, as with Kafka.
"""


def page() -> str:
    """The whole page."""
    return f"{_HEAD}\n{_apis()}\n{_records()}\n{_errors()}"


def _apis() -> str:
    lines = [
        "## APIs",
        "",
        "Tagged: the versions that are flexible (KIP-482).",
        "",
        "| key | API | versions | tagged | served |",
        "|---:|---|---|---|---|",
    ]
    for key, api in DECLARED.items():
        route = ROUTES.get(key)
        served = str(route.versions) if route else ""
        lines.append(f"| {int(key)} | {api.name} | {api.versions} | {api.flexible} | {served} |")
    return "\n".join(lines) + "\n"


def _records() -> str:
    lines = [
        "## Records",
        "",
        "Declared in `barnabas.protocol.internal`, by the number that tells them apart; what",
        "control batches, snapshots of producers and other small files hold is there too. What",
        "consumers tell each other inside JoinGroup and SyncGroup is in",
        "`barnabas.protocol.consumer_protocol`.",
        "",
        "| where | number | record | versions (of the value) |",
        "|---|---:|---|---|",
    ]
    for topic, keyed in (
        ("`__consumer_offsets`", GROUP_RECORDS),
        ("`__transaction_state`", TRANSACTION_RECORDS),
        ("`__share_group_state`", SHARE_STATE_RECORDS),
    ):
        lines += (
            _record(topic, kind, key.__name__.removesuffix("Key"), value)
            for kind, (key, value) in keyed.items()
        )
    for topic, plain in (
        ("`__cluster_metadata`", METADATA_RECORDS),
        ("`__remote_log_metadata`", REMOTE_LOG_RECORDS),
    ):
        lines += (
            _record(topic, number, record.__name__, record) for number, record in plain.items()
        )
    return "\n".join(lines) + "\n"


def _record(topic: str, number: int, name: str, record: type) -> str:
    return f"| {topic} | {number} | {name} | {declaration_of(record).versions} |"


def _errors() -> str:
    lines = [
        "## Error codes",
        "",
        "Retriable: the same request may succeed later. Stale: ask for metadata before that.",
        "",
        "| code | name | retriable | stale | since |",
        "|---:|---|---|---|---|",
    ]
    for code in ErrorCode:
        retriable, stale = ("yes" if flag else "" for flag in (code.retriable, code.stale_metadata))
        lines.append(f"| {int(code)} | {code.name} | {retriable} | {stale} | {code.since} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    Path(__file__).with_name("protocol.md").write_text(page(), encoding="utf-8")
