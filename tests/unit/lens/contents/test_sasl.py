"""Tokens of SASL as they are explained, and that no password is in what is shown."""

import pytest

from barnabas.cli.wire.wire_output import Style, text_lines
from barnabas.lens.capture.conversation import Conversation, SentFrame
from barnabas.lens.languages.kafka import KafkaLens
from barnabas.lens.walks.part import Explained, RequestSummary
from barnabas.protocol.alter_configs import AlterConfigsRequest, AlterConfigsResponse
from barnabas.protocol.alter_user_scram_credentials import (
    AlterUserScramCredentialsRequest,
    ScramCredentialUpsertion,
)
from barnabas.protocol.api_keys import ApiKey
from barnabas.protocol.envelope import EnvelopeRequest, EnvelopeResponse
from barnabas.protocol.headers import RequestHeader, encode_request, encode_response
from barnabas.protocol.internal.state_files import DefaultPrincipalData
from barnabas.protocol.sasl_authenticate import SaslAuthenticateRequest, SaslAuthenticateResponse
from barnabas.protocol.sasl_handshake import SaslHandshakeRequest, SaslHandshakeResponse
from barnabas.wire.compiler import Codec

LENS = KafkaLens()
PASSWORD = b"pa55word"
PLAIN = b"\0rex\0" + PASSWORD
BEARER = b"n,,\x01auth=Bearer pa55word\x01\x01"
FIRST = b"n,,n=rex,r=fyko"
SERVER_FIRST = b"r=fyko3r,s=QSXC,i=4096"
LAST = b"c=biws,r=fyko3r,p=v0X8"


def request(key: ApiKey, version: int, message: object, number: int = 7) -> bytes:
    return encode_request(RequestHeader(key, version, number, "me"), message).joined()


def token(data: bytes, version: int = 2) -> bytes:
    return request(ApiKey.SASL_AUTHENTICATE, version, SaslAuthenticateRequest(auth_bytes=data))


def sized(data: bytes) -> bytes:
    return len(data).to_bytes(4, "big") + data


def fields(found: Explained, below: str) -> dict[str, object]:
    return {part.path: part.value for part in found.parts if part.path.startswith(below)}


def shown(*found: Explained) -> str:
    reported = [SentFrame(explained=one, position=0, from_client=True) for one in found]
    return "\n".join(line for one in reported for line in text_lines(one, Style(full=True)))


def hides(*found: Explained) -> bool:
    """Whether neither the text nor the bytes of the password are there."""
    text = shown(*found) + repr([(one.data, one.parts, one.faults) for one in found])
    return not any(
        secret in text for secret in (PASSWORD.decode(), PASSWORD.hex(" "), PASSWORD.hex())
    )


@pytest.mark.parametrize("version", [0, 1, 2])
def test_plain(version: int) -> None:
    found = LENS.request(token(PLAIN, version))
    assert fields(found, "auth_bytes.") == {
        "auth_bytes.authcid": "rex", "auth_bytes.passwd": "***",
    }  # fmt: skip
    assert not found.faults
    assert hides(found)


def test_scram() -> None:
    found = LENS.request(token(FIRST))
    assert fields(found, "auth_bytes.") == {
        "auth_bytes.start": "n,,", "auth_bytes.n": "n=rex", "auth_bytes.r": "r=fyko",
    }  # fmt: skip
    assert list(fields(LENS.request(token(LAST)), "auth_bytes.")) == [
        "auth_bytes.c", "auth_bytes.r", "auth_bytes.p",
    ]  # fmt: skip
    answer = SaslAuthenticateResponse(error_code=0, auth_bytes=SERVER_FIRST)
    frame = encode_response(ApiKey.SASL_AUTHENTICATE, 2, 7, answer).joined()
    found = LENS.response(frame, RequestSummary(36, 2, 7))
    assert fields(found, "auth_bytes.") == {
        "auth_bytes.r": "r=fyko3r", "auth_bytes.s": "s=QSXC", "auth_bytes.i": "i=4096",
    }  # fmt: skip
    assert not found.faults


@pytest.mark.parametrize(
    "data",
    [BEARER, b"\x60\x82" + PASSWORD, PASSWORD, b"\0\0\0" + PASSWORD, b"n,,n=rex," + PASSWORD],
    ids=["bearer", "unknown", "only a password", "nearly plain", "in scram"],
)
def test_what_may_be_a_secret_is_masked(data: bytes) -> None:
    found = LENS.request(token(data))
    assert "***" in fields(found, "auth_bytes").values()
    assert hides(found)


@pytest.mark.parametrize("at", range(4, 30))
@pytest.mark.parametrize("change", [-9, -1, 1, 9])
def test_a_broken_frame_does_not_give_it_away(at: int, change: int) -> None:
    """Whatever length is wrong, so that the password is somewhere else."""
    frame = bytearray(token(PLAIN, 1))
    if at in (4, 5):
        return  # Another API: nobody can know that there is a password.
    if at < len(frame) - len(PASSWORD):
        frame[at] = (frame[at] + change) % 256
    for found in (LENS.request(bytes(frame)), LENS.request(bytes(frame[:-3]))):
        assert PASSWORD not in found.data
        assert PASSWORD[:-3].decode() not in shown(found)


