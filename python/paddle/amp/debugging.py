# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Finding where numbers go wrong: NaN and infinity by operator, and which dtype operators ran in."""

import contextlib
import enum
import functools
import os

from .. import _core, _lazy, _legacy
from ..framework.dtypes import is_floating
from ..framework.flags import get_flags, set_flags
from .accuracy_compare import compare_accuracy

ops = _core.ops

__all__ = [
    "DebugMode",
    "TensorCheckerConfig",
    "check_layer_numerics",
    "check_numerics",
    "collect_operator_stats",
    "compare_accuracy",
    "disable_operator_stats_collection",
    "disable_tensor_checker",
    "enable_operator_stats_collection",
    "enable_tensor_checker",
]
__dir__ = _lazy.listing(__name__)


class DebugMode(enum.Enum):
    """What happens when a NaN or infinity is found."""

    CHECK_NAN_INF_AND_ABORT = 0
    CHECK_NAN_INF = 1
    CHECK_ALL_FOR_OVERFLOW = 2
    CHECK_ALL = 3


class TensorCheckerConfig:
    """What enable_tensor_checker() checks.

    While it is on, each floating result that debug_mode asks for gives a line, `[PRECISION] [ERROR] in [device=cpu,
    op=log, tensor=, dtype=fp32], numel=2, num_nan=0, num_inf=1, num_zero=0, max=..., min=..., mean=...`. A config that
    is enabled seeds the random numbers of paddle, NumPy and Python with the seed of paddle (123 when that is beyond 32
    bits), so that two runs can be compared.

    Args:
        enable: False makes enable_tensor_checker() do nothing.
        debug_mode: CHECK_NAN_INF_AND_ABORT raises at the first result with NaN or infinity; CHECK_NAN_INF writes a
            line for each of them; CHECK_ALL_FOR_OVERFLOW also for float32 results beyond float16; CHECK_ALL for all.
        output_dir: A folder; the lines go to its file `worker_cpu`, and nothing is raised. None: standard output.
        checked_op_list: Names of the operators to check, PaddlePaddle 2's names too; None for all.
        skipped_op_list: Names of operators to leave out.
        debug_step: (first, last): update_and_check_step_id() says True from the first step up to the last.
        stack_height_limit: Lines of the stack to tell; the user's line is given.
    """

    current_step_id = 0

    def __init__(
        self,
        enable,
        debug_mode=DebugMode.CHECK_NAN_INF_AND_ABORT,
        output_dir=None,
        checked_op_list=None,
        skipped_op_list=None,
        debug_step=None,
        stack_height_limit=1,
    ):
        if not isinstance(debug_mode, DebugMode):
            raise AttributeError(f"TensorCheckerConfig: debug_mode has value {debug_mode!r}; it must be a DebugMode.")
        if debug_step is not None:
            if not isinstance(debug_step, (list, tuple)):
                raise ValueError("debug_step must be list or tuple")
            if len(debug_step) != 2 or debug_step[0] >= debug_step[1]:
                raise AssertionError(
                    f"TensorCheckerConfig: debug_step has value {debug_step}; it must be (first, last)."
                )
        self.enable, self.debug_mode, self.output_dir = enable, debug_mode, output_dir
        self.checked_op_list, self.skipped_op_list = checked_op_list, skipped_op_list
        self.debug_step, self.stack_height_limit = debug_step, stack_height_limit
        self.start_step, self.end_step = debug_step if debug_step is not None else (None, None)
        self.seed, self.initial_seed = 123, paddle_seed()
        if enable:
            self._set_seeds()

    def _set_seeds(self):
        import random

        import numpy

        from ..framework.random import seed

        if 0 <= self.initial_seed < 2**32:
            self.seed = self.initial_seed
        for take in (seed, numpy.random.seed, random.seed):
            take(self.seed)

    def update_and_check_step_id(self):
        """Count a step; whether it is one to check."""
        if not self.enable:
            return False
        step = TensorCheckerConfig.current_step_id
        TensorCheckerConfig.current_step_id += 1
        return self.start_step is None or self.start_step <= step < self.end_step

    def start_check_nan_inf(self):
        """Check the results of all operators from here on."""
        file = ""
        if self.output_dir is not None:
            os.makedirs(self.output_dir, exist_ok=True)
            file = os.path.join(self.output_dir, "worker_cpu")
        checked, skipped = (_todays_names(names or ()) for names in (self.checked_op_list, self.skipped_op_list))
        _core.numerics_log(self.debug_mode.value, checked, skipped, file)
        set_flags({"FLAGS_check_nan_inf_level": self.debug_mode.value, "FLAGS_check_nan_inf": True})

    def stop_check_nan_inf(self):
        """End the checks."""
        set_flags({"FLAGS_check_nan_inf": False, "FLAGS_check_nan_inf_level": 0})
        _core.numerics_log()


