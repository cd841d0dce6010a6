"""Write docs/compatibility.md from docs/compatibility.json, which `make interop` writes."""

import json
from pathlib import Path
from typing import Any

from barnabas.broker.dispatch import ROUTES
from barnabas.broker.unserved import WHY_NOT
from barnabas.protocol.declared import DECLARED

RESULTS = Path(__file__).with_name("compatibility.json")

_HEAD = """# Compatibility

<!-- The table is written by `make interop`: do not edit here, but in docs/make_compatibility.py. -->

Clients that others wrote, run against this broker by `make interop` (`tests/interop`), and what was
seen. What one writes, our own reader and the Java client of Kafka 4.3 must read unchanged; what that
Java client writes in each codec it must read unchanged, from the beginning and from the middle of
a batch. Keys and values are empty, null, long and of any bytes, with timestamps and headers where the
client has them. A word in **bold** failed.

* *for a broker of*: it was told to take this broker for one of that release, and speaks so.
* *requests*: the versions that the client chose, as they went over the wire.
* *offsets*: finds both ends of a partition; finds an offset by time.
* *topics*: makes a topic with a property, describes it, lists and removes it.
* *idempotent*: writes with producer id and sequence numbers.
"""
_MORE = """## What else is tried

The tests of `tests/interop` that are no row above run against real Kafka 4.3 too, where Maven and a JDK
are, so that they ask nothing of this broker that Kafka would not do: confluent-kafka, kafka-python and
aiokafka reading each other, records of 1 MB, 100,000 small ones, positions, committed offsets of an
assigned consumer, topics; Kafka's own tools (verifiable producer, performance producer, console consumer,
topic command, offset shell, DumpLogSegments); Spark's Kafka connector. Our own clients run the same tests
against real Kafka; there they also leave out the records of aborted transactions where that is asked for.

**Four generations at once.** The Java clients of 0.8.2, 0.10.2, 2.8 and 4.3 write to one topic at the
same time, in codecs of their own, and each then reads all of it, with times of the client and of the log.

**Answers.** The same requests go to Kafka 4.3 and to this broker, and to Kafka 0.8.2, 0.9, 0.10.2, 0.11,
1.1, 2.8 and 3.9 and to this broker with `--profile` of that release; what differs stands, each with its
reason, in `tests/interop/differential`.

**Conversations.** What clients of every generation say to Kafka 3.9 or 4.3, and what it answers, each
version of each API with its bytes and their meaning: `tests/vectors/conversations`. Our codecs read all of
it and write it again.

**Programs.** The console producer, consumer or shell, and the offset shell of 0.8.1, 0.8.2, 0.9, 0.10.2,
0.11, 1.1, 2.4, 2.8 and 3.9 write, read and find on this broker.

**Files.** Kafka's `DumpLogSegments` reads the segments, indexes and producer snapshots that this broker
writes and finds them sound, also behind messages of 0.8 to 0.10 whose indexes this broker made anew, and
in the message sets of magic 0 and 1 that it makes. `barnabas log verify` finds nothing wrong with what
those releases wrote.

**Directories that Kafka left.** `barnabas serve` on what Kafka 0.8.0, 0.8.1, 0.8.2, 0.9, 0.10.2, 0.11,
1.1, 2.8, 3.9 and 4.3 wrote gives every record to confluent-kafka, kafka-python (but for the lz4 of 0.8.2
and 0.9, for which it needs another library), our driver and our range reader, and what a group had
committed.

**Compaction.** The same log, with all codecs, tombstones, producers and transactions, cleaned by Kafka 4.3 and
by this broker, once and once more: what is left is the same, segment by segment and batch by batch, but for the
base timestamp of batches that lost records. Logs of magic 0 and 1 were cleaned by Kafka 2.8 for that.
Kafka 4.3 starts on what this broker has cleaned, and librdkafka reads all of it there
(`tests/interop/test_cleaners.py`).

**Directories for Kafka.** What this broker wrote as 0.8.2, 0.9, 0.10.2, 0.11, 1.1, 2.8, 3.9 and 4.3
(`--profile`), indexes and all, is put in the place of a topic of that Kafka, which starts on it, gives
every record to librdkafka and appends to it (`tests/interop/test_our_directories.py`).

**Between formats.** Readers of today decode magic 0 and 1 themselves, so such records leave as they are
stored. Converted, they lose what the older format has no place for:

| from | to | lost |
|---|---|---|
| magic 0, 1 | a higher one | nothing; a record of magic 0 has no timestamp, which is -1 |
| magic 1 | magic 0 | timestamps |
| magic 2 | magic 1 | headers, producer ids and sequences, transactions and their markers, leader epochs |
| magic 2 | magic 0 | the same, and timestamps |

zstd has no place in magic 0 and 1: such a batch is refused. Records of aborted transactions stay, as
readers of those formats read what is not committed.

**What is refused.** Record sets that are damaged get the code of Kafka 4.3 and are not stored, compressed ones
too (`tests/interop/test_refused_records.py`). Here offsets inside a batch must be 0, 1, 2 ..., where Kafka
stores some other ones as they are, and bytes behind compressed data are refused, which Kafka passes over.
Kafka unpacks whatever comes; here a batch or message set may unpack to 32 MiB, or to 16 times its own size
where that is more, and one request to 32 MiB beyond 16 times its size. What is more gets MESSAGE_TOO_LARGE, on
which clients send smaller batches; a Fetch of version 0 to 3 and a look-up by time get it for such a batch
that came with a directory. A Fetch of version 0 to 3 leaves for the next what follows on so much.

**Transactions.** Committed, aborted, open and fenced ones of confluent-kafka and aiokafka, on real Kafka 4.3
and here; Java of 0.11, 2.8, 3.9 and 4.3 copies a topic with the positions of its group, every third
transaction aborted; Kafka's TransactionalMessageCopier; `kafka-transactions` lists, describes and aborts the
same on both (`tests/interop/test_transactions.py`). Java 4.3 goes by transactions version 2 (KIP-890): an
epoch for each transaction, partitions added by producing. A copy job goes on while the broker is killed, and
each record arrives once (`tests/crash/test_kill_copy.py`).

Our own producer commits and aborts on Kafka 0.11, 1.1, 2.8, 4.3 (by version 1 and by version 2) and here, and
librdkafka reads what counts; it fences librdkafka's and is fenced by it. A copy job of our consumer and our
producer that is killed amid its transactions, again and again, copies each record once
(`tests/interop/test_our_transactions.py`).

**Consumer groups (KIP-848).** confluent-kafka and Java's console consumer with `group.protocol=consumer`: by
names and by regular expression, static, killed, over a killed broker, and a live group that goes from the
classic protocol to the new one and back (`tests/interop/test_consumer_groups.py`).

**Share groups (KIP-932).** Java's VerifiableShareConsumer of 4.3, killed, over a killed broker, and
`kafka-share-groups` (`tests/interop/test_share_groups.py`).

**Groups.** Two members of a classic group share partitions, and one goes on with all when the other
leaves: confluent-kafka, kafka-python, aiokafka. Members of confluent-kafka were killed, came back as
static members, and went on after the broker was killed. kcat and Java's console consumer of 4.3 read as
members, and `kafka-consumer-groups` describes and deletes (`tests/interop/test_groups.py`). Members of our
driver share with those of kafka-clients 4.3 and confluent-kafka under each assignor that both have, with
kafka-python and aiokafka, and replace killed ones, on our broker and on Kafka 4.3
(`tests/interop/test_our_groups.py`). `barnabas groups` describes groups, and plans resets, as
`kafka-consumer-groups` of 4.3 does (`tests/interop/test_group_admin.py`). What the
table has was measured before: a client that reads only as a member has no codec under *reads* yet.
"""
_UNSERVED = """## What is not served

Of all requests that any release of Kafka has had ([protocol](protocol.md)), these are not offered, or not
in every version. What has to do with security is answered as by a Kafka without it: access rules with
SECURITY_DISABLED, SASL with ILLEGAL_SASL_STATE, tokens with DELEGATION_TOKEN_REQUEST_NOT_ALLOWED.

| key | API | versions | served | why not |
|---:|---|---|---|---|"""


