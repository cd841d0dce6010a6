"""Envelope (key 58): a broker hands a client's request on to the controller (KIP-590)."""

from __future__ import annotations

from barnabas.wire.schema import Bytes, Int16, message, on


@message(key=58, versions="0", flexible="0+")
class EnvelopeRequest:
    """A whole request with its header, who sent it (DefaultPrincipalData), from which address."""

    request_data: Bytes
    request_principal: Bytes | None
    client_host_address: Bytes


@message(key=58, versions="0", flexible="0+")
class EnvelopeResponse:
    """A whole response with its header, or why there is none."""

    response_data: Bytes | None = on(default=None)
    error_code: Int16
