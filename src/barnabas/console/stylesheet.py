"""The stylesheet. Every page has it inside: to fetch it from a busy console would delay the first paint."""

import base64
import hashlib
import pkgutil
from typing import Final

_DATA: Final = pkgutil.get_data("barnabas.console", "console.css")
assert _DATA is not None, "it is part of the package"

STYLESHEET: Final = _DATA.decode()
"""The text between `<style>` and `</style>`."""

STYLE_SOURCE: Final = f"'sha256-{base64.b64encode(hashlib.sha256(_DATA).digest()).decode()}'"
"""What the Content-Security-Policy allows: this text and no other style."""
