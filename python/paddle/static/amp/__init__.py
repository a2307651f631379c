# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Mixed precision in static programs. Programs compute in the dtypes that they were recorded in
(`paddle.amp.auto_cast` records 16-bit ones); what `decorate` adds is loss scaling."""

from ... import _core, _lazy, _paths
from ...framework import modes
from ...utils import unique_name
from ..program import name_scope
from ..state import create_global_var
from .lists import (
    AutoMixedPrecisionLists,
    check_amp_dtype,
    get_low_precision_dtypestr,
    get_low_precision_vartype,
)


def fp16_guard():
    """Context manager: marks calls that may run in float16 when `use_fp16_guard` is on.

    Example:
        >>> import paddle
        >>> with paddle.static.amp.fp16_guard():
        ...     y = paddle.ones([2]) * 2
    """
    return name_scope("__use_fp16__")


CustomOpLists = AutoMixedPrecisionLists


class OptimizerWithMixedPrecision:
    """An optimizer whose loss is scaled, and which leaves out steps with gradients that are not finite."""

    def __init__(self, optimizer, lists, scale, dynamic, every, less_every, up, down):
        self._optimizer, self._amp_lists, self._dynamic = optimizer, lists, dynamic
        self._every, self._less_every, self._up, self._down = every, less_every, up, down
        self._initial, self._loss_scaling, self._scaled_loss = scale, None, None

    def __getattr__(self, name):
        return getattr(self._optimizer, name)

    def get_loss_scaling(self):
        """The variable of the scale."""
        return self._loss_scaling

    def get_scaled_loss(self):
        """The variable of the scaled loss."""
        return self._scaled_loss

    def amp_init(self, place, scope=None, test_program=None, use_fp16_test=False, rewrite_master_weight=False):
        """Kept for programs that cast parameters here; they have their dtypes already.

        Args:
            place: The device.
            scope: The Scope of the parameters.
            test_program: A program for inference.
            use_fp16_test: Whether it runs in float16.
            rewrite_master_weight: Whether float32 copies of parameters are made anew.
        """

    def backward(self, loss, startup_program=None, parameter_list=None, no_grad_set=None, callbacks=None):
        """The (parameter, gradient) pairs of the scaled loss, appended to the program."""
        if self._loss_scaling is None:
            names = [unique_name.generate(n) for n in ("loss_scaling", "num_good_steps", "num_bad_steps")]
            self._loss_scaling = create_global_var([1], self._initial, "float32", True, name=names[0])
            self._good = create_global_var([1], 0, "int32", True, name=names[1])
            self._bad = create_global_var([1], 0, "int32", True, name=names[2])
        self._scaled_loss = loss * self._loss_scaling.astype(loss.dtype).reshape(loss.shape)
        return self._optimizer.backward(self._scaled_loss, startup_program, parameter_list, no_grad_set, callbacks)

    def apply_gradients(self, params_grads):
        """Append the step: unscaled gradients, zeros where one of them is not finite, and the next scale."""
        with modes.no_grad():
            finite = None
            for _, gradient in params_grads:
                here = _core.ops.isfinite(gradient).all()
                finite = here if finite is None else _core.ops.logical_and(finite, here)
            scale = self._loss_scaling
            pairs = []
            for parameter, gradient in params_grads:
                plain = gradient / scale.astype(gradient.dtype)
                pairs.append((parameter, _core.ops.where(finite, plain, _core.ops.full_like(plain, 0.0))))
            if self._dynamic:
                self._move_scale(finite)
        return self._optimizer.apply_gradients(pairs)

    def _move_scale(self, finite):
        ops, scale, good, bad = _core.ops, self._loss_scaling, self._good, self._bad
        zero = ops.full_like(good, 0)
        next_good, next_bad = ops.where(finite, good + 1, zero), ops.where(finite, zero, bad + 1)
        grow, shrink = next_good >= self._every, next_bad >= self._less_every
        moved = ops.where(grow, scale * self._up, ops.where(shrink, (scale * self._down).clip(1.0), scale))
        for target, value in (
            (scale, moved),
            (good, ops.where(grow, zero, next_good)),
            (bad, ops.where(shrink, zero, next_bad)),
        ):
            _core.assign_inplace(target, value, "assign")

    def apply_optimize(self, loss, startup_program, params_grads):
        """`apply_gradients`."""
        return self.apply_gradients(params_grads)

    def minimize(self, loss, startup_program=None, parameter_list=None, no_grad_set=None):
        """Append gradients and step to the program; returns the step's operators and the pairs."""
        pairs = self.backward(loss, startup_program, parameter_list, no_grad_set)
        return self.apply_gradients(pairs), pairs


def decorate(
    optimizer,
    amp_lists=None,
    level="O1",
    dtype="float16",
    master_weight=None,
    master_grad=False,
    init_loss_scaling=2**15,
    incr_every_n_steps=1000,
    decr_every_n_nan_or_inf=2,
    incr_ratio=2.0,
    decr_ratio=0.8,
    use_dynamic_loss_scaling=None,
    use_amp_guard=False,
    use_promote=False,
):
    """The optimizer with loss scaling.

    Args:
        optimizer: An optimizer.
        amp_lists: AutoMixedPrecisionLists.
        level: 'O0', 'O1' or 'O2'.
        dtype: 'float16' or 'bfloat16'.
        master_weight: Kept for older programs; optimizers of 16-bit parameters take `multi_precision`.
        master_grad: Kept for older programs.
        init_loss_scaling: The first scale.
        incr_every_n_steps: Good steps after which the scale grows.
        decr_every_n_nan_or_inf: Bad steps after which it shrinks.
        incr_ratio: Factor of growth.
        decr_ratio: Factor of shrinking.
        use_dynamic_loss_scaling: Whether the scale moves; None: with float16.
        use_amp_guard: Kept for older programs.
        use_promote: Kept for older programs.
    """
    if level not in ("O0", "OD", "O1", "O2"):
        raise ValueError(f"static.amp.decorate: level has value {level!r}; it must be 'O0', 'OD', 'O1' or 'O2'.")
    dynamic = dtype == "float16" if use_dynamic_loss_scaling is None else bool(use_dynamic_loss_scaling)
    scale = float(init_loss_scaling) if dtype == "float16" else 1.0
    return OptimizerWithMixedPrecision(
        optimizer,
        amp_lists or AutoMixedPrecisionLists(dtype=dtype),
        scale,
        dynamic,
        incr_every_n_steps,
        decr_every_n_nan_or_inf,
        incr_ratio,
        decr_ratio,
    )


__getattr__ = _lazy.attribute_hook(
    __name__,
    ("bf16", "debugging", "lists"),
    {
        "bf16_guard": ("paddle.static.amp.bf16", "bf16_guard"),
        "decorate_bf16": ("paddle.static.amp.bf16", "decorate_bf16"),
        **{
            name: ("paddle.static.amp.lists", name)
            for name in ("FP16_WHITE_LIST", "FP16_BLACK_LIST", "_get_white_list", "_get_black_list")
        },
    },
)
_paths.attach(__name__)
