"""What is printed otherwise than about Apache Kafka 4.3 on purpose, each with its reason."""

from tests.interop.differential.verdict import Difference

_SHARES = "ShareGroupCommand --describe --group *"
_BEGUN = "it is kept where a group begins; Kafka keeps that with what is acknowledged first"
_BEHIND = (
    "Kafka keeps where the group was before the last acknowledgement, with all records after it"
)


def _feature(name: str, least: object, most: object, level: object) -> str:
    return (
        f"Feature: {name} SupportedMinVersion: {least} SupportedMaxVersion: {most} "
        f"FinalizedVersionLevel: {level} Epoch: N"
    )


_OTHERS = (
    _feature("eligible.leader.replicas.version", 0, 1, 1),
    _feature("kraft.version", 0, 1, 1),
)
_FEATURES = [
    _feature("group.version", 0, 1, 1),
    _feature("metadata.version", "3.3-IV3", "4.3-IV0", "4.3-IV0"),
    _feature("share.version", 0, 1, 1),
    _feature("streams.version", 0, 1, 1),
    _feature("transaction.version", 0, 2, 2),
]

EXPLAINED: dict[str, tuple[Difference, ...]] = {
    "a_quorum_of_one": (
        Difference(
            "FeatureCommand describe",
            "",
            "by two more controllers and brokers go, and there is one node",
            sorted([*_OTHERS, *_FEATURES]),
            _FEATURES,
        ),
    ),
    "a_share_group": (
        Difference(f"acquired: {_SHARES} --offsets*", "[[]2]", _BEGUN),
        Difference(f"acknowledged in part: {_SHARES} --offsets*", "[[]2]", _BEHIND),
        Difference(f"another too: {_SHARES} --offsets*", "[[]3]", _BEHIND),
    ),
    "a_streams_group": (
        Difference(
            "*: StreamsGroupCommand --list --state NotReady",
            "",
            "Kafka 4.3 knows that state by the name not_ready only, which its tool does not say",
            ["GROUP STATE"],
        ),
    ),
}
