# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Cases of products with weights that are quantised in blocks, and of the bytes of such weights.

Scales are powers of two times small integers, so that they are exact in float16; the other operand has integers with
127 among each 32, so that rounding it to 8 bits changes nothing.
"""

import numpy as np

from tests.op_cases import Case


def _halves(values):
    return np.asarray(values, "<f2").view("u1").reshape(*np.shape(values), 2)


def q8_0(rng, rows, columns):
    """A float16 scale and 32 int8 numbers a block."""
    blocks = rows, columns // 32
    scale = _halves(2.0 ** rng.integers(-9, -5, blocks))
    return np.concatenate([scale, rng.integers(0, 256, (*blocks, 32), "u1")], -1).reshape(rows, -1)


def q4_k(rng, rows, columns):
    """Scale and scale of minima, 12 bytes of 6-bit factors of both, 128 bytes of two numbers each."""
    blocks = rows, columns // 256
    scales = [_halves(2.0 ** rng.integers(low, low + 3, blocks)) for low in (-12, -11)]
    return np.concatenate([*scales, rng.integers(0, 256, (*blocks, 140), "u1")], -1).reshape(rows, -1)


def f8_e4m3(rng, rows, columns):
    """128 bytes of sign, four bits of exponent and three of mantissa, and a float32 scale a block."""
    blocks = rows, columns // 128
    numbers = rng.integers(0, 256, (*blocks, 128), "u1")
    numbers[numbers & 127 == 127] = 8  # no NaN
    scale = (2.0 ** rng.integers(-12, -8, (*blocks, 1))).astype("<f4").view("u1")
    return np.concatenate([numbers, scale], -1).reshape(rows, -1)


def _numbers(weight, format):
    """The numbers of a weight, written from the description of the formats."""
    rows = len(weight)
    if format == "F8_E4M3":
        blocks = weight.reshape(rows, -1, 132)
        scale = np.ascontiguousarray(blocks[..., 128:]).view("<f4")
        bits = blocks[..., :128].astype("int32")
        exponent, mantissa = bits >> 3 & 15, bits & 7
        size = np.where(exponent, (8 + mantissa) * 2.0 ** (exponent - 10), mantissa * 2.0**-9)
        return (np.where(bits & 128, -size, size) * scale).astype("float32").reshape(rows, -1)
    if format == "Q8_0":
        blocks = weight.reshape(rows, -1, 34)
        scale = np.ascontiguousarray(blocks[..., :2]).view("<f2").astype("float32")
        return (blocks[..., 2:].view("i1") * scale).reshape(rows, -1)
    assert format == "Q4_K"
    blocks = weight.reshape(rows, -1, 144)
    d, m = (np.ascontiguousarray(blocks[..., i : i + 2]).view("<f2").astype("float32") for i in (0, 2))
    packed, q = blocks[..., 4:16], blocks[..., 16:].reshape(rows, -1, 4, 32)
    high = packed[..., 8:]
    s = np.concatenate([packed[..., :4] & 63, (high & 15) | packed[..., :4] >> 6 << 4], -1)
    t = np.concatenate([packed[..., 4:8] & 63, high >> 4 | packed[..., 4:8] >> 6 << 4], -1)
    q = np.stack([q & 15, q >> 4], -2).reshape(rows, -1, 8, 32)
    return (q * (d * s)[..., None] - (m * t)[..., None]).astype("float32").reshape(rows, -1)


def _packed(weight, format):
    """Tiles of 16 rows: for two blocks of 32 columns their scales, then their numbers, four columns of a row after each other."""
    assert format == "Q8_0"
    rows, blocks = len(weight), weight.shape[1] // 34
    whole = np.zeros((-(-rows // 16) * 16, blocks, 34), "u1")
    whole[:rows] = weight.reshape(rows, blocks, 34)
    whole[..., 2:] += 128
    whole[rows:, :, 2:] = 0
    tiles = whole.reshape(-1, 16, blocks, 34)
    scales = tiles[..., :2].transpose(0, 2, 1, 3).reshape(len(tiles), -1, 32)
    scales = np.pad(scales, ((0, 0), (0, blocks % 2), (0, 0))).reshape(len(tiles), -1, 64)
    quads = tiles[..., 2:].reshape(-1, 16, blocks, 8, 4).transpose(0, 2, 3, 1, 4).reshape(len(tiles), blocks, -1)
    pairs = [(scales[:, i], quads[:, 2 * i], quads[:, 2 * i + 1 : 2 * i + 2]) for i in range(scales.shape[1])]
    parts = [part.reshape(len(tiles), -1) for pair in pairs for part in pair]
    return np.concatenate(parts, 1).reshape(-1)


def _written(x, format):
    """Q8_0 and Q5_0: the scale of 32 numbers makes the one of largest magnitude 127, or -16."""
    blocks = x.reshape(len(x), -1, 32).astype("float32")
    largest = np.take_along_axis(blocks, np.abs(blocks).argmax(-1)[..., None], -1)
    scale = np.abs(largest) / np.float32(127) if format == "Q8_0" else largest / np.float32(-16)
    steps = blocks / np.where(scale == 0, 1, scale)
    halves = _halves(scale[..., 0])
    if format == "Q8_0":
        q = (np.sign(steps) * np.floor(np.abs(steps) + 0.5)).astype("i1").view("u1")
        return np.concatenate([halves, q], -1).reshape(len(x), -1)
    q = np.clip(np.round(steps) + 16, 0, 31).astype("u1")
    high = np.packbits(q >> 4, axis=-1, bitorder="little")
    return np.concatenate([halves, high, (q & 15)[..., :16] | q[..., 16:] << 4], -1).reshape(len(x), -1)


def _on_a_grid(rng, rows, columns, weights, low, high, unit):
    """Numbers that Q4_K or Q6_K hold almost without loss: whole ones from low to high times a scale of the group."""
    scale = unit * 2.0 ** rng.integers(-3, 0, (rows, columns // weights, 1))
    scale[:, 0] = unit / 2  # of 256 numbers the largest one
    scale[:, 256 // weights] = unit / 2
    q = rng.integers(low, high + 1, (rows, columns // weights, weights))
    q[..., 0], q[..., 1] = low, high
    return (q * scale).astype("float32").reshape(rows, columns)


def _written_and_read(op, x, format):
    import paddle

    return paddle._C_ops.dequantize_q(op(x=x, format=format), format, *x.shape)


def _exact(rng, rows, columns):
    x = rng.integers(-127, 128, (rows, columns)).astype("float32")
    x[:, ::32] = 127
    return x


def _dequantize(weight, format, rows, columns, **_):
    return _numbers(weight, format)


def _embedding(ids, weight, format, **_):
    return _numbers(weight, format)[ids]


def _product(x, weight, format, bias=None, **_):
    out = x @ _numbers(weight, format).T
    return out if bias is None else out + bias


def _unpacked(args):
    """What a row says of a packed weight is said of the bytes before."""

    def call(op, weight, **others):
        import paddle

        return op(weight=paddle._C_ops.pack_q(weight, others["format"]), packed=True, **others)

    return dict(args=args, call=call)


KINDS = (("Q8_0", q8_0, 96), ("Q4_K", q4_k, 512), ("F8_E4M3", f8_e4m3, 256))
PACKED = ("Q8_0", "Q4_K")
NUMBERS = [
    (
        format,
        columns,
        lambda rng, f=format, make=make, n=columns: dict(weight=make(rng, 20, n), format=f, rows=20, columns=n),
    )
    for format, make, columns in KINDS
]
ROWS_OF = [
    (format, lambda rng, args=args: {"ids": np.array([[3, 0], [19, 3]])} | args(rng)) for format, _, args in NUMBERS
]
PRODUCTS = [
    (
        format,
        lambda rng, f=format, make=make, n=columns: dict(
            x=_exact(rng, 3, n), weight=make(rng, 20, n), bias=rng.standard_normal(20), format=f, rows=20
        ),
    )
    for format, make, columns in KINDS
]


def _expert_product(x, weight, ids, format, experts, rows, **_):
    numbers = _numbers(weight, format).reshape(experts, rows, -1)
    x = np.broadcast_to(x[:, None] if x.ndim == 2 else x, (*ids.shape, x.shape[-1]))
    return np.einsum("tci,tcoi->tco", x, numbers[ids])


def _expert_args(format, make, columns, tokens, shared, rows):
    return lambda rng: dict(
        x=_exact(rng, tokens * (1 if shared else 2), columns).reshape(tokens, *(() if shared else (2,)), columns) / 64,
        weight=make(rng, 3 * rows, columns),
        ids=rng.integers(0, 3, (tokens, 2)),
        format=format,
        experts=3,
        rows=rows,
    )


# One token; several rows of an expert; tiles that are not full.
EXPERTS = [
    (f"{format}, {tokens} tokens", _expert_args(format, make, columns, tokens, tokens != 2, rows))
    for format, make, columns in (("Q8_0", q8_0, 64), ("Q4_K", q4_k, 256), ("F8_E4M3", f8_e4m3, 128))
    for tokens, rows in ((1, 32), (2, 20), (3, 16))
]


def _codes(rng, inputs, outputs, bits):
    """Codes [inputs, outputs], and the bytes in which weight_quantize holds them for arch 75 and later."""
    codes = rng.integers(-(2 ** (bits - 1)) + 1, 2 ** (bits - 1), (inputs, outputs))
    columns, order = 16 // bits, []
    for column in range(0, outputs, columns):
        for tile in range(0, inputs, 64):
            for inner in range(columns):
                for block in range(tile, tile + 64, 8 * columns):
                    order += [
                        codes[block + 8 * lane + row, column + inner] for row in range(8) for lane in range(columns)
                    ]
    stored = np.array(order) + 2 ** (bits - 1)
    stored = stored if bits == 8 else stored[::2] + 16 * stored[1::2]
    return codes, stored.astype("u1").view("i1").reshape(-1, inputs)


def _code_args(bits, groups, product):
    def args(rng):
        codes, stored = _codes(rng, 128, 32, bits)
        scale = (2.0 ** rng.integers(-7, -3, (groups, 32))).astype("float32")
        found = dict(codes=stored, scale=scale, bits=bits)
        return found | dict(x=_exact(rng, 6, 128), bias=rng.standard_normal(32)) if product else found

    return args


def _with_scale(op, scale, **others):
    """Scales are float32 whatever the dtype of x is."""
    return op(scale=scale.astype("float32"), **others)


def _code_values(codes, scale, bits=8, **_):
    """By the place of each code in memory."""
    inputs, outputs = codes.shape[1], scale.shape[1]
    stored = codes.view("u1").astype("int32").reshape(-1)
    if bits == 4:
        stored = np.stack([stored & 15, stored >> 4], -1).reshape(-1)
    lanes = 16 // bits
    # Outputs in groups, tiles of 64 inputs, output in its group, blocks of 8 lanes, row, lane.
    order = (stored - 2 ** (bits - 1)).reshape(outputs // lanes, inputs // 64, lanes, 8 // lanes, 8, lanes)
    found = order.transpose(1, 3, 5, 4, 0, 2).reshape(inputs, outputs)
    return (found * np.repeat(scale, inputs // len(scale), 0)).astype("float32")


def _code_product(x, codes, scale, bias=None, bits=8):
    out = x @ _code_values(codes, scale, bits)
    return out if bias is None else out + bias


def _int8_args(rng, inputs=75, rows=6):
    """Rows with an outlier in one column; the others are whole multiples of a power of two, and their largest is 127."""
    x = rng.integers(-126, 127, (2, rows // 2, inputs)).astype("float32") / 64
    x[..., 0] = 127 / 64
    x[0, 0, 7] = -20.0
    return dict(
        x=x,
        codes=rng.integers(-127, 128, (16, inputs)).astype("int8"),
        scale=rng.uniform(0.01, 0.02, 16).astype("float32"),
        bias=rng.standard_normal(16),
        threshold=6.0,
    )


def _int8_product(x, codes, scale, bias, threshold):
    return x @ (codes * scale[:, None]).T + bias


CODES = [(bits, groups) for bits in (8, 4) for groups in (1, 2)]

CASES = [
    *(
        Case("dequantize_codes", _code_args(bits, groups, False), _code_values, id=f"int{bits}-{groups}")
        for bits, groups in CODES
    ),
    *(
        Case(
            "matmul_codes",
            _code_args(bits, groups, True),
            _code_product,
            call=_with_scale,
            dtypes=("float32", "float16", "bfloat16"),
            grad=("x", "bias"),
            grad_order=2,
            id=f"int{bits}-{groups}",
            rtol=1e-5,
            atol=1e-3,
        )
        for bits, groups in CODES
    ),
    *(
        Case(
            "matmul_int8",
            lambda rng, n=n: _int8_args(rng, rows=n),
            _int8_product,
            call=_with_scale,
            dtypes=("float32", "float16", "bfloat16"),
            id=f"{n} rows",
            rtol=1e-5,
            atol=1e-4,
        )
        for n in (6, 40)
    ),
    *(Case("dequantize_q", args, _dequantize, id=f) for f, _, args in NUMBERS),
    *(
        Case("dequantize_q", **_unpacked(args), ref=_dequantize, id=f"{f}-packed")
        for f, _, args in NUMBERS
        if f in PACKED
    ),
    *(
        Case(
            "quantize_q",
            lambda rng, f=f: dict(x=rng.standard_normal((5, 96)).astype("float32"), format=f),
            _written,
            dtypes=("float32",),
            id=f,
        )
        for f in ("Q8_0", "Q5_0")
    ),
    Case(
        "quantize_q",
        lambda rng: dict(x=_on_a_grid(rng, 3, 512, 32, 0, 15, 63 / 64), format="Q4_K"),
        lambda x, format: x,
        call=_written_and_read,
        dtypes=("float32",),
        id="Q4_K",
        rtol=0.02,
        atol=2e-3,
    ),
    Case(
        "quantize_q",
        lambda rng: dict(x=_on_a_grid(rng, 3, 512, 16, -32, 31, 1), format="Q6_K"),
        lambda x, format: x,
        call=_written_and_read,
        dtypes=("float32",),
        id="Q6_K",
        rtol=1e-6,
    ),
    Case("pack_q", lambda rng: dict(weight=q8_0(rng, 20, 96), format="Q8_0"), _packed),
    *(Case("embedding_q", args, _embedding, id=f) for f, args in ROWS_OF),
    *(Case("embedding_q", **_unpacked(args), ref=_embedding, id=f"{f}-packed") for f, args in ROWS_OF if f in PACKED),
    *(
        Case(
            "matmul_q",
            args,
            _product,
            dtypes=("float32", "float16", "bfloat16"),
            grad=("x", "bias"),
            grad_order=2,
            id=f,
            rtol=1e-5,
            atol=1e-3,
        )
        for f, args in PRODUCTS
    ),
    *(
        Case("matmul_q", **_unpacked(args), ref=_product, grad=("x",), grad_order=1, id=f"{f}-packed", atol=1e-3)
        for f, args in PRODUCTS
        if f in PACKED
    ),
    *(
        Case(
            "expert_matmul_q",
            args,
            _expert_product,
            dtypes=("float32", "float16", "bfloat16"),
            grad=("x",),
            grad_order=2,
            id=id,
            rtol=1e-5,
            atol=1e-3,
        )
        for id, args in EXPERTS
    ),
    *(
        Case(
            "expert_matmul_q",
            **_unpacked(args),
            ref=_expert_product,
            grad=("x",),
            grad_order=1,
            id=f"{id}, packed",
            atol=1e-3,
        )
        for id, args in EXPERTS
        if "2 tokens" not in id and id.split(",")[0] in PACKED
    ),
]
