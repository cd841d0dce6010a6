import os
import shutil
import subprocess
from pathlib import Path

import pytest

from benchmarks.peers import c_program
from benchmarks.peers.c_program import CompileFailed, compiled

needs_compiler = pytest.mark.skipif(
    not (shutil.which("cc") or shutil.which("gcc")), reason="it compiles C"
)


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(c_program, "BUILD", tmp_path / "build")
    path = tmp_path / "answer.c"
    path.write_text("int main(void) { return 42; }\n")
    return path


@needs_compiler
def test_it_is_compiled_again_only_where_a_source_is_newer(source: Path) -> None:
    program = compiled("answer", [source])
    assert subprocess.run([program], check=False).returncode == 42
    first = program.stat().st_mtime_ns
    assert compiled("answer", [source]).stat().st_mtime_ns == first
    source.write_text("int main(void) { return 7; }\n")
    later = first + 10**9
    os.utime(source, ns=(later, later))
    assert subprocess.run([compiled("answer", [source])], check=False).returncode == 7


@needs_compiler
def test_what_the_compiler_refuses_is_shown(source: Path) -> None:
    source.write_text("int main(void) { return }\n")
    with pytest.raises(CompileFailed, match="`answer` does not compile:\n(.|\n)*error"):
        compiled("answer", [source])


def test_without_a_compiler_a_sentence_says_what_to_install(
    source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "which", lambda _name: None)
    with pytest.raises(CompileFailed, match=r"needs a C compiler: apt-get install gcc libc6-dev"):
        compiled("answer", [source])
