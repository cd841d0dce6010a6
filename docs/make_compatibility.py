"""Write docs/compatibility.md.

The tables of clients come from docs/compatibility.json, which `make interop` writes, that of
conversations from the vectors, and that of what is not served from the broker's routes.
"""

import json
import re
from pathlib import Path
from typing import Any

from barnabas.broker.dispatch import ROUTES
from barnabas.broker.unserved import WHY_NOT
from barnabas.protocol.declared import DECLARED

RESULTS = Path(__file__).with_name("compatibility.json")
CONVERSATIONS = Path(__file__).parents[1] / "tests" / "vectors" / "conversations"
_TITLE = re.compile(r"^# (\w+) request (\d+), (.*)$", re.MULTILINE)
_LESS = "offered no more"
"""The end of notes on requests of clients to which no newer version was offered."""

_HEAD = """# Compatibility

<!-- The tables are written by `make interop`: do not edit here, but in docs/make_compatibility.py. -->

## Clients

Results of foreign clients that `make interop` (`tests/interop`) runs against this broker. Our own reader
and the Java client of Kafka 4.3 must read unchanged what a client writes. The client must read unchanged
what that Java client writes in each codec, from the beginning and from the middle of a batch. Keys and
values are empty, null, long and of any bytes, with timestamps and headers if the client has them. A word
in **bold** failed.

* *for a broker of*: the client was configured for a broker of that release.
* *requests*: the versions that the client chose, as seen on the wire.
* *offsets*: finds both ends of a partition; finds an offset by time.
* *topics*: creates a topic with a property, describes, lists and deletes it.
* *idempotent*: writes with producer id and sequence numbers.
* *seen*: the day of the run. A client that was unavailable in a later run keeps its former row and day.
"""
_MORE = """## What else is tried

This part is written by hand. What it says is shown by the tests that it names, which fail where it is not
so, and are skipped where their peer is not to be had: `make interop` runs all of them, CI those that are
not marked `long`.

**Against Kafka too.** The tests of `tests/interop` that take any broker run against real Kafka 4.3 as well,
where Maven and a JDK are, so that they ask nothing of this broker that Kafka would not do: confluent-kafka,
kafka-python and aiokafka reading each other, records of 1 MB and 100,000 small ones
(`tests/interop/clients_of_others/test_clients.py`), in their old roles too
(`tests/interop/clients_of_others/test_old_clients.py`); positions and committed offsets of an assigned
consumer (`tests/interop/clients_of_others/test_positions.py`); topics
(`tests/interop/tools/test_administration.py`); kcat (`tests/interop/clients_of_others/test_kcat.py`);
Kafka's own verifiable producer, performance producer, console consumer, topic command, offset shell and
DumpLogSegments (`tests/interop/clients_of_others/test_java_clients.py`); Spark's Kafka connector
(`tests/interop/clients_of_others/test_spark_connector.py`). Our own clients run the same tests against real
Kafka (`tests/interop/driver/test_our_driver.py`, `tests/interop/driver/test_our_consumer.py`,
`tests/interop/driver/test_our_admin.py`); there they also leave out the records of aborted transactions
where that is asked for.

**Four generations at once.** The Java clients of 0.8.2, 0.10.2, 2.8 and 4.3 write to one topic at the
same time, in codecs of their own, and each then reads all of it, with times of the client and of the log
(`tests/interop/clients_of_others/test_mixed_estate.py`).

**Answers.** The same requests go to Kafka 4.3 and to this broker, and to Kafka 0.8.2, 0.9, 0.10.2, 0.11,
1.1, 2.8 and 3.9 and to this broker with `--profile` of that release
(`tests/interop/test_differential.py`, `tests/interop/test_past_differential.py`); what differs stands, each
with its reason, in `tests/interop/differential`.

**Programs.** The console producer, consumer or shell, and the offset shell of 0.8.1, 0.8.2, 0.9, 0.10.2,
0.11, 1.1, 2.4, 2.8 and 3.9 write, read and find on this broker, and the performance producers that come
with 0.8.2, 0.9, 0.10.2, 0.11, 1.1 and 3.9 write; the VerifiableProducer of 0.9, 0.10.2, 0.11, 1.1, 2.8 and
3.9 gets every record acknowledged in order (`tests/interop/tools/test_release_tools.py`).

**Files.** Kafka's `DumpLogSegments` reads the segments, indexes and producer snapshots that this broker
writes and finds them sound, also behind messages of 0.8 to 0.10 whose indexes this broker made anew, and
in the message sets of magic 0 and 1 that it makes (`tests/interop/logs/test_dump_log_segments.py`).
`barnabas log verify` finds nothing wrong with what those releases wrote
(`tests/commands/test_log.py`).

**Directories that Kafka left.** `barnabas serve` on what Kafka 0.8.0, 0.8.1, 0.8.2, 0.9, 0.10.2, 0.11,
1.1, 2.8, 3.9 and 4.3 wrote gives every record to confluent-kafka, kafka-python (but for the lz4 of 0.8.2
and 0.9, for which it needs another library), our driver and our range reader, and what a group had
committed (`tests/interop/logs/test_kafka_directories.py`).

**Compaction.** The same log, with all codecs, tombstones, producers and transactions, cleaned by Kafka 4.3
and by this broker, once and once more: what is left is the same, segment by segment and batch by batch, but
for the base timestamp of batches that lost records. Logs of magic 0 and 1 were cleaned by Kafka 2.8 for
that. Kafka 4.3 starts on what this broker has cleaned, and librdkafka reads all of it there
(`tests/interop/logs/test_cleaners.py`).

**Directories for Kafka.** What this broker wrote as 0.8.2, 0.9, 0.10.2, 0.11, 1.1, 2.8, 3.9 and 4.3
(`--profile`), indexes and all, is put in the place of a topic of that Kafka, which starts on it, gives
every record to librdkafka and appends to it (`tests/interop/logs/test_our_directories.py`).

**Between formats.** Readers of today decode magic 0 and 1 themselves, so such records leave as they are
stored. Converted, they lose what the older format has no place for:

| from | to | lost |
|---|---|---|
| magic 0, 1 | a higher one | nothing; a record of magic 0 has no timestamp, which is -1 |
| magic 1 | magic 0 | timestamps |
| magic 2 | magic 1 | headers, producer ids and sequences, transactions and their markers, leader epochs |
| magic 2 | magic 0 | the same, and timestamps |

zstd has no place in magic 0 and 1: such a batch is refused. Records of aborted transactions stay, as
readers of those formats read what is not committed (`tests/unit/records/old_messages/test_convert.py`,
`tests/property/records/test_convert.py`; clients that read them are in the table above).

**What is refused.** Record sets that are damaged get the code of Kafka 4.3 and are not stored, compressed
ones too (`tests/interop/logs/test_refused_records.py`). Here offsets inside a batch must be 0, 1, 2 ...,
where Kafka stores some other ones as they are, and bytes behind compressed data are refused, which Kafka
passes over. Kafka unpacks whatever comes; here a batch or message set may unpack to 32 MiB, or to 16 times
its own size where that is more, and one request to 32 MiB beyond 16 times its size. What is more gets
MESSAGE_TOO_LARGE, on which clients send smaller batches; a Fetch of version 0 to 3 and a look-up by time
get it for such a batch that came with a directory. A Fetch of version 0 to 3 leaves for the next what
follows on so much.

**Transactions.** Committed, aborted, open and fenced ones of confluent-kafka and aiokafka, on real Kafka 4.3
and here; Java of 0.11, 2.8, 3.9 and 4.3 copies a topic with the positions of its group, every third
transaction aborted, and so do franz-go, Sarama, kafkajs and @platformatic/kafka as members of a group
(`tests/interop/copies/test_other_copiers.py`); Kafka's TransactionalMessageCopier of 0.11, 1.1, 2.8, 3.9
and 4.3, since 2.8 as a member of a group too, aborts at random and copies each record once;
`kafka-transactions` lists, describes and aborts the same on both
(`tests/interop/clients_of_others/test_transactions.py`). Java 4.3 goes by transactions version 2 (KIP-890):
an epoch for each transaction, partitions added by producing. A copy job goes on while the broker is killed,
and each record arrives once (`tests/crash/test_kill_copy.py`).

Our own producer commits and aborts on Kafka 0.11, 1.1, 2.8, 4.3 (by version 1 and by version 2) and here, and
librdkafka reads what counts; it fences librdkafka's and is fenced by it. A copy job of our consumer and our
producer that is killed amid its transactions, again and again, copies each record once
(`tests/interop/driver/test_our_transactions.py`).

**Consumer groups (KIP-848).** confluent-kafka and Java's console consumer with `group.protocol=consumer`: by
names and by regular expression, static, killed, over a killed broker, and a live group that goes from the
classic protocol to the new one and back (`tests/interop/groups/test_consumer_groups.py`). Our driver's
members share with those of librdkafka and kafka-clients 4.3, of either protocol, under both assignors;
static, killed, over a killed broker, by pattern, moved over one by one and back; here and on Kafka 4.3
(`tests/interop/groups/test_our_epoch_groups.py`). It commits the leader epochs that Java's consumer does
(`tests/interop/groups/test_committed_epochs.py`). Expressions are matched by Google's RE2, not by RE2/J:
repeats within repeats may come to no more than 1000 (`(x{500}){3}` is refused), one expression has no more
than 65,536 characters and 256 classes of Unicode and counted repeats, and takes no more than 1 MiB.

**Share groups (KIP-932).** Java's VerifiableShareConsumer of 4.1, 4.2 and 4.3: two share, one is killed with
records in hand, and each record is done once; 4.3 also alone, over a killed broker, and `kafka-share-groups`;
with `share.isolation.level=read_committed` it gets what it gets of Kafka 4.3
(`tests/interop/groups/test_share_groups.py`). Our `Admin` and `barnabas groups` move share groups where
`kafka-share-groups` and the consumer see it, here and on Kafka 4.3
(`tests/interop/groups/test_share_moves.py`). What comes together, and what of it comes again, is as on
Kafka 4.3 (`tests/interop/differential/group_apis/deliveries.py`). What brokers ask a share coordinator is
answered as by Kafka 4.3 (`tests/interop/differential/group_apis/share_states.py`).

**Streams groups (KIP-1071).** An application of Kafka Streams 4.3 with `group.protocol=streams` and
`exactly_once_v2` counts words with two instances, one of which is killed, and `kafka-streams-groups` prints
the same about it as on Kafka 4.3 (`tests/interop/groups/test_streams_groups.py`). Heartbeats get the
responses of Kafka 4.3 (`tests/interop/differential/group_apis/streaming.py`), which has no static members,
warm-up tasks or regular expressions either.

**What Kafka's tools print.** `kafka-consumer-groups`, `kafka-share-groups`, `kafka-streams-groups`,
`kafka-groups` and `kafka-transactions` of 4.3 print the same about the same scenes, here and on
Kafka 4.3: lists, descriptions of every kind, resets, deletions, refusals, open and aborted
transactions (`tests/interop/tools/test_printed.py`). What differs is named with its reason in
`tests/interop/printed/explained.py`: share groups' offsets are reported as soon as they are known, and
lists of streams groups that are `NotReady` are not empty. Epochs of share groups are not compared:
Kafka comes to one more when a group has a topic for the first time.

**Kafka Streams by the classic protocol.** Words that come all the time are counted by two instances, one of
which is killed amid its transactions: of Streams 4.3 and 3.9 with `exactly_once_v2`, 2.8 with
`exactly_once_beta` and `exactly_once`, 1.1 with `exactly_once`. What was committed says 1, 2, 3 and so on of
each word, here and on Kafka 4.3 (which no longer knows 1.1). So do 4.3 and 1.1 here where the broker is
killed three times instead (`tests/interop/groups/test_classic_streams.py`).

**Groups.** Two members of a classic group share partitions, and one goes on with all when the other
leaves: confluent-kafka, kafka-python, aiokafka. Members of confluent-kafka were killed, came back as
static members, and went on after the broker was killed. kcat and Java's console consumer of 4.3 read as
members, and `kafka-consumer-groups` describes and deletes (`tests/interop/groups/test_groups.py`). The Java
consoles of 0.9, 0.10, 0.11, 1.1, 2.4, 2.8 and 3.9 read as members too
(`tests/interop/tools/test_release_tools.py`). Of two VerifiableConsumers of Java 0.9, 0.10, 0.11, 1.1, 2.8,
3.9 or 4.3, the last two by either protocol, one is killed: the other has all, reads each record once, and
the broker has what it says that it committed. Those of 0.9, 1.1, 2.8 and 4.3 also share one group until all
but one are killed (`tests/interop/groups/test_java_members.py`). Members of our driver share with those of
kafka-clients 4.3 and confluent-kafka under each assignor that both have, with kafka-python and aiokafka,
and replace killed ones, on our broker and on Kafka 4.3 (`tests/interop/groups/test_our_groups.py`).
`barnabas groups` describes groups, and plans resets, as `kafka-consumer-groups` of 4.3 does
(`tests/interop/groups/test_group_admin.py`). Properties of groups with which Kafka 4.3 does not start are
refused here too (`tests/interop/logs/test_at_start.py`). kafkajs reads as a member in the table above: it
has no other way.
"""
_CONVERSATIONS = """## Conversations

`tests/vectors/conversations` has requests of clients of every generation to Kafka 3.9 or 4.3, and its
responses, with their bytes and meaning. Our codecs read all of them and write them again
(`tests/vectors/test_conversations.py`). The table lists the versions of each API that is served:

* *chosen*: by one of the clients above, by a tool of Kafka's own or by a broker that asks itself, as it found
  real Kafka.
* *chosen when offered less*: by a client whose broker advertised no newer version.
* *in none*: there is no such conversation. Their layout is compared with Kafka's own schemas alone
  (`tests/oracle/test_schemas.py`), their responses by the differential tests and those named above.

| API | chosen | chosen when offered less | in none |
|---|---|---|---|"""
_UNSERVED = """## What is not served

Of all requests that any release of Kafka has had ([protocol](protocol.md)), these are not offered, or not
in every version. What has to do with security is answered as by a Kafka without it: access rules with
SECURITY_DISABLED, SASL with ILLEGAL_SASL_STATE, tokens with DELEGATION_TOKEN_REQUEST_NOT_ALLOWED.

| key | API | versions | served | why not |
|---:|---|---|---|---|"""


