"""From the options of a `load` or `save` to readers and writers."""

from collections.abc import Mapping

from pyspark.sql.datasource import (
    DataSourceReader,
    DataSourceStreamReader,
    DataSourceStreamWriter,
    DataSourceWriter,
)
from pyspark.sql.types import StructType

from barnabas.errors import ConfigError, KafkaError
from barnabas.spark.errors import OptionError, WriteRefused, briefly
from barnabas.spark.options.formats import read_formats
from barnabas.spark.options.option_values import Options
from barnabas.spark.options.read_options import (
    ReadOptions,
    column_names,
    read_options,
)
from barnabas.spark.options.write_options import write_options
from barnabas.spark.readers.batch_reader import BatchReader
from barnabas.spark.readers.refused_stream import RefusedStream
from barnabas.spark.readers.schema import Projection, project, source_schema
from barnabas.spark.readers.stream_reader import StreamReader
from barnabas.spark.sink.row_layout import row_layout
from barnabas.spark.sink.writers import BatchWriter, StreamWriter
from barnabas.spark.workers.worker_process import THIS_WORKER

_OPTION = "option."
"""The prefix of a table's OPTIONS among its properties."""


@briefly()
def schema(options: Mapping[str, str]) -> StructType:
    """Return the default schema, and check the options as far as they are known.

    CREATE TABLE ... USING barnabas calls this, too. It passes the table's properties ("provider", "owner",
    ...) and each of its OPTIONS twice, once with the prefix "option.". The topics to read or write are
    options of each use, because Spark does not keep them.
    """
    if "provider" in options:
        given = {name.removeprefix(_OPTION): text for name, text in options.items()}
        table = Options({name: given[name] for name in given if _OPTION + name in options})
        headers = table.flag("includeHeaders", default=False)
        columns = column_names(table)
        types = read_formats(table).types
        return source_schema(include_headers=headers, columns=columns, types=types)
    read = read_options(options, "either")
    return source_schema(
        include_headers=read.include_headers, columns=read.columns, types=read.formats.types
    )


@briefly()
def batch_reader(options: Mapping[str, str], wanted: StructType) -> DataSourceReader:
    """The reader of a batch query."""
    read = read_options(options, "batch")
    return BatchReader(read, _projection(read, wanted))


def stream_reader(options: Mapping[str, str], wanted: StructType) -> DataSourceStreamReader:
    """The reader of a streaming query, or one that raises why it cannot be read."""
    try:
        read = read_options(options, "stream")
        return StreamReader(read, _projection(read, wanted))
    except (ConfigError, KafkaError) as error:  # KafkaError: from a schema registry.
        return RefusedStream(error)


@briefly()
def batch_writer(
    options: Mapping[str, str], given: StructType, *, overwrite: bool
) -> DataSourceWriter:
    """The writer of a batch query.

    Raises:
        WriteRefused: `mode("overwrite")`: a topic cannot be overwritten.
    """
    if overwrite:
        raise WriteRefused("records cannot be overwritten; write with mode('append')")
    THIS_WORKER.begin_task()
    write = write_options(options)
    return BatchWriter(write, row_layout(given, write.topic))


@briefly()
def stream_writer(options: Mapping[str, str], given: StructType) -> DataSourceStreamWriter:
    """The writer of a streaming query; two processes of Spark create one for each micro-batch."""
    THIS_WORKER.begin_task()
    write = write_options(options)
    return StreamWriter(write, row_layout(given, write.topic))


def _projection(options: ReadOptions, wanted: StructType) -> Projection:
    if options.columns is not None and list(options.columns) != wanted.fieldNames():
        raise OptionError("columns", "cannot be together with another schema(); give only one")
    return project(wanted, options.formats)
