# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Text of an image, with the boxes drawn into a copy of it.

pip install rapidocr-paddle
python examples/ocr/ocr.py page.png boxes.png
"""

import sys

from PIL import Image, ImageDraw
from rapidocr_paddle import RapidOCR  # runs on `paddle.inference`

if len(sys.argv) != 3:
    sys.exit(__doc__)
page = Image.open(sys.argv[1]).convert("RGB")
draw = ImageDraw.Draw(page)
for corners, text, score in RapidOCR()(sys.argv[1])[0] or []:
    print(f"{score:.4f}  {text}")
    draw.polygon([tuple(corner) for corner in corners], outline="red", width=2)
page.save(sys.argv[2])
