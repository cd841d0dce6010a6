"""The words of Spark's by which a run is judged stand in the Spark that is installed.

Neither its events nor this failure of a worker has a class or a condition of its own: another release may
word them otherwise, and these tests notice.
"""

import re
from pathlib import Path
from zipfile import ZipFile

import pyspark
import pytest

from barnabas.pipelines.projects.run import FLOW
from barnabas.spark.workers.worker_retries import WORKER_LATE

pytestmark = pytest.mark.spark

JARS = Path(pyspark.__file__).parent / "jars"
EVENTS = "org/apache/spark/sql/pipelines/logging/FlowProgressEventLogger.class"
STATES = {
    *("QUEUED", "PLANNING", "STARTING", "RUNNING", "COMPLETED"),
    *("FAILED", "STOPPED", "SKIPPED", "EXCLUDED", "IDLE"),
}


def compiled(jar: str, entry: str) -> bytes:
    """A class of Spark's, with its texts as they are."""
    (path,) = JARS.glob(jar)
    with ZipFile(path) as archive:
        return archive.read(entry)


def test_what_is_retried_is_what_spark_reports_of_a_late_worker() -> None:
    found = compiled("spark-core_*.jar", "org/apache/spark/api/python/PythonWorkerFactory.class")
    assert WORKER_LATE.encode() in found


@pytest.mark.skipif(not [*JARS.glob("spark-pipelines_*.jar")], reason="this Spark has none")
def test_each_event_of_a_flow_has_its_state() -> None:
    # A text with a hole is a constant in which byte 1 is the hole.
    texts = re.findall(rb"Flow '?\x01'? [^\x00-\x1f]+", compiled("spark-pipelines_*.jar", EVENTS))
    found = [FLOW.search(text.decode().replace("\1", "spark_catalog.a.`b`")) for text in texts]
    assert {one["state"] for one in found if one} == STATES
    assert {one["flow"] for one in found if one} == {"spark_catalog.a.`b`"}


@pytest.mark.parametrize(
    "text", ["Flow 'x' has failed to stop.", "Flow 'x' had streaming sources added or removed."]
)
def test_other_sentences_have_no_state(text: str) -> None:
    assert FLOW.search(text) is None
