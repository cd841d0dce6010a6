"""All attacks: those of the tests and of the table in docs/security.md."""

from tests.hostile.attacks import (
    bombs,
    connecting,
    expanding,
    keeping,
    large,
    names,
    pipelined,
    waiting,
)

ATTACKS = (
    *pipelined.ATTACKS,
    *waiting.ATTACKS,
    *connecting.ATTACKS,
    *large.ATTACKS,
    *keeping.ATTACKS,
    *expanding.ATTACKS,
    *bombs.ATTACKS,
    *names.ATTACKS,
)
