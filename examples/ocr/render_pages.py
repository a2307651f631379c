# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Pages to read: several fonts, sizes and languages, rotated lines, a blank page.

    python examples/ocr/render_pages.py FOLDER

Fonts are those of Debian's fonts-dejavu-core and fonts-wqy-microhei; FONTS=folder names another
place where they lie.
"""

import os
import pathlib
import sys

from PIL import Image, ImageDraw, ImageFont

PLACES = [os.environ.get("FONTS", ""), "/usr/share/fonts"]
CHINESE = "wqy-microhei.ttc"
# Page: lines of (font, size, degrees, text).
PAGES = {
    "sans": [
        ("DejaVuSans.ttf", 34, 0, "Deep learning in C++"),
        ("DejaVuSans-Bold.ttf", 26, 0, "INVOICE 2026-0417"),
        ("DejaVuSans.ttf", 18, 0, "The quick brown fox jumps over the lazy dog"),
        ("DejaVuSans.ttf", 22, 0, "Total: $1,284.50 (paid)"),
    ],
    "serif_and_mono": [
        ("DejaVuSerif.ttf", 30, 0, "Chapter One"),
        ("DejaVuSerif-Bold.ttf", 24, 0, "It was a bright cold day"),
        ("DejaVuSansMono.ttf", 20, 0, "return x + 42;"),
        ("DejaVuSansMono-Bold.ttf", 20, 0, "HTTP 404 NOT FOUND"),
    ],
    "chinese": [
        (CHINESE, 36, 0, "人工智能与深度学习"),
        (CHINESE, 26, 0, "北京市朝阳区建国路88号"),
        (CHINESE, 22, 0, "电话：010-65881234"),
        (CHINESE, 28, 0, "谢谢惠顾 Welcome"),
    ],
    "rotated": [
        ("DejaVuSans.ttf", 30, 6, "Slightly rotated text"),
        ("DejaVuSerif.ttf", 30, 180, "Upside down line"),
        ("DejaVuSans-Bold.ttf", 28, -8, "Downhill all the way"),
    ],
    "blank": [],
}


def font(name, size):
    """A font by the name of its file."""
    for place in filter(None, PLACES):
        for path in sorted(pathlib.Path(place).rglob(name)):
            return ImageFont.truetype(str(path), size)
    raise FileNotFoundError(f"{name} is not in {PLACES}; apt-get install fonts-dejavu-core fonts-wqy-microhei.")


def page(lines, size=(480, 320)):
    """A page with lines below each other, as an image in grey."""
    image = Image.new("L", size, 255)
    top = 20
    for name, points, degrees, text in lines:
        letters = font(name, points)
        left, up, right, down = letters.getbbox(text)
        line = Image.new("L", (right - left + 8, down - up + 8), 255)
        ImageDraw.Draw(line).text((4 - left, 4 - up), text, fill=0, font=letters)
        line = line.rotate(degrees, expand=True, fillcolor=255, resample=Image.Resampling.BICUBIC)
        image.paste(line, (24, top))
        top += line.height + 20
    return image


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, lines in PAGES.items():
        page(lines).save(folder / f"{name}.png", optimize=True)


if __name__ == "__main__":
    main()
