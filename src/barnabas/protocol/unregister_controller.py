"""UnregisterController (key 94): forget a controller that will not come back (KIP-1312)."""

from __future__ import annotations

from barnabas.wire.schema import Int16, Int32, String, message, on


@message(key=94, versions="0", flexible="0+")
class UnregisterControllerRequest:
    """Forget controller `controller_id`."""

    controller_id: Int32


@message(key=94, versions="0", flexible="0+")
class UnregisterControllerResponse:
    """What became of it."""

    throttle_time_ms: Int32 = on(default=0)
    error_code: Int16
    error_message: String | None = on(default=None)
