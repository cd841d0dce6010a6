"""What a ready function for `foreachBatch` refuses before any batch comes."""

import pytest

from barnabas.spark.errors import OptionError
from barnabas.spark.sink.foreach_batch import ExactlyOnce


@pytest.mark.parametrize(
    "name", ["transactionalIdPrefix", "transactionalidprefix", "deliveryGuarantee", "batchId"]
)
def test_options_that_it_sets_itself_are_refused_by_name(name: str) -> None:
    with pytest.raises(OptionError, match=f"option '{name}': is set by ExactlyOnce.*remove it"):
        ExactlyOnce("counts", {"topic": "counts", name: "1"})


def test_a_sink_without_a_name_is_refused() -> None:
    with pytest.raises(OptionError, match="option 'name': is empty"):
        ExactlyOnce(" ", {"topic": "counts"})
