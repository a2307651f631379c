# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Finding where numbers go wrong: NaN and infinity by operator, and which dtype operators ran in."""

import contextlib
import enum
import functools

from .. import _core
from ..framework.flags import set_flags

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


class DebugMode(enum.Enum):
    """What happens when a NaN or infinity is found."""

    CHECK_NAN_INF_AND_ABORT = 0
    CHECK_NAN_INF = 1
    CHECK_ALL_FOR_OVERFLOW = 2
    CHECK_ALL = 3


class TensorCheckerConfig:
    """What enable_tensor_checker() checks.

    Args:
        enable: False makes enable_tensor_checker() do nothing.
        debug_mode: CHECK_NAN_INF_AND_ABORT raises at the first bad result; the others warn.
        output_dir: Must be None: what is found is raised or warned.
        checked_op_list, skipped_op_list: Must be None: every operator is checked.
        debug_step: (first, last): update_and_check_step_id() says True from the first step up to the last.
        stack_height_limit: Lines of the stack to tell; the user's line is told.
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
        for label, value in (
            ("output_dir", output_dir),
            ("checked_op_list", checked_op_list),
            ("skipped_op_list", skipped_op_list),
        ):
            if value is not None:
                raise NotImplementedError(f"TensorCheckerConfig: {label} is {value!r}; only None is available.")
        if not isinstance(debug_mode, DebugMode):
            raise AttributeError(f"TensorCheckerConfig: debug_mode is {debug_mode!r}; it must be a DebugMode.")
        if debug_step is not None:
            if not isinstance(debug_step, (list, tuple)):
                raise ValueError("debug_step must be list or tuple")
            if len(debug_step) != 2 or debug_step[0] >= debug_step[1]:
                raise ValueError(f"TensorCheckerConfig: debug_step is {debug_step}; it must be (first, last).")
        self.enable, self.debug_mode, self.output_dir = enable, debug_mode, output_dir
        self.checked_op_list, self.skipped_op_list = checked_op_list, skipped_op_list
        self.debug_step, self.stack_height_limit = debug_step, stack_height_limit
        self.start_step, self.end_step = debug_step if debug_step is not None else (None, None)

    def update_and_check_step_id(self):
        """Count a step; whether it is one to check."""
        if not self.enable:
            return False
        step = TensorCheckerConfig.current_step_id
        TensorCheckerConfig.current_step_id += 1
        return self.start_step is None or self.start_step <= step < self.end_step

    def start_check_nan_inf(self):
        """Check the results of all operators from here on."""
        set_flags({"FLAGS_check_nan_inf_level": self.debug_mode.value, "FLAGS_check_nan_inf": True})

    def stop_check_nan_inf(self):
        """End the checks."""
        set_flags({"FLAGS_check_nan_inf": False, "FLAGS_check_nan_inf_level": 0})


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


def check_numerics(tensor, op_type, var_name, debug_mode=DebugMode.CHECK_NAN_INF_AND_ABORT):
    """Count what is not finite in a tensor.

    Args:
        tensor: A floating tensor.
        op_type, var_name: Names for the message.
        debug_mode: CHECK_NAN_INF_AND_ABORT raises when something is found.

    Returns:
        stats, int64 [number of NaN, of infinities, of zeros], and values, float32 [largest, smallest, mean].

    Raises:
        RuntimeError: There are NaN or infinities, and debug_mode says to abort.
    """
    counts = [ops.sum(ops.cast(found, _core.int64)) for found in (ops.isnan(tensor), ops.isinf(tensor), tensor == 0)]
    nans, infinities, zeros = (int(c.item()) for c in counts)
    if (nans or infinities) and debug_mode is DebugMode.CHECK_NAN_INF_AND_ABORT:
        raise RuntimeError(
            f"There are NAN or INF (num_nan={nans}, num_inf={infinities}, num_zero={zeros}) in "
            f"[device={tensor.place}, op={op_type}, tensor={var_name}, dtype={tensor.dtype.name}]."
        )
    wide = ops.cast(tensor, _core.float32)
    known = wide.masked_select(ops.logical_not(ops.isnan(wide))) if nans else wide
    largest, smallest = (ops.max(known), ops.min(known)) if known.size else (ops.mean(wide), ops.mean(wide))
    return ops.stack(counts, 0), ops.stack([largest, smallest, ops.mean(wide)], 0)


def check_layer_numerics(func):
    """Decorate a layer's forward: its first input and its results must be finite."""

    @functools.wraps(func)
    def forward(self, *args, **kwargs):
        if not args:
            raise RuntimeError("No elements found in args.")
        name = type(self).__name__
        given = args[0]
        if isinstance(given, _core.Tensor):
            check_numerics(given, f"{name}.forward", "input")
        results = func(self, *args, **kwargs)
        for i, result in enumerate(results if isinstance(results, (list, tuple)) else [results]):
            if isinstance(result, _core.Tensor):
                check_numerics(result, f"{name}.forward", f"output {i}")
        return results

    return forward


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
    from ..static.old_view import old_type

    return {op: ",".join(map(str, numbers)) for op, numbers in _rows(_counted, old_type).items()}


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
    rows = _rows(counts)
    titles = ("-- FP16 Calls ---", "-- BF16 Calls ---", "--- FP32 Calls---", "-- Other Calls --")
    print("<" + " op list ".center(120, "-") + ">")
    print("<" + " | ".join([" Op Name ".center(40, "-"), *titles]) + ">")
    for op, numbers in sorted(rows.items()):
        cells = [f"  {op}".ljust(42), *(f"  {n}".ljust(19) for n in numbers)]
        print("|".join(cells))
    print("<" + f" op count: {len(rows)} ".center(120, "-") + ">\n")


def compare_accuracy(dump_path, another_dump_path, output_filename, loss_scale=1, dump_all_tensors=False):
    """NotImplementedError: checks raise or warn, they write no files that could be compared."""
    raise NotImplementedError(
        "compare_accuracy: the tensor checker of this package writes no files; compare state_dict() or outputs with numpy."
    )
