"""What `kafka-metadata-quorum`, `kafka-features` and `kafka-topics` print of a cluster of one node."""

from tests.interop.printed.tool_output import Masks, ToolOutput

QUORUM, FEATURES, TOPICS = "MetadataQuorumCommand", "FeatureCommand", "TopicCommand"

_OF_NOW: Masks = (
    (r"(HighWatermark: +)\d+", r"\1N"),
    (r"\b\d{13,}\b", "TIME"),
    (r"\t\d+ +\t", "\tN\t"),
    (r"\d+ ms ago", "AGO"),
    (r"(?<=\w) +(?=\t)", ""),
    (r"Epoch: +\d+", "Epoch: N"),
    (r"CONTROLLER://|PLAINTEXT://", "LISTENER://"),
    (r'"directoryId": "#+", ', ""),
    (r" +", " "),
)
"""Offsets and times, and which listener voters have: one for controllers, here the broker's."""
_AT = r"^\d\d:\d\d:\d\d\.\d{3}"


def a_quorum_of_one(output: ToolOutput) -> None:
    """Its leader, which is its only voter, and the release whose records it writes."""
    for how in ("--status", "--replication", "--replication --human-readable"):
        output.ask(QUORUM, "describe", *how.split(), masks=_OF_NOW)
    output.ask(FEATURES, "describe", masks=_OF_NOW)
    output.ask(FEATURES, "upgrade", "--feature", "metadata.version=30")


def a_topic_that_is_there(output: ToolOutput) -> None:
    """Made, and made once more."""
    wanted = "--create", "--topic", output.talk.topic("dogs")
    output.ask(TOPICS, *wanted)
    output.ask(TOPICS, *wanted, label="again", masks=((_AT, "TIME"),))


SCENES = (a_quorum_of_one, a_topic_that_is_there)
