"""Topics as tables and views of SQL."""

from collections.abc import Iterator

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from tests.spark.topics import Topics

pytestmark = [pytest.mark.spark, pytest.mark.timeout(600)]


@pytest.fixture
def topic(spark: SparkSession, topics: Topics) -> Iterator[str]:
    yield topics.create()
    spark.sql("DROP TABLE IF EXISTS animals")
    for view in ("received", "spoken"):
        spark.catalog.dropTempView(view)


def options(topics: Topics, **more: str) -> str:
    """As SQL wants them in WITH; for OPTIONS they are the same."""
    given = {"kafka.bootstrap.servers": topics.servers, **more}
    return ", ".join(f"`{name}` = '{value}'" for name, value in given.items())


def test_a_table_is_written_and_read_with_options_at_each_use(
    spark: SparkSession, topics: Topics, topic: str
) -> None:
    both = options(topics, subscribe=topic, topic=topic)
    spark.sql(f"CREATE TABLE animals USING barnabas OPTIONS ({both})")
    with pytest.raises(PySparkException, match=r"BARNABAS_OPTION.*WITH \(.*temporary view"):
        spark.sql("SELECT * FROM animals").collect()
    writing, reading = options(topics, topic=topic), options(topics, subscribe=topic)
    with pytest.raises(PySparkException, match=r"BARNABAS_OPTION.*INSERT INTO name WITH"):
        spark.sql("INSERT INTO animals (value) VALUES (CAST('lost' AS BINARY))")
    spark.sql(
        f"INSERT INTO animals WITH ({writing}) (key, value)"
        " VALUES (CAST('rex' AS BINARY), CAST('barks' AS BINARY)), (NULL, CAST('x' AS BINARY))"
    )
    found = spark.sql(
        f"SELECT CAST(key AS STRING) key, CAST(value AS STRING) value, topic"
        f" FROM animals WITH ({reading}) ORDER BY value"
    )
    assert [tuple(row) for row in found.collect()] == [("rex", "barks", topic), (None, "x", topic)]
    with pytest.raises(PySparkException, match="BARNABAS_WRITE.*cannot be overwritten"):
        spark.sql(
            f"INSERT OVERWRITE animals WITH ({writing}) SELECT * FROM animals WITH ({reading})"
        )


def test_views_keep_their_options(spark: SparkSession, topics: Topics, topic: str) -> None:
    spark.sql(
        "CREATE TEMPORARY VIEW spoken (key STRING, value STRING) USING barnabas"
        f" OPTIONS ({options(topics, topic=topic)})"
    )
    spark.sql(
        "CREATE TEMPORARY VIEW received (value STRING, key STRING) USING barnabas"
        f" OPTIONS ({options(topics, subscribe=topic)})"
    )
    spark.sql("INSERT INTO spoken VALUES ('tom', 'purrs'), ('rex', 'barks')")
    spark.sql("INSERT INTO spoken SELECT key, upper(value) FROM received WHERE key = 'rex'")
    found = spark.sql("SELECT key, value FROM received ORDER BY value").collect()
    assert [tuple(row) for row in found] == [("rex", "barks"), ("tom", "purrs")]  # as at first
    written = [each.value() or b"" for each in topics.all_of(topic)]
    assert sorted(written) == [b"BARKS", b"barks", b"purrs"]
