"""Change events of a database (CDC, as Debezium writes them) to a table with the latest row per key.

    barnabas serve
    python examples/latest_per_key.py customers.changes customers.db
    sqlite3 customers.db 'SELECT * FROM latest'

Each event is JSON with `op` (c, u, r or d) and `after`, the row; a null value is a tombstone. Rows
and offsets are written in one transaction of SQLite: after a crash it goes on where the table is, and
no event counts twice. It ends at what is the end of the topic now.
"""

import argparse
import json
import os
import sqlite3
from collections.abc import Iterable

from barnabas import Consumer, Record, TopicPartition

SERVERS = os.environ.get("BARNABAS_BOOTSTRAP_SERVERS", "localhost:9092")
SCHEMA = """
    CREATE TABLE IF NOT EXISTS latest (key BLOB PRIMARY KEY, row TEXT NOT NULL);
    CREATE TABLE IF NOT EXISTS positions (topic TEXT, number INTEGER, next INTEGER NOT NULL,
        PRIMARY KEY (topic, number));
"""


def row_after(record: Record) -> str | None:
    """The row as JSON after an event; None if it is deleted."""
    event = json.loads(record.value) if record.value is not None else {"op": "d"}
    return None if event["op"] == "d" else json.dumps(event["after"], sort_keys=True)


def apply(table: sqlite3.Connection, records: Iterable[Record]) -> None:
    """Write rows and the positions behind them, all or nothing."""
    with table:
        for record in records:
            row = row_after(record)
            if row is None:
                table.execute("DELETE FROM latest WHERE key = ?", (record.key,))
            else:
                table.execute("INSERT OR REPLACE INTO latest VALUES (?, ?)", (record.key, row))
            place = (record.topic, record.partition, record.offset + 1)
            table.execute("INSERT OR REPLACE INTO positions VALUES (?, ?, ?)", place)


def follow(topic: str, file: str) -> int:
    """Bring the table to the present end of the topic; return the number of its rows."""
    table = sqlite3.connect(file)
    table.executescript(SCHEMA)
    wanted = "SELECT number, next FROM positions WHERE topic = ?"
    positions = dict(table.execute(wanted, (topic,)).fetchall())
    config = {"bootstrap.servers": SERVERS, "isolation.level": "read_committed"}
    with Consumer(config) as consumer:
        places = consumer.partitions_for(topic)
        consumer.assign(places)
        consumer.seek_to_beginning()
        for number, position in positions.items():
            consumer.seek(TopicPartition(topic, number), position)
        ends = consumer.end_offsets(places)
        while any(consumer.position(place) < ends[place] for place in places):
            apply(table, consumer.poll(timeout_s=1))
    (count,) = table.execute("SELECT count(*) FROM latest").fetchone()
    table.close()
    return int(count)


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    arguments.add_argument("topic")
    arguments.add_argument("file", help="the SQLite database; created if missing")
    given = arguments.parse_args()
    print(follow(given.topic, given.file), "rows")
