"""A stream whose Python process sleeps past Spark's ten seconds the first time. A program of its own:
which Python Spark starts is fixed when its Java machine begins.

`python -m tests.spark.streams.late_worker_program FOLDER` ends with 0 where all records arrived once.
"""

import os
import sys
from pathlib import Path

from barnabas import Producer
from barnabas.spark import session
from barnabas.testing import EmbeddedBroker
from tests.spark.running import numbers_in, run_available, to_files

_SLOW = """#!/bin/sh
if rm "{folder}/late" 2>/dev/null; then sleep 12; fi
exec "{python}" "$@"
"""
_COUNT = 20


def main(folder: Path) -> None:
    """Run it."""
    slow = folder / "python"
    slow.write_text(_SLOW.format(folder=folder, python=sys.executable))
    slow.chmod(0o755)
    sys.executable = str(slow)
    with EmbeddedBroker() as broker:
        with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
            for number in range(_COUNT):
                producer.send("late", b"%d" % number)
        spark = session(
            "late",
            master="local[1]",
            settings={"spark.log.level": "OFF", "spark.driver.memory": "512m"},
        )
        frame = (
            spark.readStream.format("barnabas")
            .option("kafka.bootstrap.servers", broker.bootstrap_servers)
            .option("subscribe", "late")
            .option("startingOffsets", "earliest")
            .load()
        )
        (folder / "late").touch()
        run_available(to_files(frame, folder / "out", str(folder / "checkpoint")))
        spark.stop()
    assert not (folder / "late").exists(), "no process was late"
    assert numbers_in(folder / "out") == list(range(_COUNT))
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
