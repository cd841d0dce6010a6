"""Checks of Python, compiled kernels, packages and Java."""

import json
import os
import platform
import sysconfig
from importlib import metadata
from importlib.util import find_spec
from shlex import quote
from shutil import which
from typing import Final
from urllib.parse import unquote, urlsplit

from barnabas import kernels
from barnabas.cli.doctor.finding import Finding, Verdict
from barnabas.extras import install, packages
from barnabas.version import __version__

_COMPILERS: Final = ("cc", "gcc", "clang")

_PURPOSES: Final = {
    "arrow": "fetch_arrow and send_arrow",
    "spark": "topics in PySpark",
    "pipelines": "barnabas pipeline",
    "protobuf": "values in Protocol Buffers as columns",
    "console": "barnabas console and serve --console-port",
    "metrics": "serve --metrics-port",
    "opentelemetry": "traces",
    "zookeeper": "zookeeper.connect and clusters of Kafka 0.7",
}
"""The extras for users, and what each is for."""


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
    compiler = next(filter(None, map(which, _COMPILERS)), None)
    again = _compile_again()
    if compiler is None:
        remedy = f"install a wheel, or a C compiler (Debian: apt-get install gcc python3-dev) and {again}"
    else:
        remedy = f"{again} compiles them with {compiler}; with -v it says why it did not"
    what = "not compiled: records go 20 to 100 times slower"
    return Finding("kernels", Verdict.WARNING, what, remedy)


def _compile_again() -> str:
    """The command that installs barnabas from where it came from (PEP 610), and compiles its kernels."""
    try:
        text = metadata.distribution("barnabas").read_text("direct_url.json")
    except metadata.PackageNotFoundError:
        return "make kernels"
    source = urlsplit(json.loads(text)["url"] if text else "")
    if source.scheme != "file" or source.path.endswith(".whl"):
        return "pip install --force-reinstall --no-deps --no-binary barnabas barnabas"
    return f"pip install --force-reinstall --no-deps {quote(unquote(source.path))}"


def check_packages() -> list[Finding]:
    """The packages of each extra that a user may want."""
    if not any(map(packages, _PURPOSES)):
        what = "barnabas runs from its source tree, which does not say what its extras need"
        return [Finding("packages", Verdict.WARNING, what, "pip install . in the source tree")]
    return [_extra(extra, purpose) for extra, purpose in _PURPOSES.items()]


def check_java() -> Finding:
    """The Java that `barnabas.spark.session` would use; only Spark needs one."""
    if find_spec("pyspark") is None:
        what = "not looked for: only Spark needs it, and pyspark is not installed"
        return Finding("java", Verdict.MISSING, what)
    from barnabas.spark.sessions.java import JavaMissing, default_cache, find_java

    try:
        java = find_java(os.environ, cache=default_cache())
    except JavaMissing as error:
        what, _, remedy = str(error).rpartition(": ")
        return Finding("java", Verdict.PROBLEM, what, remedy)
    return Finding("java", Verdict.OK, f"Java {java.version}, from {java.origin}")


def _extra(extra: str, purpose: str) -> Finding:
    found = packages(extra)
    wrong = [each for each in found if not each.usable]
    if not wrong:
        return Finding(extra, Verdict.OK, ", ".join(map(str, found)))
    remedy = f"for {purpose}: {install(extra)}"
    if all(each.installed is None for each in wrong):
        # An extra that lacks whole packages was not requested.
        what = f"not installed: {', '.join(each.name for each in wrong)}"
        return Finding(extra, Verdict.MISSING, what, remedy)
    return Finding(extra, Verdict.PROBLEM, ", ".join(map(str, wrong)), remedy)
