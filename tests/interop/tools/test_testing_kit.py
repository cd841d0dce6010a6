"""The tests on the page of the testing kit run as they stand there, each with the library that it is for."""

import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

pytestmark = pytest.mark.interop

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "testing-kit.md").read_text(encoding="utf-8")
PROGRAMS = dict(re.findall(r"```python\n# (test_\w+\.py)\n(.*?)```", PAGE, re.DOTALL))
LIBRARIES = {
    "aiokafka": "aiokafka",
    "celery": "celery",
    "confluent_kafka": "confluent-kafka",
    "faststream": "faststream[kafka]",
    "faust": "faust-streaming",
    "kafka": "kafka-python",
    "quixstreams": "quixstreams",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_test_on_the_page_passes(name: str, tmp_path: Path) -> None:
    program = PROGRAMS[name]
    for module in re.findall(r"^(?:from|import) (\w+)", program, re.MULTILINE):
        if module in LIBRARIES and find_spec(module) is None:
            pytest.skip(f"{module} is not installed: pip install {LIBRARIES[module]}")
    (tmp_path / name).write_text(program, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "barnabas.testing.pytest_plugin", name],
        cwd=tmp_path,
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT / "src"),
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        },
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_page_has_a_test_of_each_library() -> None:
    named = {f"test_{module if module != 'kafka' else 'kafka_python'}.py" for module in LIBRARIES}
    assert named <= PROGRAMS.keys()
    assert len(PROGRAMS) > len(named)
