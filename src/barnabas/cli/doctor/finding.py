"""The result of a check."""

from enum import StrEnum
from typing import NamedTuple


class Verdict(StrEnum):
    """Whether something works; a warning is slower or smaller than it could be.

    MISSING: what is optional is not there, which is fine for all that does not need it.
    """

    OK = "ok"
    MISSING = "missing"
    WARNING = "warning"
    PROBLEM = "problem"


class Finding(NamedTuple):
    """One row: what was checked, its state, what is there, and what to do about it (empty: nothing)."""

    check: str
    state: Verdict
    found: str
    remedy: str = ""
