"""From the options of a `load` or `save` to readers and writers; registers the format by hand.

Spark finds the format by itself where `pyspark_barnabas` is on the Python path of its workers.
"""

from collections.abc import Mapping

from pyspark.sql import SparkSession
from pyspark.sql.datasource import (
    DataSourceReader,
    DataSourceStreamReader,
)
from pyspark.sql.types import StructType

from barnabas.spark.batch import BatchReader
from barnabas.spark.errors import OptionError
from barnabas.spark.read_options import ReadOptions, read_options
from barnabas.spark.schema import Projection, project, source_schema
from barnabas.spark.stream import StreamReader


def register(spark: SparkSession) -> None:
    """Make `format("barnabas")` known to a session that does not find it by itself."""
    from pyspark_barnabas import DefaultSource

    spark.dataSource.register(DefaultSource)


def schema(options: Mapping[str, str]) -> StructType:
    """The schema where the user gives none; checks the options as far as they are known."""
    read = read_options(options, "either")
    return source_schema(include_headers=read.include_headers, columns=read.columns)


def batch_reader(options: Mapping[str, str], wanted: StructType) -> DataSourceReader:
    """The reader of a batch query."""
    read = read_options(options, "batch")
    return BatchReader(read, _projection(read, wanted))


def stream_reader(options: Mapping[str, str], wanted: StructType) -> DataSourceStreamReader:
    """The reader of a streaming query."""
    read = read_options(options, "stream")
    return StreamReader(read, _projection(read, wanted))


def _projection(options: ReadOptions, wanted: StructType) -> Projection:
    if options.columns is not None and list(options.columns) != wanted.fieldNames():
        raise OptionError("columns", "cannot be together with another schema(); give only one")
    return project(wanted)
