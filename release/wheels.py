"""`make wheels`: build a wheel for each Python that is here, and try each where no compiler works.

A trial is a new virtual environment into which pip installs `barnabas` from a folder that is its only
index, and a program that starts a broker, sends a record and reads it. The table says what that took;
a wheel that fails ends it with exit code 1. The first wheel is also tried with the oldest versions of
what it needs. Wheels of other platforms are built by `.github/workflows/release.yml`.
"""

import os
import re
import shutil
import subprocess
import sys
import time
import zipfile
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
DIST = ROOT / "dist"
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
FIRST_RECORD = """
from barnabas import Consumer, Producer, kernels
from barnabas.testing import EmbeddedBroker

with EmbeddedBroker() as broker:
    with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
        producer.send("first", b"record").result(30)
    settings = {"auto.offset.reset": "earliest", "group.id": "g"}
    with Consumer(settings, bootstrap_servers=broker.bootstrap_servers) as consumer:
        consumer.subscribe(["first"])
        found = []
        while not found:
            found = consumer.poll(timeout_s=1)
assert [record.value for record in found] == [b"record"], found
print(kernels.implementation)
"""
NO_COMPILER = {"CC": "/bin/false", "CXX": "/bin/false"}


class Trial(NamedTuple):
    """What a wheel took: its size in MB, seconds to install and to the first record."""

    wheel: str
    megabytes: float
    install_s: float
    record_s: float


def pythons() -> list[str]:
    """The programs of the supported versions that are on PATH and run; says which are not there."""
    found = []
    for version in PYTHONS:
        program = shutil.which(f"python{version}")
        if program and makes_environments(program):
            found.append(program)
        else:
            print(f"python{version} is not on PATH, or has no venv: no wheel for it", flush=True)
    return found or [sys.executable]


def makes_environments(program: str) -> bool:
    """Whether a Python runs and can make virtual environments."""
    asked = [program, "-c", "import venv, ensurepip"]
    return not subprocess.run(asked, capture_output=True, check=False).returncode


def run(*command: str, **environment: str) -> str:
    """Run a command outside of the checkout, whose sources must not be found.

    Raises:
        SystemExit: it failed; its output is the message.
    """
    inherited = {
        name: value
        for name, value in os.environ.items()
        if name not in {"PYTHONPATH", "BARNABAS_KERNELS"}
    }
    done = subprocess.run(
        command,
        cwd=DIST,
        env={**inherited, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        sys.exit(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def build(python: str, sources: Path) -> Path:
    """The wheel that this Python makes of the source distribution."""
    before = set(DIST.glob("*.whl"))
    with TemporaryDirectory() as folder:
        own = Path(folder) / "own"
        run(python, "-m", "venv", str(own))
        run(str(own / "bin/pip"), "wheel", "-q", "--no-deps", "-w", str(DIST), str(sources))
    (made,) = set(DIST.glob("*.whl")) - before
    return made


def oldest(wheel: Path) -> list[str]:
    """What a wheel needs without extras, each in the oldest version that it allows."""
    with zipfile.ZipFile(wheel) as files:
        (name,) = [one for one in files.namelist() if one.endswith(".dist-info/METADATA")]
        metadata = files.read(name).decode()
    needed = re.findall(r"^Requires-Dist: ([\w-]+)>=([\d.]+)(?!.*extra ==)", metadata, re.MULTILINE)
    return [f"{package}=={version}" for package, version in needed]


def try_out(python: str, wheel: Path, versions: Sequence[str] = ()) -> Trial:
    """Install the wheel into a bare environment, and send and read a record.

    What it needs, in these versions if any, is downloaded first: the time is that of pip, not of a network.
    """
    with TemporaryDirectory() as folder:
        own, index = Path(folder) / "own", Path(folder) / "index"
        run(python, "-m", "venv", str(own))
        pip = str(own / "bin/pip")
        run(pip, "download", "-q", "--only-binary=:all:", "-d", str(index), str(wheel), *versions)
        local = ("--no-index", "--find-links", str(index))
        begun = time.monotonic()
        run(pip, "install", "-q", "--only-binary=:all:", *local, "barnabas", **NO_COMPILER)
        installed = time.monotonic()
        printed = run(str(own / "bin/python"), "-c", FIRST_RECORD, **NO_COMPILER)
        ended = time.monotonic()
    if printed.strip() != "compiled":
        sys.exit(f"{wheel.name}: its kernels are {printed.strip()}, not compiled")
    size = wheel.stat().st_size / 1e6
    return Trial(wheel.name, size, installed - begun, ended - installed)


def main() -> None:
    """Build and try all; print a table."""
    shutil.rmtree(DIST, ignore_errors=True)
    DIST.mkdir()
    made = ("setup.py", "--quiet", "sdist", "--dist-dir", str(DIST))
    subprocess.run(
        [sys.executable, *made], cwd=ROOT, env=os.environ | {"BARNABAS_KERNELS": "pure"}, check=True
    )
    (sources,) = DIST.glob("*.tar.gz")
    print(f"{sources.name}  {sources.stat().st_size / 1e6:.1f} MB", flush=True)
    for number, python in enumerate(pythons()):
        wheel = build(python, sources)
        trial = try_out(python, wheel)
        print(
            f"{trial.wheel}  {trial.megabytes:.1f} MB, installed in {trial.install_s:.1f} s, "
            f"first record {trial.record_s:.1f} s later",
            flush=True,
        )
        if number == 0:
            try_out(python, wheel, oldest(wheel))
            print(f"{trial.wheel}  works with {', '.join(oldest(wheel))}", flush=True)


if __name__ == "__main__":
    main()