def paddle_seed():
    """The seed of the random numbers of the CPU."""
    from ..framework.random import get_rng_state

    return get_rng_state()[0][0]


def _todays_names(names):
    """The names of operators, those of PaddlePaddle 2 with the names of today beside them."""
    older = [op for op in dir(ops) if not op.startswith("_") and op not in names and _legacy.old_type(op) in names]
    return [*names, *older]


_checker = None


def enable_tensor_checker(checker_config):
    """Check the results of operators as a TensorCheckerConfig says, if this step is one to check."""
    global _checker
    if checker_config.update_and_check_step_id():
        checker_config.start_check_nan_inf()
    else:
        checker_config.stop_check_nan_inf()
    _checker = checker_config


def disable_tensor_checker():
    """End what enable_tensor_checker() began."""
    global _checker
    if _checker is not None:
        _checker.stop_check_nan_inf()
        _checker = None


_SHORT = {"float16": "fp16", "bfloat16": "bf16", "float32": "fp32", "float64": "fp64"}


def check_numerics(tensor, op_type, var_name, debug_mode=DebugMode.CHECK_NAN_INF_AND_ABORT):
    """Count what is not finite in a tensor.

    Args:
        tensor: A floating tensor.
        op_type, var_name: Names for the message.
        debug_mode: CHECK_NAN_INF_AND_ABORT raises when something is found.

    Returns:
        stats, int64 [number of NaN, of infinities, of zeros], and values, float32 [largest, smallest, mean].

    Raises:
        ValueError: tensor is no Tensor.
        AttributeError: debug_mode is no DebugMode.
        RuntimeError: tensor holds no floating or complex numbers, or there are NaN or infinities and debug_mode says to
            abort.
    """
    if not isinstance(tensor, _core.Tensor):
        raise ValueError(f"check_numerics: tensor has type {type(tensor).__name__}; it must be a Tensor.")
    if not isinstance(debug_mode, DebugMode):
        raise AttributeError(f"check_numerics: debug_mode has value {debug_mode!r}; it must be a DebugMode.")
    if not is_floating(tensor.dtype) and not tensor.dtype.name.startswith("complex"):
        raise RuntimeError(
            f"check_numerics: tensor has dtype {tensor.dtype.name}; it must hold floating or complex numbers."
        )
    counts = [ops.sum(ops.cast(found, _core.int64)) for found in (ops.isnan(tensor), ops.isinf(tensor), tensor == 0)]
    nans, infinities, zeros = (int(c.item()) for c in counts)
    if tensor.size == 0:
        return ops.stack(counts, 0), ops.full([3], 0.0, _core.float32)
    wide = ops.cast(tensor, _core.float32)
    known = wide.masked_select(ops.logical_not(ops.isnan(wide))) if nans else wide
    largest, smallest = (ops.max(known), ops.min(known)) if known.size else (ops.mean(wide), ops.mean(wide))
    values = ops.stack([largest, smallest, ops.mean(wide)], 0)
    what = f"[device=cpu, op={op_type}, tensor={var_name}, dtype={_SHORT.get(tensor.dtype.name, tensor.dtype.name)}]"
    if nans or infinities or debug_mode is DebugMode.CHECK_ALL:
        bad = f"num_nan={nans}, num_inf={infinities}, " if nans or infinities else ""
        numbers = ", ".join(f"{name}={v:e}" for name, v in zip(("max", "min", "mean"), values.tolist(), strict=True))
        mark = "[ERROR] " if bad else ""
        print(f"[PRECISION] {mark}in {what}, numel={tensor.size}, {bad}num_zero={zeros}, {numbers}", flush=True)
    if (nans or infinities) and debug_mode is DebugMode.CHECK_NAN_INF_AND_ABORT:
        raise RuntimeError(f"There are NAN or INF (num_nan={nans}, num_inf={infinities}, num_zero={zeros}) in {what}.")
    return ops.stack(counts, 0), values


