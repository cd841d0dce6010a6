"""What is typed by who knows other tools, or misses a letter, and what is answered."""

import shlex

import click
import pytest

from barnabas.cli.arguments.usage import with_close
from barnabas.cli.main import barnabas


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("produce -t t6", "The topic is an argument: barnabas produce TOPIC"),
        (
            "produce t6 hello",
            "(hello). Records come from stdin: echo hello | barnabas produce greet",
        ),
        ("consume t -G x", "Use --group"),
        ("consume t --jsn", "Did you mean '--json'?"),
        ("consume t --form-beginning", "Did you mean '--from-beginning'?"),
        ("serve --port abc", "'abc' is not a whole number from 0 to 65535"),
        ("topics create t -p 0", "'0' is not a whole number from 1 on"),
        ("groups reset g -t t --by x", "'x' is not a whole number"),
        ("top --interval soon", "'soon' is not a number from 0.1 to 3600"),
        ("consume one two", "One topic at a time"),
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
        ("groups reset g -t dogs:x --to 1", "dogs:x: x is not a number"),
        ("groups reset g --file - -t dogs", "--file name the topics: leave out --topic"),
        ("groups reset g --file - --all-topics", "name the topics: leave out --all-topics"),
        ("groups reset g -t dogs --to 1 --export --json", "not both"),
        ("groups reset g -t dogs --to-earliest", "Use --to earliest"),
        ("transactions abort dogs:0", "START_OFFSET, which `barnabas transactions find-hanging`"),
        ("transactions abort dogs:0 --transactional-id k", "or --transactional-id, not both"),
        ("transactions abort dogs:0 0 --transactional-id k", "or --transactional-id, not both"),
        ("transactions abort dogs 0", "dogs is not TOPIC:PARTITION, as dogs:0 is"),
        ("transactions find hanging", "No such command 'find'. Did you mean 'find-hanging'?"),
        ("groups list --state sleeping", "'sleeping' is not one of 'Stable', 'Empty', 'Dead', 'P"),
        ("-b x:1 groups list", "COMMAND -b ..."),
        ("groups -b x:1 list", "groups COMMAND -b ..."),
        ("--versio", "Did you mean '--version'?"),
        ("transactions abort", "prints, or --transactional-id"),
        ("transactions abort dogs:0 9223372036854775808", "08' is not a whole number from 0 to 9"),
        ("transactions find-hanging --idle nan", "nan is not a number of minutes from 0 on"),
        ("transactions find-hanging --idle inf", "inf is not a number of minutes from 0 on"),
        ("transactions find-hanging --idle 1e305", "1e+305 is not a number of minutes from 0 on"),
        ("transactions find-hanging --idle -1", "-1.0 is not a number of minutes from 0 on"),
        (
            "transactions list --running 99999999999999999999",
            "9' is not a whole number from 0 to 9",
        ),
        ("transactions list --running -1", "'-1' is not a whole number from 0 to 9"),
        ("transactions list --state Ongoin", "'Ongoin' is not one of 'Empty', 'Ongoing', 'P"),
        ("transactions describe ''", "the name of the transactional id is empty"),
        ("log verify ''", "the name of the file or directory is empty"),
        ("serve --data-dir ''", "the name of the data directory is empty"),
        ("migrate ''", "the name of the topic is empty"),
        ("consume t -X foo", "-X foo: expected name=value"),
        ("consume t -f %q", "%q in a format: expected one of"),
        ("topics create t -c foo", "--config foo: expected name=value"),
        ("topics config t --set foo", "--set foo: expected name=value"),
        ("configs broker --set foo", "--set foo: expected name=value"),
        ("quotas --client me --set foo", "--set foo: expected name=value"),
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


@pytest.mark.parametrize("line", ["consume t --nope", "topics list --nope", "topics --nope"])
def test_an_option_that_is_like_none_suggests_none(line: str) -> None:
    with pytest.raises(click.UsageError) as caught:
        barnabas.main(args=shlex.split(line), standalone_mode=False)
    error = caught.value
    reported = with_close(error) if isinstance(error, click.NoSuchOption) else error
    assert reported.format_message().startswith("No such option '--nope'.")
    assert "Did you mean" not in reported.format_message()
