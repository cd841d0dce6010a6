"""Requests that are right in another language than the one they are read in."""

from barnabas.lens.languages.languages import LANGUAGES, language_of, with_other_language
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.headers import RequestHeader, encode_request
from barnabas.protocol.metadata import MetadataRequest

OLD = bytes.fromhex("00000018 0001 0004 646f6773 00000000 0000000000000000 0004b000")


def test_each_language_has_the_name_it_is_found_by() -> None:
    assert {name: language_of(name).name for name in LANGUAGES} == {
        name: name for name in LANGUAGES
    }


def test_the_other_language_is_guessed() -> None:
    found = with_other_language(language_of("kafka").request(OLD), "kafka")
    assert found.faults[0].guess == "this is FETCH of the dialect kafka-0.7"
    header = RequestHeader(ApiKey.METADATA, 1, 7, "me")
    new = encode_request(header, MetadataRequest(topics=[])).joined()
    found = with_other_language(language_of("kafka-0.7").request(new), "kafka-0.7")
    assert "this is Metadata of the dialect kafka" in [fault.guess for fault in found.faults]
    assert with_other_language(language_of("kafka").request(new), "kafka").faults == ()
