"""Commands that run Spark, started with a session of their own so that all of their processes can be killed."""

import json
import subprocess
from pathlib import Path
from typing import Any

from tests.commands.served import BARNABAS, Served, environment

SECONDS = 900


def begin(broker: Served, folder: Path, *arguments: str) -> subprocess.Popen[str]:
    """Start one in a folder."""
    return subprocess.Popen(
        [*BARNABAS, *arguments, "--json", "--conf", "spark.driver.memory=1g"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=folder,
        env=environment(broker.servers),
        start_new_session=True,
    )


def finish(process: subprocess.Popen[str]) -> Any:
    """Wait until it succeeds; returns its JSON."""
    out, err = process.communicate(timeout=SECONDS)
    assert process.returncode == 0, err
    return json.loads(out)
