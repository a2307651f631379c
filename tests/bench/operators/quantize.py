# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Rows of weights that are quantised in blocks. PyTorch has none: it multiplies with the numbers they stand for."""

import numpy as np

from . import Input, integers, normal, row

ROWS_OF_WEIGHT, COLUMNS, FORMAT = 2048, 2048, "Q8_0"


def blocks(rng, shape):
    """Q8_0: a float16 scale and 32 numbers of 8 bits."""
    rows, columns = shape
    scales = rng.uniform(0.01, 0.02, (rows, columns // 32, 1)).astype(np.float16).view(np.uint8)
    numbers = rng.integers(-127, 128, (rows, columns // 32, 32), dtype=np.int8).view(np.uint8)
    return np.concatenate([scales, numbers], -1).reshape(rows, -1)


def weight():
    return Input(blocks, (ROWS_OF_WEIGHT, COLUMNS), "uint8")


def codes(count):
    """int8 codes of weight_quantize."""
    return Input(lambda rng, shape: rng.integers(-128, 128, shape, dtype=np.int8), (count, COLUMNS), "int8")


ROWS = [
    row(
        "matmul_codes",
        [normal(1, COLUMNS), codes(ROWS_OF_WEIGHT), normal(1, ROWS_OF_WEIGHT)],
        lambda o, x, w, s: o.matmul_codes(x, w, s, None),
    ),
    row(
        "matmul_int8",
        [normal(1, COLUMNS), codes(ROWS_OF_WEIGHT), normal(ROWS_OF_WEIGHT)],
        lambda o, x, w, s: o.matmul_int8(x, w, s, None),
    ),
    row(
        "dequantize_codes", [codes(ROWS_OF_WEIGHT), normal(1, ROWS_OF_WEIGHT)], lambda o, w, s: o.dequantize_codes(w, s)
    ),
    row("matmul_q", [normal(1, COLUMNS), weight()], lambda o, x, w: o.matmul_q(x, w, None, FORMAT, ROWS_OF_WEIGHT)),
    row(
        "expert_matmul_q",
        [normal(1, COLUMNS), Input(blocks, (32 * ROWS_OF_WEIGHT // 4, COLUMNS), "uint8"), integers(0, 32, 1, 4)],
        lambda o, x, w, ids: o.expert_matmul_q(x, w, ids, FORMAT, 32, ROWS_OF_WEIGHT // 4, True),
        ours_setup=lambda o, x, w, ids: (x, o.pack_q(w, FORMAT), ids),
    ),
    row("dequantize_q", [weight()], lambda o, w: o.dequantize_q(w, FORMAT, ROWS_OF_WEIGHT, COLUMNS)),
    row("quantize_q", [normal(ROWS_OF_WEIGHT, COLUMNS)], lambda o, x: o.quantize_q(x, "Q4_K")),
    row("pack_q", [weight()], lambda o, w: o.pack_q(w, FORMAT)),
    row(
        "embedding_q",
        [integers(0, ROWS_OF_WEIGHT, 512), weight()],
        lambda o, ids, w: o.embedding_q(ids, w, FORMAT, ROWS_OF_WEIGHT, COLUMNS),
    ),
]
