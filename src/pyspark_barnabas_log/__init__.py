"""What Spark finds by itself: `format("barnabas-log")`. Everything is in `barnabas.spark.directories`.

Spark takes one data source from each module of this kind; see `pyspark_barnabas` for what may be
imported here.
"""

from pyspark.sql.datasource import DataSource, DataSourceReader, DataSourceStreamReader
from pyspark.sql.types import StructType


class DefaultSource(DataSource):
    """Log directories of Kafka 0.7 to 4.x, read without a broker."""

    @classmethod
    def name(cls) -> str:
        """The name for `format(...)`."""
        return "barnabas-log"

    def schema(self) -> StructType:
        """All columns, or those in option `columns`."""
        from barnabas.spark.directories import batch

        return batch.schema(self.options)

    def reader(self, schema: StructType) -> DataSourceReader:
        """For `spark.read`."""
        from barnabas.spark.directories import batch

        return batch.directory_reader(self.options, schema)

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:  # noqa: ARG002, N802
        """Refused: `spark.readStream` is for topics of a broker."""
        from barnabas.spark.directories import batch

        return batch.no_stream()
