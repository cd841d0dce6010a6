"""Checks of what is installed: Python, compiled kernels, packages, Java."""

import os
import platform
import sysconfig
from importlib.metadata import PackageNotFoundError, requires, version
from importlib.util import find_spec

from barnabas import kernels
from barnabas.cli.doctor.finding import Finding, Verdict
from barnabas.version import __version__

PIP = "pip install"


def check_python() -> Finding:
    """The version of Python, and how it was built: a build without PGO and LTO is slower."""
    found = f"{platform.python_implementation()} {platform.python_version()}"
    options = sysconfig.get_config_var("CONFIG_ARGS") or ""
    if os.name == "posix" and options and "--enable-optimizations" not in options:
        remedy = "for speed use the Python of your distribution, of uv or of python.org"
        return Finding("python", Verdict.WARNING, f"{found}, built without optimisation", remedy)
    return Finding("python", Verdict.OK, found)


def check_kernels() -> Finding:
    """Whether the kernels are compiled."""
    if kernels.implementation == "compiled":
        return Finding("kernels", Verdict.OK, f"barnabas {__version__}, compiled")
    if os.environ.get("BARNABAS_KERNELS") == "pure":
        return Finding(
            "kernels",
            Verdict.WARNING,
            "not compiled, as BARNABAS_KERNELS=pure asks: records go 20 to 100 times slower",
            "unset BARNABAS_KERNELS",
        )
    return Finding(
        "kernels",
        Verdict.WARNING,
        "not compiled: records go 20 to 100 times slower",
        f"install a C compiler (Debian: apt-get install gcc python3-dev), then {PIP} "
        "--force-reinstall --no-binary barnabas barnabas",
    )


def check_packages() -> list[Finding]:
    """The packages of each extra that a user may want."""
    return [
        _extra("arrow", "pyarrow", "fetch_arrow and send_arrow"),
        _extra("spark", "pyspark", "topics in PySpark"),
        _extra("zookeeper", "kazoo", "zookeeper.connect and clusters of Kafka 0.7"),
        _extra("metrics", "prometheus-client", "serve --metrics-port"),
    ]


def check_java() -> Finding:
    """The Java that `barnabas.spark.session` would use; only Spark needs one."""
    if find_spec("pyspark") is None:
        return Finding("java", Verdict.OK, "not needed without pyspark")
    from barnabas.spark.sessions.java import JavaMissing, default_cache, find_java

    try:
        java = find_java(os.environ, cache=default_cache())
    except JavaMissing as error:
        what, _, remedy = str(error).rpartition(": ")
        return Finding("java", Verdict.PROBLEM, what, remedy)
    return Finding("java", Verdict.OK, f"Java {java.version}, from {java.origin}")


def _extra(extra: str, package: str, purpose: str) -> Finding:
    install = f"{PIP} 'barnabas[{extra}]'"
    try:
        found = version(package)
    except PackageNotFoundError:
        return Finding(
            extra, Verdict.OK, f"{package} is not installed", f"for {purpose}: {install}"
        )
    wanted = _oldest(extra, package)
    if wanted and _parts(found) < _parts(wanted):
        what = f"{package} {found}, but {purpose} need {wanted} or later"
        return Finding(extra, Verdict.PROBLEM, what, f"{PIP} --upgrade 'barnabas[{extra}]'")
    return Finding(extra, Verdict.OK, f"{package} {found}")


def _oldest(extra: str, package: str) -> str:
    """The lowest version that the metadata of barnabas allows; empty if it names none."""
    for line in requires("barnabas") or ():
        requirement, _, marker = line.partition(";")
        name, bound, oldest = requirement.partition(">=")
        if bound and name.strip() == package and f'"{extra}"' in marker.replace("'", '"'):
            return oldest.partition(",")[0].strip()
    return ""


def _parts(text: str) -> tuple[int, ...]:
    numbers = []
    for part in text.split("."):
        if not part.isdecimal():
            break
        numbers.append(int(part))
    return tuple(numbers)
