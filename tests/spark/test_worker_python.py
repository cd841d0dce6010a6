"""The Python processes of a local session load PySpark compiled, not from Spark's zip."""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from barnabas.spark.sessions.python import installed_pyspark

pytestmark = [pytest.mark.spark, pytest.mark.timeout(300)]


def loaded_from(_: int) -> tuple[str, str]:
    import py4j
    import pyspark

    return str(pyspark.__file__), str(py4j.__file__)


def test_a_worker_loads_pyspark_from_its_folder(spark: SparkSession) -> None:
    (found,) = spark.sparkContext.parallelize([1], 1).map(loaded_from).collect()
    assert Path(found[0]).parent == installed_pyspark()
    assert all(Path(each).is_file() for each in found)
