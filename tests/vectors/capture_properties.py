"""How the vectors in `properties` were taken: what real brokers say of all their properties.

`python -m tests.vectors.capture_properties` asks Kafka 0.11, the first that can be asked, to 4.3. A
line is a property: its name, its type (since 2.6), its default and, where it can be changed while the
broker runs, the word changeable. The default is - for none, '' for an empty text, and ? where the
broker was started with another value.
"""

from contextlib import AbstractContextManager
from pathlib import Path

from barnabas.config.parsing import Kind
from barnabas.config.releases import release_line
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.describe_configs import (
    DescribeConfigsRequest,
    DescribeConfigsResource,
    DescribeConfigsResourceResult,
    DescribeConfigsResponse,
)
from barnabas.protocol.headers import RequestHeader, decode_response, encode_request
from barnabas.protocol.releases import apis_of
from tests.interop.peers import generations
from tests.interop.peers.brokers.old_kafka import OldKafka
from tests.interop.peers.brokers.real_kafka import RealKafka
from tests.interop.peers.maven import KAFKA_4, MavenPeer
from tests.interop.raw import Raw

PROPERTIES = Path(__file__).with_name("properties")
_WITH_ZOOKEEPER = (
    generations.KAFKA_0_11, generations.KAFKA_1, generations.KAFKA_2_4, generations.KAFKA_2_8,
)  # fmt: skip
_LATER = (
    generations.KAFKA_3_9, generations.KAFKA_4_0, generations.KAFKA_4_1, generations.KAFKA_4_2, KAFKA_4,
)  # fmt: skip
_WITH_TYPES = 3
"""The version of the answer that has them; what the release does not know has none."""
_DEFAULT, _BROKER = 5, 4


def properties_of(release: MavenPeer) -> list[str]:
    """The lines of a release."""
    kafka: AbstractContextManager[OldKafka | RealKafka] = (
        OldKafka(release) if release in _WITH_ZOOKEEPER else RealKafka(peer=release)
    )
    with kafka as running:
        line = release_line(release.version)
        version = min(apis_of(line)[ApiKey.DESCRIBE_CONFIGS].last, 4)
        resource = DescribeConfigsResource(
            resource_type=_BROKER, resource_name="1", configuration_keys=None
        )
        asked = DescribeConfigsRequest(resources=[resource], include_synonyms=version > 0)
        header = RequestHeader(ApiKey.DESCRIBE_CONFIGS, version, 1, "capture")
        with Raw(running.bootstrap_servers) as connection:
            frame = connection.ask(encode_request(header, asked).joined())
    assert frame is not None
    answer = decode_response(ApiKey.DESCRIBE_CONFIGS, version, frame)[1]
    assert isinstance(answer, DescribeConfigsResponse)
    (result,) = answer.results
    known = [one for one in result.configs if version < _WITH_TYPES or one.config_type]
    return sorted(_line(one, version) for one in known)


def _line(one: DescribeConfigsResourceResult, version: int) -> str:
    words = [one.name, Kind(one.config_type).name.lower()] if version >= _WITH_TYPES else [one.name]
    words.append(_default(one, version))
    return " ".join(words if one.read_only else [*words, "changeable"])


def _default(one: DescribeConfigsResourceResult, version: int) -> str:
    if version:
        defaults = [each.value for each in one.synonyms if each.source == _DEFAULT]
        if not defaults and one.config_source != _DEFAULT:
            return "?"
        value = defaults[0] if defaults else one.value
    elif not one.is_default:
        return "?"
    else:
        value = one.value
    return "-" if value is None else value.replace(" ", "") or "''"


def main() -> None:
    PROPERTIES.mkdir(exist_ok=True)
    for release in (*_WITH_ZOOKEEPER, *_LATER):
        title = f"# What Apache Kafka {release.version} says of its properties."
        lines = [title, *properties_of(release)]
        file = PROPERTIES / f"{release.name}.txt"
        file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


if __name__ == "__main__":
    main()