def page() -> str:
    """The whole page."""
    rows = json.loads(RESULTS.read_text(encoding="utf-8"))
    return f"{_HEAD}\n{_table(rows)}\n{_requests(rows)}\n{_MORE}\n{_unserved()}"


def _unserved() -> str:
    lines = [_UNSERVED]
    for key, api in DECLARED.items():
        served = ROUTES[key].versions if key in ROUTES else None
        if served != api.versions:
            reason = WHY_NOT[key]
            lines.append(
                f"| {int(key)} | {api.name} | {api.versions} | {served or ''} | {reason} |"
            )
    return "\n".join(lines) + "\n"


def _table(rows: list[dict[str, Any]]) -> str:
    lines = [
        "| client | version | writes | reads | offsets | topics | idempotent |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        results: dict[str, str] = row["results"]
        cells = [
            f"{row['client']}{' (' + row['note'] + ')' if row['note'] else ''}",
            row["version"],
            _codecs(results, "write"),
            _codecs(results, "read"),
            *(
                ", ".join(_shown(name, results[name]) for name in names if name in results)
                for names in (("ends", "times"), ("topics",), ("idempotent",))
            ),
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _codecs(results: dict[str, str], verb: str) -> str:
    codecs = ("none", "gzip", "snappy", "lz4", "zstd")
    asked = {codec: f"{verb} {codec}" for codec in codecs}
    return ", ".join(
        _shown(codec, results[name]) for codec, name in asked.items() if name in results
    )


def _shown(word: str, result: str) -> str:
    return word if result == "works" else f"**{word}**"


def _requests(rows: list[dict[str, Any]]) -> str:
    lines = ["| client | version | requests |", "|---|---|---|"]
    for row in rows:
        told = ", ".join(
            f"{name} {'/'.join(map(str, versions))}" for name, versions in row["requests"].items()
        )
        lines.append(f"| {row['client']} | {row['version']} | {told} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    Path(__file__).with_name("compatibility.md").write_text(page(), encoding="utf-8")
