"""Two brokers' answers held beside each other: equal, or different for a known reason."""

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from tests.interop.differential.talk import Answers, differences


@dataclass(frozen=True, slots=True)
class Difference:
    """Where answers may differ: patterns of the question's label and of the path to the field."""

    label: str
    path: str
    why: str
    theirs: Any = ...
    ours: Any = ...

    def covers(self, label: str, path: str, theirs: Any, ours: Any) -> bool:
        """Whether it is this difference; values count where they are given."""
        return (
            fnmatchcase(label, self.label)
            and fnmatchcase(path, self.path)
            and self.theirs in (..., theirs)
            and self.ours in (..., ours)
        )


def compare(theirs: Answers, ours: Answers, explained: Sequence[Difference]) -> None:
    """Fails for a difference without a reason, and for a reason without a difference."""
    met = []
    unexplained = []
    for label, answer in theirs.items():
        for path, they, we in differences(answer, ours[label]):
            reason = next((one for one in explained if one.covers(label, path, they, we)), None)
            if reason is None:
                unexplained.append(f"{label}: {path}: Kafka says {they!r}, we say {we!r}")
            else:
                met.append(reason)
    assert not unexplained, "\n" + "\n".join(unexplained)
    unmet = [one for one in explained if one not in met]
    assert not unmet, f"these do not differ: {unmet}"
