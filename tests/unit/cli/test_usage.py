"""What is typed by who knows other tools, or misses a letter, and what is answered."""

import shlex

import click
import pytest

from barnabas.cli.main import barnabas


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("produce -t t6", "The topic has no option: barnabas produce TOPIC"),
        (
            "produce t6 hello",
            "(hello). Records come from stdin: echo hello | barnabas produce greet",
        ),
        ("consume t -G x", "A group is named by --group"),
        ("consume t --jsn", "Did you mean '--json'?"),
        ("consume one two", "One topic is read at a time"),
        ("topic list", "No such command 'topic'. Did you mean 'topics'?"),
        ("topics lst", "Did you mean 'list'?"),
        ("log dumb", "Did you mean 'dump'?"),
        ("consume t -b localhost:abc", "localhost:abc is not host:port"),
        ("topics list -b http://localhost:9092", "leave out http://"),
        ("topics describe ''", "the name of the topic is empty"),
        ("topics delete dogs ' ' -y", "the name of the topic is empty"),
        ("produce ''", "the name of the topic is empty"),
        ("consume dogs -g ''", "the name of the group is empty"),
        ("groups reset ''", "the name of the group is empty"),
        ("groups reset g -t ''", "the name of the topic is empty"),
        ("groups reset g -t dogs:x --to 1", "dogs:x: x is no number"),
        ("groups reset g -t dogs --to-earliest", "It is: --to earliest"),
        ("transactions abort dogs:0", "START_OFFSET, which `barnabas transactions find-hanging`"),
        ("transactions list --state Ongoin", "'Ongoin' is not one of"),
        ("transactions describe ''", "the name of the transactional id is empty"),
        ("log verify ''", "the name of the file or directory is empty"),
        ("serve --data-dir ''", "the name of the data directory is empty"),
        ("migrate ''", "the name of the topic is empty"),
        ("consume t -X foo", "-X foo: it must look like name=value"),
        ("consume t -f %q", "%q in a format must be one of"),
        ("topics create t -c foo", "--config foo: it must look like name=value"),
        ("topics config t --set foo", "--set foo: it must look like name=value"),
        ("configs broker --set foo", "--set foo: it must look like name=value"),
        ("quotas --client me --set foo", "--set foo: it must look like name=value"),
    ],
)
def test_wrong_usage_is_answered_with_the_right_one(line: str, answer: str) -> None:
    with pytest.raises(click.UsageError) as caught:
        barnabas.main(args=shlex.split(line), standalone_mode=False)
    assert answer in caught.value.format_message()
    assert caught.value.ctx is not None, "with the usage"


def test_what_is_like_no_command_is_answered_with_none() -> None:
    with pytest.raises(click.UsageError, match="No such command 'xyzzy'.$"):
        barnabas.main(args=["xyzzy"], standalone_mode=False)
