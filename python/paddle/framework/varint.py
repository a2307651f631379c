# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Whole numbers of variable length, as Protocol Buffers write them: seven bits a byte, the least first."""


def to_varint(number):
    """The bytes of a number of 64 bits; a negative one is written as its two's complement."""
    number &= (1 << 64) - 1
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def read_varint(data, at, error=ValueError):
    """(the number that begins at byte `at` of `data`, the index after it).

    Raises:
        error: The bytes end inside the number, or it has more than 64 bits.
    """
    number = shift = 0
    while True:
        if at >= len(data) or shift > 63:
            raise error(f"varint: the bytes end inside the number that begins before byte {at}, or it is too long.")
        byte = data[at]
        at += 1
        number |= (byte & 127) << shift
        if byte < 128:
            return number, at
        shift += 7
