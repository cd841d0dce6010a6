import os
from pathlib import Path

import pytest

from barnabas.demo.stderr_redirect import stderr_to


def test_only_what_is_logged_meanwhile_goes_to_the_file(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "log"
    for given in (b"one", b" two"):
        with stderr_to(log):
            os.write(2, given)
    os.write(2, b"after")
    assert log.read_text() == "one two"
    assert capfd.readouterr().err == "after"
