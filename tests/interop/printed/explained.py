"""What is printed otherwise than about Apache Kafka 4.3 on purpose, each with its reason."""

from tests.interop.differential.verdict import Difference

_SHARES = "ShareGroupCommand --describe --group *"
_BEGUN = "it is kept where a group begins; Kafka keeps that with what is acknowledged first"
_BEHIND = (
    "Kafka keeps where the group was before the last acknowledgement, with all records after it"
)

EXPLAINED: dict[str, tuple[Difference, ...]] = {
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
