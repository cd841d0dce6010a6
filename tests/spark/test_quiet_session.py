"""What a newcomer sees of `barnabas.spark.session()`: results and short errors, nothing else."""

import os
import subprocess
import sys

import pytest

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
