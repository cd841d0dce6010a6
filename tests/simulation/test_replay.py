"""A seed is all that there is to a run: the same one gives the same trace, in any process."""

import os
import subprocess
import sys

from sim.runs.run import run_seed
from sim.runs.simulation import Simulation

SEED = 23


def test_the_same_seed_gives_the_same_trace() -> None:
    first = Simulation(SEED, kept_lines=None).run()
    assert Simulation(SEED, kept_lines=None).run() == first
    assert len(first.lines) > 500
    assert run_seed(SEED + 1).digest != first.digest


def test_also_where_strings_have_other_hashes() -> None:
    digests = {
        subprocess.run(
            [sys.executable, "-m", "sim", "--seed", str(SEED)],
            env={**os.environ, "PYTHONHASHSEED": hashes},
            check=True,
            capture_output=True,
        ).stdout.split()[-1]
        for hashes in ("0", "1")
    }
    assert digests == {run_seed(SEED).digest.encode()}
