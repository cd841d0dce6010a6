"""Options of log directories: paths, what is shared with the broker's source, what is refused."""

import pytest

from barnabas.spark.directories.log_options import log_options
from barnabas.spark.errors import OptionError
from barnabas.spark.options.offsets import EARLIEST, LATEST, AllPartitions, AtTime
from barnabas.spark.options.selection import Pattern, Topics


def test_a_path_is_enough() -> None:
    options = log_options({"path": "/data/kafka/"})
    assert options.paths == ("/data/kafka",)
    assert options.read.selection == Pattern(".*")
    assert (options.read.starting, options.read.ending) == (
        AllPartitions(EARLIEST),
        AllPartitions(LATEST),
    )
    assert not options.committed_only


@pytest.mark.parametrize(
    ("given", "paths"),
    [
        ({"path": "/a, /b"}, ("/a", "/b")),
        ({"paths": '["/a","/b"]'}, ("/a", "/b")),
        ({"path": "file:///a"}, ("/a",)),
        ({"path": "file:/a/b"}, ("/a/b",)),
    ],
)
def test_paths(given: dict[str, str], paths: tuple[str, ...]) -> None:
    assert log_options(given).paths == paths


def test_shared_options_are_those_of_the_brokers_source() -> None:
    options = log_options(
        {
            "path": "/a",
            "subscribe": "x,y",
            "startingtimestamp": "5",
            "kafka.isolation.level": "read_committed",
        }
    )
    assert options.read.selection == Topics(frozenset({"x", "y"}))
    assert options.read.starting == AtTime(5)
    assert options.committed_only


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "'path': is missing"),
        ({"path": "hdfs://host/a"}, "'path': must be on a file system that the driver and the"),
        ({"path": "/a", "paths": '["/b"]'}, "'paths': cannot be together with 'path'"),
        ({"paths": "/a"}, "'paths': must be like"),
        ({"path": "/a", "kafka.bootstrap.servers": "x:1"}, "read without one: remove it"),
        ({"path": "/a", "valueFormat": "text"}, "'valueFormat': is of format 'barnabas'; here"),
        ({"path": "/a", "isolation.level": "read_committed"}, "written kafka.isolation.level"),
        ({"path": "/a", "kafka.isolation.level": "dirty"}, "isolation.level"),
        ({"path": "/a", "maxOffsetsPerTrigger": "1"}, "batch queries only"),
        ({"path": "/a", "splitByts": "1"}, "did you mean 'splitBytes'"),
        ({"path": "/a", "splitBytes": "0"}, "'splitBytes': must be from 1"),
        ({"path": "/a", "startingOffsets": "latest"}, "cannot be latest in a batch query"),
        ({"path": "/a", "subscribe": "x", "assign": "{}"}, "cannot be together"),
    ],
)
def test_what_is_wrong_is_named(given: dict[str, str], words: str) -> None:
    with pytest.raises(OptionError) as raised:
        log_options(given)
    assert words in str(raised.value)
