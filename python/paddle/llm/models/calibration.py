# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""What the matrices of a decoder are multiplied with on a text, and codes that make the least error there.

Columns of a matrix are rounded one after another, those with the largest inputs first; what rounding one changes in the products is
made good by the columns that follow (GPTQ, Frantar et al., 2022; here scales are found before).
"""

import numpy

from ... import _core, nn
from ...framework.modes import no_grad
from ...tensor.ranges import arange
from .attention import rotation_tables
from .weights import QuantizedLinear

ops = _core.ops
_BLOCK = 128  # columns whose errors reach those behind them together
_DAMPING = 0.01


class Calibration:
    """The second moments of the inputs of every linear layer, of one layer of the decoder after another.

    Args:
        model: A Decoder.
        ids: Tokens, a list of int; they are read in windows of `window`.
        window: Tokens that see each other.
    """

    def __init__(self, model, ids, window=512):
        window = min(window, model.config.max_positions, len(ids))
        if window < 1:
            raise ValueError("Calibration: ids is empty; there must be at least one token.")
        count = len(ids) // window
        self.model, self.layer, self.found = model, -1, {}
        tokens = _core.to_tensor(numpy.asarray(ids[: count * window], "int64").reshape(count, window))
        with no_grad():
            self.states = model.embedding(tokens)
            if model.config.embedding_scale != 1.0:
                self.states = self.states * model.config.embedding_scale
        self.positions = arange(window, dtype="int64").unsqueeze(0)

    def moments(self, path):
        """The mean of x x' over the inputs x of a linear layer, float32 [inputs, inputs]; None for another path.

        Args:
            path: "layers.N....", N never less than in calls before.
        """
        layer = int(path.split(".")[1])
        if layer < self.layer:
            raise ValueError(f"Calibration: layer {layer} is asked for after layer {self.layer}.")
        while self.layer < layer:
            self._advance()
        return self.found.get(path)

    def _advance(self):
        self.layer += 1
        layer = self.model.layers[self.layer]
        sums, hooks = {}, []

        def listen(path, linear):
            def hook(_, inputs):
                x = ops.cast(inputs[0], "float32")
                rows = ops.reshape(x, [-1, x.shape[-1]])
                own = ops.matmul(rows, rows, True, False) / rows.shape[0]
                sums[path] = own if path not in sums else sums[path] + own

            hooks.append(linear.register_forward_pre_hook(hook))

        for name, linear in layer.named_sublayers():
            if isinstance(linear, (nn.Linear, QuantizedLinear)):
                listen(f"layers.{self.layer}.{name}", linear)
        try:
            with no_grad():
                tables = rotation_tables(layer.attention.form.rotary, self.positions, self.states.dtype)
                parts = [layer(one.unsqueeze(0), tables, None) for one in self.states]
        finally:
            for hook in hooks:
                hook.remove()
        self.states = ops.concat(parts, 0)
        self.found = {path: total.numpy() / len(parts) for path, total in sums.items()}


def calibrated_codes(array, moments, scales, zeros, groups, top):
    """Codes of a matrix, uint8 [rows, columns].

    Args:
        array: The matrix, float32 [rows, columns].
        moments: float32 [columns, columns], what `Calibration.moments` gives.
        scales, zeros: float32 [rows, groups].
        groups: The group of each column.
        top: The largest code.
    """
    diagonal = numpy.diagonal(moments)
    order = numpy.argsort(-diagonal, kind="stable")
    left = array[:, order].astype(numpy.float32)
    factors = _factors(moments[numpy.ix_(order, order)].astype(numpy.float64))
    codes = numpy.empty(array.shape, numpy.uint8)
    own = groups[order]
    steps = numpy.where(scales == 0, numpy.float32(1), scales)
    columns = len(order)
    for begin in range(0, columns, _BLOCK):
        end = min(begin + _BLOCK, columns)
        block = numpy.ascontiguousarray(left[:, begin:end].T)  # a column of the matrix is a row here
        errors = numpy.empty_like(block)
        for i in range(begin, end):
            at, step, zero = i - begin, steps[:, own[i]], zeros[:, own[i]]
            code = numpy.clip(numpy.rint(block[at] / step) + zero, 0, top)
            codes[:, order[i]] = code
            errors[at] = (block[at] - (code - zero) * step) / factors[i, i]
            block[at + 1 :] -= factors[i, i + 1 : end, None] * errors[at]
        left[:, end:] -= errors.T @ factors[begin:end, end:]
    return codes


def _factors(moments):
    """The upper triangle U with U' U the inverse, float32; columns that no input reaches are apart from the others."""
    diagonal = numpy.diagonal(moments).copy()
    moments = moments + numpy.diag(numpy.where(diagonal == 0, 1.0, _DAMPING * diagonal.mean()))
    return numpy.linalg.cholesky(numpy.linalg.inv(moments)).T.astype(numpy.float32)
