"""How the vectors in `records` were taken: `python -m tests.vectors.capture_records` does it.

Java's and librdkafka's batches come out of the logs that real Kafka left in `logs`; those of
kafka-python and aiokafka are made by their own writers.
"""

import json
from collections.abc import Iterator
from importlib.metadata import version as installed
from pathlib import Path
from typing import Any

from aiokafka.record.default_records import DefaultRecordBatchBuilder as AioBuilder
from kafka.record.default_records import DefaultRecordBatchBuilder as PythonBuilder

from tests.vectors.record_text import CODECS, to_text

HERE = Path(__file__).parent
LOGS = HERE / "logs" / "kafka-4.3.0"
WRITERS = {0: "the Java producer 4.3.0", 1: "librdkafka 2.16"}
NAMES = {0: "java", 1: "librdkafka"}

ROWS: list[tuple[bytes | None, bytes | None, list[tuple[str, bytes | None]]]] = [
    (b"key", b"value", []),
    (None, b"no key", [("trace", b"\x00\x01"), ("empty", b""), ("null", None)]),
    (b"no value", None, []),
    (b"", b"", [("name", b"twice"), ("name", b"twice")]),
    (b"k", b"long " * 30, [("", b"a header without a name")]),
]


def from_logs() -> Iterator[tuple[str, str, bytes]]:
    """One batch of each codec and kind of each writer: file name, title, bytes."""
    known = json.loads((LOGS / "expected.json").read_text())
    seen = set()
    for row in (dict(zip(known["columns"], row, strict=True)) for row in known["batches"]):
        kind = "transactional" if row["transactional"] else ""
        if row["control"]:
            kind = "marker"
        elif row["codec"] == "none" and not kind and row["count"] < 2:
            continue  # the first of several records says more
        name = "-".join(filter(None, (NAMES[row["partition"]], kind, row["codec"])))
        if name in seen or (kind == "marker" and row["partition"]):
            continue
        seen.add(name)
        path = LOGS / f"corpus-{row['partition']}" / f"{row['segment']:020}.log"
        whole = path.read_bytes()
        batch = whole[row["position"] : row["position"] + row["size"]]
        author = "a transaction coordinator" if kind == "marker" else WRITERS[row["partition"]]
        yield name, f"{row['codec']}, by {author}, as Kafka 4.3.0 stored it", batch


def from_writers() -> Iterator[tuple[str, str, bytes]]:
    """One batch of each codec by the writers of two Python clients."""
    builders: dict[str, Any] = {"kafka-python": PythonBuilder, "aiokafka": AioBuilder}
    for package, builder in builders.items():
        for number, codec in enumerate(CODECS):
            batch = builder(2, number, 0, 7, 1, 20, 1 << 20)
            for index, (key, value, headers) in enumerate(ROWS):
                batch.append(index, 1_700_000_000_000 + index * index, key, value, headers)
            title = f"{codec}, by {package} {installed(package)}"
            yield f"{package}-{codec}", title, bytes(batch.build())


def main() -> None:
    folder = HERE / "records"
    folder.mkdir(exist_ok=True)
    for name, title, batch in (*from_logs(), *from_writers()):
        (folder / f"{name}.txt").write_text(to_text(title, batch), encoding="utf-8")


if __name__ == "__main__":
    main()
