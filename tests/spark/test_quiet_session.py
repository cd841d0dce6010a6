"""What a newcomer sees of `barnabas.spark.session()`: results and short errors, nothing else."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.spark.streams.standalone import environment, submit
from tests.spark.topics import Topics

pytestmark = [pytest.mark.spark, pytest.mark.timeout(300)]

PROGRAM = """
import sys
from barnabas.spark import session

spark = session(master="local[1]")
reader = spark.read.format("barnabas").option("kafka.bootstrap.servers", sys.argv[1])
reader = reader.schema("value string")
print(reader.option("subscribe", sys.argv[2]).load().count())
reader.option("subscribe", sys.argv[2]).load().limit(1).show()
for options in ({"subscribe": "nowhere"}, {"subscrib": "x"}, {"subscribe": "x", "minPartitions": "0"}):
    try:
        spark.read.format("barnabas").options(**options).option(
            "kafka.bootstrap.servers", sys.argv[1]
        ).load().count()
    except Exception as error:
        print("error:", str(error).strip().replace("\\n", " // "))
row = spark.sql("SELECT CAST(NULL AS STRING) topic, 'x' value")
try:
    writer = row.write.format("barnabas").mode("append")
    writer.option("kafka.bootstrap.servers", sys.argv[1]).save()
except Exception as error:
    print("error:", str(error).strip().replace("\\n", " // "))
"""

SUBMITTED = """
import os, sys
from pathlib import Path
from barnabas.spark import session

spark = session(master="local[1]")
reader = spark.read.format("barnabas").option("kafka.bootstrap.servers", sys.argv[1])
print(reader.option("subscribe", sys.argv[2]).load().count())
# Java is the parent of this program, and of Spark's Python processes.
for children in Path(f"/proc/{os.getppid()}/task").glob("*/children"):
    for child in children.read_text().split():
        words = Path(f"/proc/{child}/cmdline").read_text().split("\\0")
        if "-m" in words:
            print(*words[words.index("-m") + 1 :][:2])
"""


def test_nothing_is_printed_beside_results_and_errors_are_a_sentence(topics: Topics) -> None:
    topic = topics.create()
    topics.send_numbers(topic, range(500))
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, topics.servers, topic],
        capture_output=True,
        text=True,
        timeout=250,
        check=True,
        env={name: value for name, value in os.environ.items() if name != "SPARK_LOCAL_IP"},
    )
    assert done.stderr == ""
    lines = done.stdout.splitlines()
    assert lines[0] == "500"
    errors = [line for line in lines if line.startswith("error: ")]
    assert [line.partition("[BARNABAS_")[2].partition("]")[0] for line in errors] == [
        *("NO_TOPIC", "OPTION", "OPTION", "WRITE"),
    ]
    assert all(line.count(" // ") <= 1 and "Traceback" not in line for line in errors), errors


def test_spark_submit_plans_and_reads_by_the_daemon_that_is_quiet(
    topics: Topics, tmp_path: Path
) -> None:
    topic, program = topics.create(), tmp_path / "program.py"
    topics.send_numbers(topic, range(500))
    program.write_text(SUBMITTED)
    done = subprocess.run(
        submit("local[1]", program, topics.servers, topic),
        capture_output=True,
        text=True,
        timeout=250,
        check=True,
        env=environment(),
    )
    count, *daemons = done.stdout.splitlines()
    assert count == "500"
    quiet = {
        f"pyspark_barnabas.daemon {module}"
        for module in (
            "pyspark.sql.worker.create_data_source",
            "pyspark.sql.worker.plan_data_source_read",
            "pyspark_barnabas.worker",
        )
    }
    # No setting reaches the one that looks for sources.
    assert quiet <= set(daemons)
    assert set(daemons) - quiet <= {"pyspark.daemon pyspark.sql.worker.lookup_data_sources"}