def test_tokens_without_headers_follow_the_first_handshake() -> None:
    conversation = Conversation(LENS)
    handshake = SaslHandshakeRequest(mechanism="PLAIN")
    given = request(ApiKey.SASL_HANDSHAKE, 0, handshake) + sized(PLAIN)
    asked = [one.explained for one in conversation.from_client(given)]
    welcome = SaslHandshakeResponse(error_code=0, mechanisms=["PLAIN"])
    answer = encode_response(ApiKey.SASL_HANDSHAKE, 0, 7, welcome).joined() + sized(b"")
    reported = [one.explained for one in conversation.from_broker(answer)]
    assert [one.name for one in asked + reported] == ["SaslHandshake", "SaslToken"] * 2
    assert fields(asked[1], "token.") == {"token.authcid": "rex", "token.passwd": "***"}
    assert not [fault for one in asked + reported for fault in one.faults]
    assert hides(*asked)
    conversation.from_client(sized(PLAIN)[:-1])
    (cut,) = conversation.end()
    assert PASSWORD[:-1] not in cut.explained.data
    after = Conversation(LENS)
    after.from_client(given)
    assert after.from_client(given)[0].explained.name == "SaslHandshake"


def test_what_is_as_good_as_a_password_is_masked() -> None:
    change = ScramCredentialUpsertion(
        name="rex", mechanism=1, iterations=4096, salt=b"salt", salted_password=PASSWORD
    )
    message = AlterUserScramCredentialsRequest(deletions=[], upsertions=[change])
    found = LENS.request(request(ApiKey.ALTER_USER_SCRAM_CREDENTIALS, 0, message))
    assert fields(found, "upsertions[0].salted_password")["upsertions[0].salted_password"] == "***"
    assert hides(found)


def test_what_an_envelope_holds() -> None:
    changes = AlterConfigsRequest(resources=[], validate_only=False)
    inner = request(ApiKey.ALTER_CONFIGS, 1, changes, 3)[4:]
    principal = DefaultPrincipalData(type="User", name="rex", token_authenticated=False)
    message = EnvelopeRequest(
        request_data=inner,
        request_principal=b"\0\0" + bytes(Codec.of(DefaultPrincipalData, 0).encode(principal)),
        client_host_address=bytes((127, 0, 0, 1)),
    )
    found = LENS.request(request(ApiKey.ENVELOPE, 0, message))
    assert not found.faults
    below = fields(found, "request_data.")
    assert below["request_data.header.api_key"] == 33
    assert below["request_data.validate_only"] is False
    assert fields(found, "request_principal.name") == {"request_principal.name": "rex"}
    assert fields(found, "client_host_address")["client_host_address"] == "127.0.0.1"
    assert b"".join(found.data[part.start : part.end] for part in found.parts) == found.data
    asked = found.asked
    assert asked is not None
    assert asked.inner == RequestSummary(33, 1, 3)
    response = AlterConfigsResponse(throttle_time_ms=5, responses=[])
    answer = EnvelopeResponse(
        response_data=encode_response(ApiKey.ALTER_CONFIGS, 1, 3, response).joined()[4:],
        error_code=0,
    )
    frame = encode_response(ApiKey.ENVELOPE, 0, 7, answer).joined()
    below = fields(LENS.response(frame, asked), "response_data.")
    assert below["response_data.throttle_time_ms"] == 5
    assert below["response_data.header.correlation_id"] == 3


def test_an_envelope_in_an_envelope_stays_bytes() -> None:
    data = b""
    for _ in range(500):
        message = EnvelopeRequest(
            request_data=data, request_principal=None, client_host_address=b""
        )
        data = request(ApiKey.ENVELOPE, 0, message)[4:]
    found = LENS.request(sized(data))
    assert max(part.path.count("request_data") for part in found.parts) == 2


def test_a_mistake_within_an_envelope_is_named_where_it_is() -> None:
    message = EnvelopeRequest(
        request_data=b"\x7f\xff\0\0", request_principal=None, client_host_address=b""
    )
    found = LENS.request(request(ApiKey.ENVELOPE, 0, message))
    (fault,) = found.faults
    assert fault.path == "request_data.header.api_key"
    assert found.data[fault.position :].startswith(b"\x7f\xff")


def test_a_null_in_place_of_an_envelopes_request_is_a_mistake_that_is_named() -> None:
    message = EnvelopeRequest(request_data=b"", request_principal=b"", client_host_address=b"")
    frame = bytearray(request(ApiKey.ENVELOPE, 0, message))
    at = len(frame) - 4  # Behind it: two empty values and no tagged fields.
    assert frame[at] == 1
    frame[at] = 0
    found = LENS.request(bytes(frame))
    assert [fault.path for fault in found.faults] == ["request_data"]
    assert b"".join(found.data[part.start : part.end] for part in found.parts) == frame
