"""Traces of producers and consumers by OpenTelemetry, for those who ask for them.

`instrument(client)` has one client report spans; others, and programs that never import this
package, pay nothing. Names are those of OpenTelemetry's semantic conventions for messaging and Kafka.
It needs `pip install 'barnabas[opentelemetry]'`.
"""

try:
    from opentelemetry import trace as _trace  # noqa: F401
except ImportError as error:
    _needed = f"traces need a few more packages: pip install 'barnabas[opentelemetry]' ({error})"
    raise ImportError(_needed) from None

from barnabas.opentelemetry.spans import processing
from barnabas.opentelemetry.traced_clients import instrument

__all__ = ["instrument", "processing"]
