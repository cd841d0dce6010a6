"""Installing from the source distribution where no compiler works, or Cython is missing."""

import os
import re
import shutil
import site
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

from barnabas.kernels import FAMILIES

# They make C of all kernels, and one of them a virtual environment.
pytestmark = pytest.mark.timeout(900)

ROOT = Path(__file__).parents[2]
FALLBACK = "so the kernels will run uncompiled (much slower)"
NEEDED = ("src", "setup.py", "pyproject.toml", "README.md", "LICENSE")
USE = """
from barnabas import kernels
from barnabas.records.batches.builder import BatchBuilder
from barnabas.records.codecs.compression import Codec
from barnabas.records.columns.reading import decode_records

builder = BatchBuilder(Codec.ZSTD, 1 << 20)
builder.append(5, b"key", b"value", [("name", b"content")])
(record,), _ = decode_records(builder.build(), "t", 0)
print(kernels.implementation, kernels.__file__, record.value)
"""


def run(*command: str, cwd: Path, **environment: str) -> str:
    inherited = {key: each for key, each in os.environ.items() if key != "BARNABAS_KERNELS"}
    inherited.pop("PYTHONPATH", None)
    done = subprocess.run(
        command, cwd=cwd, env={**inherited, **environment}, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def install(sdist: Path, folder: Path, **environment: str) -> str:
    """Build a wheel of the distribution, unpack it as pip would, and return all that was printed."""
    folder.mkdir()
    output = run(
        sys.executable, "-m", "pip", "wheel", "--verbose", "--no-deps", "--no-index",
        "--no-build-isolation", "--no-cache-dir", "--disable-pip-version-check",
        "--wheel-dir", str(folder), str(sdist), cwd=folder, **environment,
    )  # fmt: skip
    (wheel,) = folder.glob("*.whl")
    zipfile.ZipFile(wheel).extractall(folder / "installed")
    return output


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The source distribution, made of a copy that has nothing compiled."""
    tree = tmp_path_factory.mktemp("tree")
    ignored = shutil.ignore_patterns("*.so", "*.c", "__pycache__", "*.egg-info")
    for name in NEEDED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, tree / name, ignore=ignored)
        else:
            shutil.copy(source, tree / name)
    run(sys.executable, "setup.py", "--quiet", "sdist", cwd=tree, BARNABAS_KERNELS="pure")
    (made,) = (tree / "dist").glob("*.tar.gz")
    return made


def assert_runs_uncompiled(folder: Path, **environment: str) -> None:
    installed = folder / "installed"
    assert not list(installed.rglob("*.so"))
    environment["PYTHONPATH"] = os.pathsep.join(
        filter(None, (str(installed), environment.get("PYTHONPATH")))
    )
    output = run(sys.executable, "-c", USE, cwd=folder, **environment).splitlines()
    warning, printed = sorted(output, key=lambda line: line.startswith("pure"))
    assert "the kernels are not compiled" in warning
    assert printed == f"pure {installed / 'barnabas/kernels/__init__.py'} b'value'"


SHIPPED = ("pipelines/projects/templates", "console/templates", "console/static")
"""Folders whose files are no modules and are needed."""


def shipped_files(packages: Path) -> set[Path]:
    """The files of those folders."""
    root = packages / "barnabas"
    files = (path for folder in SHIPPED for path in (root / folder).rglob("*.*"))
    return {path.relative_to(root) for path in files if path.suffix != ".pyc"}


def test_without_a_compiler(sdist: Path, tmp_path: Path) -> None:
    output = install(sdist, tmp_path / "wheel", CC="/bin/false")
    (line,) = [line for line in output.splitlines() if FALLBACK in line]
    assert line.strip().startswith("barnabas: /bin/false is missing or failed (")
    assert_runs_uncompiled(tmp_path / "wheel")
    assert not list((tmp_path / "wheel/installed").rglob("*.c"))
    stubs = {path.stem for path in (tmp_path / "wheel/installed/barnabas/kernels").rglob("*.pyi")}
    assert stubs >= {"batch_rows", "scanning", "gathering", "record", "objects"}
    assert shipped_files(tmp_path / "wheel/installed") == shipped_files(ROOT / "src")


def test_without_the_extra_the_connector_says_what_it_needs() -> None:
    program = "import sys; sys.modules['pyspark'] = None; import barnabas.spark"
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"PYTHONPATH": str(ROOT / "src")},
    )
    assert done.returncode == 1
    assert (
        "barnabas.spark needs PySpark, pyarrow and Java: pip install 'barnabas[spark]'"
        in done.stderr
    )


def test_without_the_extra_the_console_says_what_it_needs() -> None:
    program = (
        "import sys; sys.modules['starlette'] = None; from barnabas.cli.main import main; "
        "main(['console', '--port', '0'])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"PYTHONPATH": str(ROOT / "src")},
    )
    assert done.returncode == 1
    assert "the console's pages need starlette: pip install 'barnabas[console]'" in done.stderr


def test_without_cython(sdist: Path, tmp_path: Path) -> None:
    hidden = tmp_path / "hidden"
    for name in ("Cython", "cython"):
        (hidden / name).mkdir(parents=True)
        (hidden / name / "__init__.py").write_text("raise ImportError('hidden')\n")
    output = install(sdist, tmp_path / "wheel", PYTHONPATH=str(hidden))
    (line,) = {line.strip() for line in output.splitlines() if FALLBACK in line}
    assert line.startswith("barnabas: Cython is missing")
    assert_runs_uncompiled(tmp_path / "wheel", PYTHONPATH=str(hidden))


@pytest.mark.long
def test_a_verbose_install_counts_the_kernels(sdist: Path, tmp_path: Path) -> None:
    output = install(sdist, tmp_path / "wheel")
    lines = re.findall(
        r"barnabas: kernel (\d+) of (\d+): ([\w.]+), \d+\.\d s$", output, re.MULTILINE
    )
    assert [int(number) for number, _, _ in lines] == list(range(1, len(lines) + 1))
    assert {int(total) for _, total, _ in lines} == {len(lines)}
    package = ROOT / "src/barnabas"
    typed = {
        ".".join(path.relative_to(package).with_suffix("").parts)
        for path in package.rglob("*.pxd")
        if package / "kernels" not in path.parents
    }
    assert {name for _, _, name in lines} == {*FAMILIES, *typed, "cython_shared"}


@pytest.mark.parametrize(
    ("compiler", "kernels"),
    [("/bin/false", "pure"), pytest.param("", "compiled", marks=pytest.mark.long)],
    ids=["uncompiled", "compiled"],
)
def test_pip_installs_the_command_as_readme_says(
    sdist: Path, tmp_path: Path, compiler: str, kernels: str
) -> None:
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path / "clone", filter="data")
    (clone,) = (tmp_path / "clone").iterdir()
    venv.create(tmp_path / "own", with_pip=True)
    binaries = tmp_path / "own" / "bin"
    (packages,) = (tmp_path / "own" / "lib").glob("python*/site-packages")
    # What pip would download: the tools to build with, in place of the venv's old ones, and the
    # four packages needed.
    for old in [*packages.glob("*setuptools*"), *packages.glob("*distutils*")]:
        shutil.rmtree(old) if old.is_dir() else old.unlink()
    (packages / "here.pth").write_text("\n".join(site.getsitepackages()))
    output = run(
        str(binaries / "pip"), "install", "--no-index", "--no-build-isolation", "--no-cache-dir",
        "--disable-pip-version-check", ".", cwd=clone, **({"CC": compiler} if compiler else {}),
    )  # fmt: skip
    assert "Successfully installed barnabas" in output
    printed = run(str(binaries / "barnabas"), "--version", cwd=tmp_path)
    assert printed.startswith("barnabas ")
    program = "from barnabas import kernels; print(kernels.implementation, kernels.__file__)"
    output = run(str(binaries / "python"), "-c", program, cwd=tmp_path)
    ((implementation, where),) = re.findall(r"^(pure|compiled) (\S+)$", output, re.MULTILINE)
    assert implementation == kernels
    assert Path(where).is_relative_to(packages)
