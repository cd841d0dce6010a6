"""Hex in the forms in which people have it."""

import pytest

from barnabas.errors import ConfigError
from barnabas.lens.hex_text import hex_bytes

EXPECTED = bytes(range(0x10, 0x24))


@pytest.mark.parametrize(
    "text",
    [
        "101112131415161718191a1b1c1d1e1f20212223",
        "10 11 12 13 14 15 16 17 18 19 1A 1B\n1c1d1e1f 2021 2223\n",
        (
            "[0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18, 0x19, 0x1a, 0x1b, 0x1c, 0x1d,"
            " 0x1e, 0x1f, 0x20, 0x21, 0x22, 0x23]"
        ),
        "# a request\n10 11 12 13 | field\n1415161718191a1b1c1d1e1f20212223 # the rest\n",
        (
            "00000000: 1011 1213 1415 1617 1819 1a1b 1c1d 1e1f  ................\n"
            '00000010: 2021 2223                                 !"#\n'
        ),
        (
            "00000000  10 11 12 13 14 15 16 17  18 19 1a 1b 1c 1d 1e 1f  |................|\n"
            '00000010  20 21 22 23                                       | !"#|\n00000014\n'
        ),
        (
            "\t0x0000:  1011 1213 1415 1617 1819 1a1b 1c1d 1e1f  ................\n"
            '\t0x0010:  2021 2223                                .!"#\n'
        ),
        "".join(f"\\x{byte:02x}" for byte in EXPECTED),
    ],
    ids=["plain", "spaced", "list", "remarks", "xxd", "hexdump -C", "tcpdump -X", "escapes"],
)
def test_forms(text: str) -> None:
    assert hex_bytes(text) == EXPECTED


def test_what_is_no_hex_is_named_with_its_line() -> None:
    with pytest.raises(ConfigError, match="line 2: expected hex, not 'hello'"):
        hex_bytes("00 01\nhello\n")
    with pytest.raises(ConfigError, match="expected hex, not 'zz'"):
        hex_bytes("00 00 zz 15")
    with pytest.raises(ConfigError, match="expected hex digits in pairs, not '00 0'"):
        hex_bytes("00 0")
