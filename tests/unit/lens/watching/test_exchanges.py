"""What the start of a request says."""

from struct import pack

import pytest

from barnabas.lens.watching.exchanges import RequestHead, api_name, request_head

HEAD = pack(">hhih", 18, 3, 7, 3)


@pytest.mark.parametrize("rest", [b"rex", b"rex and more"])
def test_the_header_of_a_request(rest: bytes) -> None:
    assert request_head(HEAD + rest) == RequestHead(18, 3, 7, "rex")


def test_no_client_id_and_one_that_is_cut() -> None:
    assert request_head(pack(">hhih", 18, 3, 7, -1) + b"rest") == RequestHead(18, 3, 7, "")
    assert request_head(HEAD + b"re") == RequestHead(18, 3, 7, "re")


@pytest.mark.parametrize(
    "token", [b"\0user\0password", b"\0ADMIN\0password", b"n,,n=user,r=x", b""]
)
def test_a_token_is_no_request(token: bytes) -> None:
    assert request_head(token) is None


def test_names() -> None:
    assert (api_name(18), api_name(-1)) == ("ApiVersions", "")
