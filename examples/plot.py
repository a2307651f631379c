# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""A line plot as a PNG file, with nothing but NumPy and zlib (PNG: ISO/IEC 15948)."""

import struct
import zlib

import numpy as np

WIDTH, HEIGHT, MARGIN = 800, 480, 48
DIGITS = {  # 3 x 5 pixels, one octal digit a row
    "0": "75557", "1": "26227", "2": "71747", "3": "71717", "4": "55711", "5": "74717",
    "6": "74757", "7": "71111", "8": "75757", "9": "75717", ".": "00002",
}  # fmt: skip


def write_line_plot(path, values):
    """Draws values (y) over their index (x)."""
    canvas = np.full((HEIGHT, WIDTH), 255, np.uint8)
    low, high = float(np.min(values)), float(np.max(values))
    span = (high - low) or 1.0
    for k in range(5):
        y = HEIGHT - MARGIN - k * (HEIGHT - 2 * MARGIN) // 4
        canvas[y, MARGIN : WIDTH - MARGIN] = 220
        draw_text(canvas, 4, y - 5, f"{low + span * k / 4:.2f}")
        x = MARGIN + k * (WIDTH - 2 * MARGIN) // 4
        draw_text(canvas, x - 8, HEIGHT - MARGIN + 8, str(len(values) * k // 4))
    canvas[HEIGHT - MARGIN, MARGIN : WIDTH - MARGIN] = 0
    canvas[MARGIN : HEIGHT - MARGIN, MARGIN] = 0
    columns = np.arange((WIDTH - 2 * MARGIN) * 4) / 4
    at = np.interp(columns * max(len(values) - 1, 1) / columns[-1], np.arange(len(values)), values)
    rows = (HEIGHT - MARGIN - (at - low) / span * (HEIGHT - 2 * MARGIN)).astype(int)
    previous = rows[0]
    for x, y in zip((MARGIN + columns).astype(int), rows, strict=True):
        canvas[min(previous, y) : max(previous, y) + 2, x] = 40
        previous = y
    write_png(path, canvas)


def draw_text(canvas, x, y, text):
    for character in text:
        for row, bits in enumerate(DIGITS[character]):
            for column in range(3):
                if int(bits, 8) >> (2 - column) & 1:
                    canvas[y + 2 * row : y + 2 * row + 2, x + 2 * column : x + 2 * column + 2] = 60
        x += 8


def write_png(path, gray):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    height, width = gray.shape
    scanlines = b"".join(b"\0" + row.tobytes() for row in gray)
    with open(path, "wb") as f:
        f.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)))
        f.write(chunk(b"IDAT", zlib.compress(scanlines, 9)) + chunk(b"IEND", b""))