def check_layer_numerics(func):
    """Decorate a layer's forward: its first argument, a Tensor, the result of every operator that it calls, and
    the gradient of that argument must be finite.

    Raises:
        RuntimeError: There is no argument, the first one is not a Tensor, or a value is NaN or infinite.
    """

    @functools.wraps(func)
    def forward(self, *args, **kwargs):
        if not args:
            raise RuntimeError("No elements found in args.")
        name, first = f"{type(self).__name__}.forward", args[0]
        if not isinstance(first, _core.Tensor):
            raise RuntimeError(f"{name}: the first argument is a {type(first).__name__}; it must be a Tensor.")
        if first.is_floating_point() or first.is_complex():
            check_numerics(first, name, "input")
            if not first.stop_gradient:
                first = ops.assign(first)
                first.register_hook(lambda gradient: check_numerics(gradient, name, "gradient of input") and None)
        with _results_are_checked():
            return func(self, first, *args[1:], **kwargs)

    return forward


@contextlib.contextmanager
def _results_are_checked():
    """A region in which an operator whose result holds NaN or infinity raises."""
    before = get_flags(["FLAGS_check_nan_inf"])
    set_flags({"FLAGS_check_nan_inf": True})
    try:
        yield
    finally:
        set_flags(before)


_COLUMNS = {"float16": 0, "bfloat16": 1, "float32": 2}
_collecting = None
_counted = {}


def _rows(counts, name_of=str):
    """name of an operator -> its calls in float16, bfloat16, float32 and others."""
    rows = {}
    for (op, dtype), count in counts.items():
        rows.setdefault(name_of(op), [0, 0, 0, 0])[_COLUMNS.get(dtype, 3)] += count
    return rows


def _calls():
    """name of an operator in PaddlePaddle 2 -> its calls 'float16,bfloat16,float32,other' in the last counting."""
    return {op: ",".join(map(str, numbers)) for op, numbers in _rows(_counted, _legacy.old_type).items()}


def enable_operator_stats_collection():
    """Count, from here on, the calls of each operator by the dtype of its result."""
    global _collecting
    if _collecting is None:
        _collecting = {}
        _core.count_operators(True)


def disable_operator_stats_collection():
    """End the counting and print the table."""
    global _collecting
    if _collecting is None:
        return
    _collecting = None
    _counted.clear()
    _counted.update(_core.count_operators(False))
    _print_table(_counted)


@contextlib.contextmanager
def collect_operator_stats():
    """Count the calls of operators in a block by the dtype of their results, and print the table."""
    enable_operator_stats_collection()
    try:
        yield
    finally:
        disable_operator_stats_collection()


def _print_table(counts):
    rows = _rows(counts, _legacy.old_type)
    titles = ("-- FP16 Calls ---", "-- BF16 Calls ---", "--- FP32 Calls---", "-- Other Calls --")
    print("<" + " op list ".center(120, "-") + ">")
    print("<" + " | ".join([" Op Name ".center(40, "-"), *titles]) + ">")
    for op, numbers in sorted(rows.items()):
        cells = [f"  {op}".ljust(42), *(f"  {n}".ljust(19) for n in numbers)]
        print("|".join(cells))
    print("<" + f" op count: {len(rows)} ".center(120, "-") + ">\n")
