"""What Spark finds by itself: `format("barnabas")`. Everything is in `barnabas.spark`.

Spark imports every module on the Python path whose name starts with "pyspark_", and one that fails
to import switches that off for all. So nothing but pyspark is imported here before it is needed.
"""

from pyspark.sql.datasource import (
    DataSource,
    DataSourceReader,
    DataSourceStreamReader,
    DataSourceStreamWriter,
    DataSourceWriter,
)
from pyspark.sql.types import StructType


class DefaultSource(DataSource):
    """Topics of a Kafka cluster, with the columns and option names of Spark's own Kafka source."""

    @classmethod
    def name(cls) -> str:
        """The name for `format(...)`; Spark keeps "kafka" for its own connector."""
        return "barnabas"

    def schema(self) -> StructType:
        """All columns, or those in option `columns`."""
        from barnabas.spark import source

        return source.schema(self.options)

    def reader(self, schema: StructType) -> DataSourceReader:
        """For `spark.read`."""
        from barnabas.spark import source

        return source.batch_reader(self.options, schema)

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:  # noqa: N802
        """For `spark.readStream`."""
        from barnabas.spark import source

        return source.stream_reader(self.options, schema)

    def writer(self, schema: StructType, overwrite: bool) -> DataSourceWriter:  # noqa: FBT001
        """For `df.write.mode("append")`."""
        from barnabas.spark import source

        return source.batch_writer(self.options, schema, overwrite=overwrite)

    def streamWriter(  # noqa: N802
        self,
        schema: StructType,
        overwrite: bool,  # noqa: ARG002, FBT001 (Spark's own sink appends in complete mode, too)
    ) -> DataSourceStreamWriter:
        """For `df.writeStream`."""
        from barnabas.spark import source

        return source.stream_writer(self.options, schema)
