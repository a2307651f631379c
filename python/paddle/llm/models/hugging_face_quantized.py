# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Weights of folders in Hugging Face's layout that are quantised: GPTQ, AWQ, and 8-bit floats in blocks.

A matrix W [outputs, inputs] of GPTQ (Frantar et al., 2022) and AWQ (Lin et al., 2023) is W = scale (code - zero), with a scale and a
zero for each output and a group of inputs. Files hold the transposed codes: GPTQ as `qweight` [inputs / n, outputs], n = 32 / bits
codes of an output in an int32, the first one lowest, AWQ as [inputs, outputs / 8], the eight outputs in the order 0 2 4 6 1 3 5 7;
`qzeros` [groups, outputs / n], in GPTQ's first format one less than they are; `scales` [groups, outputs]; and in GPTQ `g_idx`, the group
of each input. 8-bit floats (DeepSeek-AI, "DeepSeek-V3", 2024) have a `weight_scale_inv` for each block of 128 by 128 numbers.
"""

import numpy

from ... import _core
from .weights import FLOAT8, BlockWeight

AWQ_ORDER = (0, 2, 4, 6, 1, 3, 5, 7)
FLOAT8_BLOCK = 128
_COLUMNS = 32  # of a block with one scale


def quantized_tensors(tensors, settings, dequantize=None):
    """The function of a name that gives a Tensor or a BlockWeight, for a folder's function that gives its plain tensors.

    Args:
        tensors: A function of a name that returns a Tensor, or None.
        settings: The dict of config.json; without "quantization_config" `tensors` is returned.
        dequantize: Quantised weights become Tensors of that dtype; None: BlockWeights that are not packed.

    Raises:
        ValueError: The weights are quantised in a way that cannot be read.
    """
    rules = settings.get("quantization_config") or (settings.get("text_config") or {}).get("quantization_config")
    if not rules:
        return tensors
    method = rules.get("quant_method")
    kind = {"gptq": _Gptq, "awq": _Awq, "fp8": _Float8}.get(method if isinstance(method, str) else None)
    if kind is None:
        raise ValueError(f"config.json: the weights are quantised by {method!r}; gptq, awq and fp8 can be read.")
    reader = kind(tensors, rules)

    def read(name):
        found = reader.matrix(name) if name.endswith(".weight") else None
        if found is None:
            return tensors(name)
        return found.blocks(name) if dequantize is None else _core.to_tensor(found.numbers()).astype(dequantize)

    return read


class _Codes:
    """scale (code - zero): codes [outputs, inputs], scales and zeros [outputs, groups], groups [inputs]."""

    def __init__(self, codes, scales, zeros, groups, bits):
        self.codes, self.scales, self.zeros, self.groups, self.bits = codes, scales, zeros, groups, bits

    def numbers(self):
        """float32 [outputs, inputs]."""
        zeros = self.zeros[:, self.groups]
        return (self.codes.astype(numpy.float32) - zeros) * self.scales.astype(numpy.float32)[:, self.groups]

    def blocks(self, name):
        """The BlockWeight: Q4_0 or Q8_0 where all zeros are in the middle, otherwise Q4_1."""
        codes, groups, order = self.codes, self.groups, None
        outputs, inputs = codes.shape
        if (numpy.diff(groups) < 0).any():
            order = numpy.argsort(groups, kind="stable")
            codes, groups = codes[:, order], groups[order]
        first = groups[::_COLUMNS]
        if inputs % _COLUMNS or (groups.reshape(-1, _COLUMNS) != first[:, None]).any():
            raise ValueError(
                f"{name!r} has {inputs} inputs in groups that are no multiples of {_COLUMNS}; load it with dequantize=True."
            )
        scales = self._halves(name, self.scales[:, first])
        middle = 1 << (self.bits - 1)
        is_symmetric = bool((self.zeros == middle).all())
        if self.bits == 8:
            if not is_symmetric:
                raise ValueError(
                    f"{name!r} has zeros of 8 bits that are not 128, which no format of a product holds; load it with "
                    "dequantize=True."
                )
            format, parts = "Q8_0", [(codes ^ 128).reshape(outputs, -1, _COLUMNS)]
        else:
            whole = codes.reshape(outputs, -1, 2, _COLUMNS // 2)
            format, parts = "Q4_0", [whole[:, :, 0] | whole[:, :, 1] << 4]
            if not is_symmetric:
                shift = -self.scales.astype(numpy.float32) * self.zeros
                format, parts = "Q4_1", [_bytes(self._halves(name, shift[:, first])), *parts]
        data = numpy.concatenate([_bytes(scales), *parts], -1).reshape(outputs, -1)
        if order is not None:
            order = _core.to_tensor(order)
        return BlockWeight(_core.to_tensor(data), format, outputs, inputs, order=order)

    @staticmethod
    def _halves(name, values):
        with numpy.errstate(over="ignore"):
            halves = values.astype("<f2")
        if not numpy.isfinite(halves).all():
            raise ValueError(f"{name!r} has scales that float16 does not hold; load it with dequantize=True.")
        return halves


def _bytes(halves):
    """The bytes of numbers, on an axis of their own."""
    return numpy.ascontiguousarray(halves).view(numpy.uint8).reshape(*halves.shape, halves.itemsize)


def _unpacked(words, bits):
    """The codes of int32 [rows, words] from the lowest bits on, uint8 [rows, words * 32 / bits]."""
    count = 32 // bits
    shifts = numpy.arange(count, dtype=numpy.uint32) * bits
    codes = words.view(numpy.uint32)[..., None] >> shifts & numpy.uint32((1 << bits) - 1)
    return codes.astype(numpy.uint8).reshape(len(words), -1)


class _Packed:
    """What GPTQ and AWQ have in common."""

    def __init__(self, tensors, rules):
        self.tensors, self.rules = tensors, rules
        self.group_size = self._whole("group_size", -1)
        self.bits = self._whole("bits", None)

    def _whole(self, key, default):
        found = self.rules.get(key, default)
        if not isinstance(found, int) or isinstance(found, bool):
            raise ValueError(f"config.json: {key!r} of 'quantization_config' is {found!r}; it must be a whole number.")
        return found

    def parts(self, name, rank_of):
        """The arrays of a quantised matrix, or None where it is plain."""
        stem = name.removesuffix("weight")
        if self.tensors(stem + "qweight") is None:
            return None
        found = {}
        for part, rank in rank_of.items():
            tensor = self.tensors(stem + part)
            if tensor is None and part != "g_idx":
                raise ValueError(f"{stem + part!r} is missing; {stem + 'qweight'!r} needs it.")
            if tensor is not None and tensor.ndim != rank:
                raise ValueError(f"{stem + part!r} has shape {list(tensor.shape)}; it must have {rank} dimensions.")
            found[part] = tensor
        for part in ("qweight", "qzeros"):
            if found[part].dtype != _core.int32:
                raise ValueError(f"{stem + part!r} has dtype {found[part].dtype.name}; it must be int32.")
            found[part] = found[part].numpy()
        found["scales"] = found["scales"].astype("float32").numpy()
        return found

    @staticmethod
    def require(name, part, array, shape):
        """ValueError where an array has another shape."""
        if array.shape != tuple(shape):
            raise ValueError(
                f"{name.removesuffix('weight') + part!r} has shape {list(array.shape)}; it must be {list(shape)}."
            )


class _Gptq(_Packed):
    def __init__(self, tensors, rules):
        super().__init__(tensors, rules)
        self._of_bits(self.bits)
        form = rules.get("checkpoint_format", "gptq")
        if form not in ("gptq", "gptq_v2"):
            raise ValueError(f"config.json: 'checkpoint_format' is {form!r}; gptq and gptq_v2 can be read.")
        self.less = 1 if form == "gptq" else 0

    @staticmethod
    def _of_bits(bits):
        if bits not in (4, 8):
            raise ValueError(f"config.json: GPTQ with {bits!r} bits; 4 and 8 can be read.")
        return bits

    def matrix(self, name):
        parts = self.parts(name, {"qweight": 2, "qzeros": 2, "scales": 2, "g_idx": 1})
        if parts is None:
            return None
        words, zeros, scales = parts["qweight"], parts["qzeros"], parts["scales"]
        groups, outputs = scales.shape
        # Some matrices of a file may have other bits than most: the number of words of zeros tells.
        bits = self._of_bits(32 * zeros.shape[1] // outputs if outputs else self.bits)
        inputs = words.shape[0] * 32 // bits
        self.require(name, "qweight", words, (words.shape[0], outputs))
        self.require(name, "qzeros", zeros, (groups, outputs * bits // 32))
        size = inputs if self.group_size == -1 else self.group_size
        own = numpy.arange(inputs) // max(size, 1)
        if parts["g_idx"] is not None:
            own = parts["g_idx"].astype("int64").numpy()
            self.require(name, "g_idx", own, (inputs,))
        if inputs and not (own.min() >= 0 and own.max() < groups):
            raise ValueError(
                f"{name!r} has {groups} groups of scales, and inputs in the groups {own.min()} to {own.max()}."
            )
        # A zero of the first format may be 2^bits, which its bits do not hold and which is stored as 2^bits - 1.
        wide = _unpacked(zeros, bits).astype(numpy.float32) + self.less
        return _Codes(_unpacked(words.T.copy(), bits), scales.T, wide.T, own, bits)


class _Awq(_Packed):
    def __init__(self, tensors, rules):
        super().__init__(tensors, {"bits": rules.get("w_bit"), "group_size": rules.get("q_group_size", -1), **rules})
        if self.bits != 4:
            raise ValueError(f"config.json: AWQ with {self.bits!r} bits; 4 can be read.")
        version = str(rules.get("version", "gemm")).lower()
        if version != "gemm":
            raise ValueError(f"config.json: the version of AWQ is {version!r}; gemm can be read.")

    def matrix(self, name):
        parts = self.parts(name, {"qweight": 2, "qzeros": 2, "scales": 2})
        if parts is None:
            return None
        words, zeros, scales = parts["qweight"], parts["qzeros"], parts["scales"]
        (inputs, columns), groups = words.shape, len(scales)
        self.require(name, "scales", scales, (groups, columns * 8))
        self.require(name, "qzeros", zeros, (groups, columns))
        size = inputs if self.group_size == -1 else self.group_size
        if size < 1 or inputs != groups * size:
            raise ValueError(f"{name!r} has {inputs} inputs and {groups} groups; 'group_size' is {self.group_size}.")
        codes, middles = (self._in_order(array) for array in (words, zeros))
        own = numpy.arange(inputs) // size
        return _Codes(codes.T.copy(), scales.T, middles.astype(numpy.float32).T, own, 4)

    @staticmethod
    def _in_order(words):
        found = _unpacked(words, 4).reshape(len(words), -1, 8)
        return found[..., numpy.argsort(AWQ_ORDER)].reshape(len(words), -1)


class _Float8:
    def __init__(self, tensors, rules):
        self.tensors = tensors
        size = rules.get("weight_block_size")
        if size != [FLOAT8_BLOCK, FLOAT8_BLOCK]:
            raise ValueError(
                f"config.json: 'weight_block_size' is {size!r}; 8-bit floats can be read in blocks of "
                f"{[FLOAT8_BLOCK, FLOAT8_BLOCK]}."
            )

    def matrix(self, name):
        scales = self.tensors(name + "_scale_inv")
        if scales is None:
            return None
        weight = self.tensors(name)
        if weight is None or weight.dtype.name != "float8_e4m3fn" or weight.ndim != 2:
            held = "missing" if weight is None else f"{weight.dtype.name} of shape {list(weight.shape)}"
            raise ValueError(
                f"{name!r} is {held}; with a {name + '_scale_inv'!r} it must be a matrix of float8_e4m3fn."
            )
        shape = [-(-extent // FLOAT8_BLOCK) for extent in weight.shape]
        if list(scales.shape) != shape:
            raise ValueError(f"{name + '_scale_inv'!r} has shape {list(scales.shape)}; it must be {shape}.")
        return _Floats(weight, scales.astype("float32").numpy())


class _Floats:
    """Numbers of float8_e4m3fn, and scales of blocks."""

    def __init__(self, weight, scales):
        self.weight, self.scales = weight, scales

    def _of_rows(self):
        return numpy.repeat(self.scales, FLOAT8_BLOCK, 0)[: self.weight.shape[0]]

    def numbers(self):
        scales = numpy.repeat(self._of_rows(), FLOAT8_BLOCK, 1)[:, : self.weight.shape[1]]
        return self.weight.astype("float32").numpy() * scales

    def blocks(self, name):
        rows, columns = self.weight.shape
        if columns % FLOAT8_BLOCK:
            raise ValueError(
                f"{name!r} has {columns} inputs, no multiple of {FLOAT8_BLOCK}; load it with dequantize=True."
            )
        numbers = self.weight.view("uint8").numpy().reshape(rows, -1, FLOAT8_BLOCK)
        data = numpy.concatenate([numbers, _bytes(self._of_rows().astype("<f4"))], -1).reshape(rows, -1)
        return BlockWeight(_core.to_tensor(data), FLOAT8, rows, columns)
