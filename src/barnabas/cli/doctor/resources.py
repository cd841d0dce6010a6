"""Checks of the resources of a broker: a port, file descriptors, a data directory."""

import errno
import os
import resource
import shutil
import socket
from pathlib import Path

from barnabas.cli.doctor.finding import Finding, Verdict
from barnabas.errors import KafkaError, LockHeld
from barnabas.runtime.files.disk import RealDisk

_FEW = 4096
"""Descriptors with which a broker of some hundred partitions and connections runs well."""
_LITTLE_BYTES = 1 << 30
_NOTHING_BYTES = 64 << 20
"""With less free, a broker soon cannot write a record, nor a new segment's indexes."""
_LITTLE_SHARE = 0.05


def check_port(host: str, port: int) -> Finding:
    """Whether a broker could listen there."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except OSError as error:
        remedy = "name an address of this machine with --host"
        return Finding("port", Verdict.PROBLEM, f"{host} is not an address here: {error}", remedy)
    family, kind, _, _, address = found[0]
    with socket.socket(family, kind) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(address)
        except OSError as error:
            verdict = Verdict.WARNING if error.errno == errno.EADDRINUSE else Verdict.PROBLEM
            what = f"{host}:{port}: {os.strerror(error.errno or 0)}"
            return Finding("port", verdict, what, _other(error))
    return Finding("port", Verdict.OK, f"{host}:{port} is free")


def check_descriptors() -> Finding:
    """How many files and connections a broker may hold; it raises the soft limit by itself."""
    _soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < _FEW:
        return Finding(
            "descriptors",
            Verdict.WARNING,
            f"a process may hold {hard} files and connections",
            "raise it with `ulimit -Hn`, or LimitNOFILE= of systemd",
        )
    most = "any number of" if hard == resource.RLIM_INFINITY else f"{hard:,}"
    return Finding("descriptors", Verdict.OK, f"a process may hold {most} files and connections")


def check_directory(path: str) -> list[Finding]:
    """Whether a broker could start on a data directory, and how much room it has."""
    directory = Path(path).absolute()
    if not directory.exists():
        parent = next(each for each in directory.parents if each.exists())
        if not os.access(parent, os.W_OK | os.X_OK):
            remedy = "choose another --data-dir, or give this user the right to write there"
            return [
                Finding("data directory", Verdict.PROBLEM, f"{parent} cannot be written", remedy)
            ]
        found = f"{directory} is made by the first start"
        return [Finding("data directory", Verdict.OK, found), _room(parent)]
    if not directory.is_dir():
        what = f"{directory} is not a directory"
        return [Finding("data directory", Verdict.PROBLEM, what, "choose another --data-dir")]
    if not os.access(directory, os.R_OK | os.W_OK | os.X_OK):
        remedy = f"chown or chmod {directory} for this user"
        what = f"{directory} cannot be read and written"
        return [Finding("data directory", Verdict.PROBLEM, what, remedy)]
    return [_held(directory), _room(directory)]


def _other(error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return "fine if that is your broker; else stop it, or take another port: --port 0 takes any"
    if error.errno in (errno.EACCES, errno.EPERM):
        return "take a port above 1023"
    return "name an address of this machine with --host"


def _held(directory: Path) -> Finding:
    lock = directory / ".lock"
    if not lock.exists():
        return Finding("data directory", Verdict.OK, f"{directory} is free")
    disk = RealDisk()
    try:
        with disk.lock(str(lock)):
            return Finding("data directory", Verdict.OK, f"{directory} is free")
    except LockHeld:
        remedy = "stop that broker, or choose another --data-dir"
        what = f"a broker is running on {directory}"
        return Finding("data directory", Verdict.WARNING, what, remedy)
    except KafkaError as error:
        return Finding("data directory", Verdict.PROBLEM, str(error), "choose another --data-dir")
    finally:
        disk.close()


def _room(directory: Path) -> Finding:
    total, _, free = shutil.disk_usage(directory)
    found = f"{free / 1e9:.1f} of {total / 1e9:.1f} GB are free"
    if free < _NOTHING_BYTES:
        remedy = "free some, or choose a --data-dir on another disk: a broker could not write here"
        what = f"full: {free / 1e6:.1f} MB of {total / 1e9:.1f} GB are free"
        return Finding("disk", Verdict.PROBLEM, what, remedy)
    if free < max(_LITTLE_BYTES, _LITTLE_SHARE * total):
        remedy = "free some, or set retention.bytes or retention.ms of large topics"
        return Finding("disk", Verdict.WARNING, found, remedy)
    return Finding("disk", Verdict.OK, found)
