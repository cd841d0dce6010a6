"""What to do where a peer is not there: say how to get it; skip at home, never silently in CI."""

import os
from typing import NoReturn

import pytest


class PeerMissing(Exception):
    """A peer is missing on this machine; the text names the command that installs it."""

    def __init__(self, text: str, *, expected_in_ci: bool = False) -> None:
        super().__init__(text)
        self.expected_in_ci = expected_in_ci


def give_up(missing: PeerMissing) -> NoReturn:
    """Skip the test with the reason, or fail it in CI where the means to get the peer are there."""
    if missing.expected_in_ci and os.environ.get("CI") == "true":
        pytest.fail(f"this machine can run this test and did not: {missing}")
    pytest.skip(str(missing))