def page() -> str:
    """The whole page."""
    rows = json.loads(RESULTS.read_text(encoding="utf-8"))
    return f"{_HEAD}\n{_table(rows)}\n{_requests(rows)}\n{_MORE}\n{_conversations()}\n{_unserved()}"


def _conversations() -> str:
    chosen: dict[str, set[int]] = {}
    offered: dict[str, set[int]] = {}
    for path in CONVERSATIONS.glob("*.txt"):
        for name, version, note in _TITLE.findall(path.read_text(encoding="utf-8")):
            kind = offered if note.endswith(_LESS) else chosen
            kind.setdefault(name, set()).add(int(version))
    lines = [_CONVERSATIONS]
    for key, api in DECLARED.items():
        by_itself, limited = (kind.get(key.name, set()) for kind in (chosen, offered))
        if key in ROUTES:
            never = set(ROUTES[key].versions) - by_itself - limited
            cells = (_numbers(each) for each in (by_itself, limited - by_itself, never))
            lines.append(f"| {api.name} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _numbers(versions: set[int]) -> str:
    return ", ".join(map(str, sorted(versions)))


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
        "| client | version | writes | reads | offsets | topics | idempotent | seen |",
        "|---|---|---|---|---|---|---|---|",
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
            row["measured"],
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
        versions = ", ".join(
            f"{name} {'/'.join(map(str, versions))}" for name, versions in row["requests"].items()
        )
        lines.append(f"| {row['client']} | {row['version']} | {versions} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    Path(__file__).with_name("compatibility.md").write_text(page(), encoding="utf-8")
