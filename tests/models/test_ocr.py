# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The published client `rapidocr-paddle` reads rendered pages as it does with PaddlePaddle.

The pages are those of examples/ocr/render_pages.py; the golden texts, scores and boxes were made by the same client
with PaddlePaddle 3.3.1.
"""

import importlib.util
import json
import pathlib
import runpy
import sys

import numpy as np
import pytest

HERE = pathlib.Path(__file__).parent
PAGES = sorted((HERE / "ocr_pages").glob("*.png"))
GOLDEN = json.loads((HERE / "ocr_golden.json").read_text(encoding="utf-8"))
pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("rapidocr_paddle") is None, reason="rapidocr-paddle is not installed"
)


@pytest.fixture(scope="module")
def client():
    from rapidocr_paddle import RapidOCR

    return RapidOCR()


def test_there_is_a_golden_text_for_every_page():
    assert {p.stem for p in PAGES} == set(GOLDEN) and len(PAGES) == 5


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.stem)
def test_the_page_reads_as_with_paddlepaddle(client, page):
    lines = client(str(page))[0] or []
    expected = GOLDEN[page.stem]
    assert [text for _, text, _ in lines] == [line["text"] for line in expected]
    for (box, _, score), line in zip(lines, expected, strict=True):
        np.testing.assert_allclose(score, line["score"], atol=1e-4)
        np.testing.assert_allclose(box, line["box"], atol=1.5)


def test_the_example_prints_the_lines_and_draws_the_boxes(tmp_path, capsys, monkeypatch):
    from PIL import Image

    page, drawn = HERE / "ocr_pages" / "chinese.png", tmp_path / "boxes.png"
    monkeypatch.setattr(sys, "argv", ["ocr.py", str(page), str(drawn)])
    runpy.run_path(str(HERE.parents[1] / "examples" / "ocr" / "ocr.py"))
    printed = capsys.readouterr().out
    assert [line.split("  ")[1] for line in printed.splitlines()] == [line["text"] for line in GOLDEN["chinese"]]
    pixels = np.asarray(Image.open(drawn))
    assert (np.all(pixels == [255, 0, 0], axis=-1)).sum() > 500
