"""`python -m fuzz`: mutate valid inputs from a seed until the time is over or something breaks.

An input that breaks a target is kept in `fuzz/findings/`; `--input FILE --target NAME` runs it
again.
"""

import argparse
import hashlib
import random
import sys
import time
from pathlib import Path

from fuzz.mutations import mutate
from fuzz.targets import TARGETS, Target

FINDINGS = Path(__file__).with_name("findings")
MUTATIONS_OF_ONE = 50


def fuzz(target: Target, seed: int, seconds: float) -> tuple[int, int]:
    """Inputs tried and inputs taken; raises what the target should not have raised."""
    chance = random.Random(f"{target.name} {seed}")
    deadline = time.monotonic() + seconds
    tried = taken = 0
    while time.monotonic() < deadline:
        valid = target.start(chance)
        if not target.survives(valid):
            raise AssertionError(f"{target.name} refuses a valid input: {valid.hex()}")
        for _ in range(MUTATIONS_OF_ONE):
            data = mutate(valid, chance)
            try:
                taken += target.survives(data)
            except BaseException as error:
                error.add_note(f"input kept as {keep(target, data)}, seed {seed}")
                raise
            tried += 1
    return tried, taken


def keep(target: Target, data: bytes) -> Path:
    """Save a finding."""
    FINDINGS.mkdir(exist_ok=True)
    path = FINDINGS / f"{target.name}-{hashlib.sha256(data).hexdigest()[:12]}"
    path.write_bytes(data)
    return path


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=20.0, help="for each target")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--target", choices=TARGETS, action="append")
    parser.add_argument("--input", type=Path)
    arguments = parser.parse_args()
    names = arguments.target or list(TARGETS)
    if arguments.input is not None:
        print("taken" if TARGETS[names[0]].survives(arguments.input.read_bytes()) else "refused")
        return 0
    for name in names:
        tried, taken = fuzz(TARGETS[name], arguments.seed, arguments.seconds)
        print(f"{name}: {tried} inputs, {taken} taken, {tried - taken} refused, none misbehaved")
    return 0


if __name__ == "__main__":
    sys.exit(main())
