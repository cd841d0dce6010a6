"""A function for `foreachBatch` that writes exactly once.

For streams of mode "update", which Spark does not let Python sinks write, and for batches that are written to
several places.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from pyspark.sql import DataFrame

from barnabas.spark.errors import OptionError

_SET_HERE: Final = ("deliveryguarantee", "transactionalidprefix", "batchid")


@dataclass(frozen=True, slots=True)
class ExactlyOnce:
    """Writes each micro-batch exactly once, even if Spark calls it twice for the same one.

    Pass one to `query.foreachBatch`. `options` are those of a write to `format("barnabas")`, without the
    three that this class sets itself; `name` distinguishes the sinks of one query.

    Raises:
        OptionError: the name is empty, or one of the three is among the options.
    """

    name: str
    options: Mapping[str, str]

    def __post_init__(self) -> None:
        if not self.name.strip():
            raise OptionError("name", "is empty; name the sink, another name for each of a query")
        for option in self.options:
            if option.lower() in _SET_HERE:
                raise OptionError(
                    option, "is set by ExactlyOnce, from its name and batch; remove it"
                )

    def __call__(self, batch: DataFrame, number: int) -> None:
        """Write one micro-batch."""
        writer = batch.write.format("barnabas").mode("append").options(**self.options)
        writer = writer.option("deliveryGuarantee", "exactly-once").option("batchId", number)
        writer.option("transactionalIdPrefix", f"spark-barnabas-{self.name}").save()
