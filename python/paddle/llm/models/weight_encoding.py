# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Matrices quantised as folders hold them: GPTQ's form of 4 and 8 bits, and 8-bit floats in blocks.

The scale of a group is the best of some by the squared error, in which large numbers count more. Codes are the nearest ones, or, where
the inputs of a matrix are known, those that make the least error in products.
"""

import functools

import numpy

from ..formats.stored import StoredTensor
from .calibration import calibrated_codes
from .hugging_face_quantized import FLOAT8_BLOCK

_ROWS = 4096  # that are worked on at once
_LARGEST_FLOAT8 = 448.0
# Parts of the range of a group that its codes span.
_SPANS = {4: numpy.linspace(0.75, 1.0, 11), 8: (1.0,)}


def gptq_fits(shape, bits, group_size):
    """Whether a matrix of this shape can be held."""
    return len(shape) == 2 and shape[1] % group_size == 0 and shape[0] % (32 // bits) == 0


def gptq_tensors(name, weight, bits, group_size, zero_points, less, moments=None):
    """StoredTensors of a StoredWeight [outputs, inputs], by the names of the file.

    Args:
        name: Its name there, `....weight`.
        weight: The StoredWeight.
        bits: 4 or 8.
        group_size: Inputs with one scale.
        zero_points: Whether a group has a zero of its own; otherwise it is in the middle.
        less: Zeros are stored less this: 1 in the first form, 0 in the second.
        moments: None, or a function that gives the mean of x x' over the inputs x, or None.
    """
    stem = name.removesuffix("weight")
    (outputs, inputs), count = weight.shape, 32 // bits
    groups = inputs // group_size

    # The tensors are written one after another; what they are made of lives as long as one of these functions.
    @functools.lru_cache(1)
    def encoded():
        array = weight.read()
        parts = [_encode(array[i : i + _ROWS], bits, group_size, zero_points) for i in range(0, max(outputs, 1), _ROWS)]
        codes, scales, zeros = (numpy.concatenate(part) for part in zip(*parts, strict=True))
        known = None if moments is None else moments()
        if known is not None:
            own = numpy.arange(inputs) // group_size
            wide = scales.astype(numpy.float32), zeros.astype(numpy.float32)
            codes = calibrated_codes(array, known, *wide, own, (1 << bits) - 1)
        return codes, scales, zeros

    def numbers_of_groups():
        encoded.cache_clear()
        return numpy.arange(inputs, dtype="<i4") // numpy.int32(group_size)

    def zeros():
        found = encoded()[2].T - numpy.uint8(less)
        return _packed(numpy.ascontiguousarray(found), bits)

    return {
        stem + "qweight": StoredTensor("int32", (inputs // count, outputs), lambda: _packed(encoded()[0], bits).T),
        stem + "qzeros": StoredTensor("int32", (groups, outputs // count), zeros),
        stem + "scales": StoredTensor("float16", (groups, outputs), lambda: encoded()[1].T),
        stem + "g_idx": StoredTensor("int32", (inputs,), numbers_of_groups),
    }


def gptq_rules(bits, group_size, zero_points, head_bits):
    """The object `quantization_config` of config.json; head_bits: of the embedding and the head, None where they are plain."""
    rules = {
        "quant_method": "gptq",
        "bits": bits,
        "group_size": group_size,
        "sym": not zero_points,
        "desc_act": False,
        # The first form holds a zero less one, so that it has no zero of 0.
        "checkpoint_format": "gptq_v2" if zero_points else "gptq",
        "lm_head": head_bits is not None,
    }
    if head_bits is not None:
        rules["dynamic"] = {"+:.*(embed_tokens|lm_head).*": {"bits": head_bits, "sym": True}}
    return rules


def _packed(codes, bits):
    """uint8 [rows, columns] as int32 [rows, columns * bits / 32], the first code lowest."""
    count = 32 // bits
    words = codes.reshape(len(codes), -1, count).astype(numpy.uint32)
    shifts = numpy.arange(count, dtype=numpy.uint32) * numpy.uint32(bits)
    return numpy.bitwise_or.reduce(words << shifts, -1).astype("<u4").view("<i4")


def _encode(array, bits, group_size, zero_points):
    """(codes uint8 [rows, columns], float16 scales [rows, groups], zeros uint8 [rows, groups])."""
    rows, columns = array.shape
    values = array.reshape(rows, -1, group_size)
    weights = numpy.abs(values) + numpy.sqrt((values * values).mean(-1, keepdims=True))
    best = None
    for span in _SPANS[bits]:
        codes, scale, zero = _attempt(values, bits, numpy.float32(span), zero_points)
        error = (codes - zero) * scale.astype(numpy.float32) - values
        error = (weights * error * error).sum(-1, keepdims=True)
        found = codes.astype(numpy.uint8), scale, zero.astype(numpy.uint8)
        if best is None:
            least, best = error, found
        else:
            better = error < least
            least = numpy.where(better, error, least)
            best = [numpy.where(better, new, old) for new, old in zip(found, best, strict=True)]
    codes, scale, zero = best
    return codes.reshape(rows, columns), scale[..., 0], zero[..., 0]


def _attempt(values, bits, span, zero_points):
    top = (1 << bits) - 1
    if zero_points:
        low = numpy.minimum(values.min(-1, keepdims=True), 0) * span
        scale = (numpy.maximum(values.max(-1, keepdims=True), 0) * span - low) / top
    else:
        scale = numpy.abs(values).max(-1, keepdims=True) * span / (top // 2)
    scale = scale.astype("<f2")
    wide = scale.astype(numpy.float32)
    wide = numpy.where(wide == 0, 1, wide)
    zero = numpy.clip(numpy.rint(-low / wide), 0, top) if zero_points else numpy.full_like(wide, (top + 1) // 2)
    return numpy.clip(numpy.rint(values / wide) + zero, 0, top), scale, zero


def float8_fits(shape):
    """Whether a matrix of this shape can be held."""
    return len(shape) == 2 and shape[1] % FLOAT8_BLOCK == 0


def float8_tensors(name, weight):
    """StoredTensors of a StoredWeight [outputs, inputs], by the names of the file."""
    outputs, inputs = weight.shape
    blocks = -(-outputs // FLOAT8_BLOCK), inputs // FLOAT8_BLOCK

    @functools.lru_cache(1)
    def encoded():
        from ... import _core

        array = weight.read()
        whole = numpy.zeros((blocks[0] * FLOAT8_BLOCK, inputs), numpy.float32)
        whole[:outputs] = array
        tiles = whole.reshape(blocks[0], FLOAT8_BLOCK, blocks[1], FLOAT8_BLOCK)
        scale = numpy.abs(tiles).max((1, 3)) / numpy.float32(_LARGEST_FLOAT8)
        scale = numpy.where(scale == 0, numpy.float32(1), scale)
        tiles /= scale[:, None, :, None]
        numpy.clip(tiles, -_LARGEST_FLOAT8, _LARGEST_FLOAT8, out=tiles)
        numbers = _core.to_tensor(whole[:outputs]).astype("float8_e4m3fn")
        return numbers.view("uint8").numpy(), scale

    def scales():
        found = encoded()[1]
        encoded.cache_clear()
        return found

    return {
        name: StoredTensor("float8_e4m3fn", (outputs, inputs), lambda: encoded()[0]),
        name + "_scale_inv": StoredTensor("float32", blocks, scales),
    }


def float8_rules():
    """The object `quantization_config` of config.json."""
    return {
        "quant_method": "fp8",
        "fmt": "e4m3",
        "activation_scheme": "dynamic",
        "weight_block_size": [FLOAT8_BLOCK, FLOAT8_BLOCK],
    }


def plain_tensor(weight, dtype):
    """The StoredTensor of a StoredWeight in float32, float16 or bfloat16."""

    def read():
        array = weight.read()
        if dtype != "bfloat16":
            return array.astype(numpy.dtype(dtype).newbyteorder("<"))
        from ... import _core

        return _core.to_tensor(numpy.ascontiguousarray(array)).astype("bfloat16").numpy()

    return StoredTensor(dtype, weight.shape, read)
