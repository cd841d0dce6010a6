"""A stream's options as those of a batch that reads what the stream has read."""

import json
from typing import cast

import pytest
from pyspark.sql import SparkSession

from barnabas.pipelines.projects.definition_list import DefinitionList
from barnabas.pipelines.projects.plain_batch import Evaluation, NotComparable, StreamAsBatch
from barnabas.types import TopicPartition

NOWHERE = cast(SparkSession, None)
ENDS = {
    TopicPartition("cats", 0): 5,
    TopicPartition("cats", 1): 6,
    TopicPartition("dogs", 0): 7,
}


def options(**given: str) -> dict[str, str]:
    """Options of a batch for a flow that has read `ENDS`."""
    evaluation = Evaluation(NOWHERE, DefinitionList(NOWHERE), ENDS)
    stream = StreamAsBatch(evaluation).options(startingOffsets="earliest", **given)
    return dict(stream._topic_options())


@pytest.mark.parametrize(
    ("selected", "read"),
    [
        ({"subscribe": " cats,"}, {"cats": [0, 1]}),
        ({"subscribePattern": "c.*"}, {"cats": [0, 1]}),
        ({"subscribePattern": r"\p{Alpha}+"}, {"cats": [0, 1], "dogs": [0]}),
        ({"assign": '{"cats": [1], "dogs": [0]}'}, {"cats": [1], "dogs": [0]}),
    ],
    ids=str,
)
def test_the_partitions_that_were_read_and_no_others(
    selected: dict[str, str], read: dict[str, list[int]]
) -> None:
    """The other source of a flow has its own; one that was added since is not in the batch."""
    found = options(maxOffsetsPerTrigger="9", includeHeaders="true", **selected)
    ends = {
        topic: {str(one): ENDS[TopicPartition(topic, one)] for one in read[topic]} for topic in read
    }
    assert json.loads(found.pop("assign")) == read
    assert json.loads(found.pop("endingOffsets")) == ends
    assert found == {"startingOffsets": "earliest", "includeheaders": "true"}


def test_a_registrys_subject_is_still_that_of_the_topic() -> None:
    found = options(subscribe="cats", schemaRegistryUrl="http://localhost:1")
    assert found["valuesubject"] == "cats-value"


def test_a_source_that_has_read_nothing_is_not_compared() -> None:
    with pytest.raises(NotComparable, match="has not finished a batch"):
        options(subscribe="birds")
