# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Two logs of numbers side by side: what `enable_tensor_checker` wrote in float32 and in a narrower dtype."""

import collections
import math
import os
import re

from . import spreadsheet

_LINE = re.compile(
    r"\[PRECISION\] (?:\[ERROR\] )?in \[device=(?P<device>[^,]*), op=(?P<op>[^,]*), tensor=(?P<tensor>[^,]*), "
    r"dtype=(?P<dtype>[^\]]*)\], numel=(?P<numel>\d+), (?:num_nan=(?P<nan>\d+), num_inf=(?P<inf>\d+), )?"
    r"num_zero=(?P<zero>\d+), max=(?P<max>\S+), min=(?P<min>\S+), mean=(?P<mean>\S+)"
)
_COLUMNS = ["dtype", "max_value", "min_value", "mean_value", "num_zero"]
_RATIOS = ["max_value", "min_value", "mean_value"]

Numbers = collections.namedtuple("Numbers", "op tensor dtype numel num_nan num_inf num_zero largest smallest mean")


def parse(path):
    """The results that a log tells of: {(operator, name): Numbers}; the name counts results of one operator.

    Args:
        path: A file that `enable_tensor_checker` wrote. Other lines in it are left out.
    """
    found, seen = {}, collections.Counter()
    with open(path, encoding="utf8") as file:
        for match in filter(None, map(_LINE.search, file)):
            op, tensor = match["op"], match["tensor"]
            name = f"{tensor}#{seen[op, tensor]}"
            seen[op, tensor] += 1
            counts = (int(match[part] or 0) for part in ("numel", "nan", "inf", "zero"))
            values = (float(match[part].rstrip(",")) for part in ("max", "min", "mean"))
            found[op, name] = Numbers(op, name, match["dtype"], *counts, *values)
    return found


def _text(value):
    return f"{value:.6f}" if not math.isfinite(value) or abs(value) >= 1e-4 else f"{value:.6E}"


def _ratio(value, base):
    if value == base:
        return "1.000000"
    if base == 0:
        return "nan" if value == 0 or math.isnan(value) else "inf"
    return f"{value / base:.6f}"


def _columns(numbers):
    if numbers is None:
        return ["--"] * len(_COLUMNS)
    values = [_text(v) for v in (numbers.largest, numbers.smallest, numbers.mean)]
    return [numbers.dtype, *values, f"{numbers.num_zero:>10}"]


def _row(wide, narrow):
    """One row: of both results, or of the only one."""
    known = narrow if wide is None else wide
    either = [n for n in (wide, narrow) if n is not None]
    infinite = "1" if any(n.num_nan or n.num_inf for n in either) else "0"
    counts = ["--", "--"]
    if narrow is not None and (narrow.num_inf or narrow.num_nan):
        counts = [narrow.num_inf, narrow.num_nan]
    ratios = ["--"] * len(_RATIOS)
    if len(either) == 2:
        pairs = (narrow.largest, wide.largest), (narrow.smallest, wide.smallest), (narrow.mean, wide.mean)
        ratios = [_ratio(*pair) for pair in pairs]
    name = known.tensor if len(either) == 2 else ""
    return [known.op, name, known.numel, infinite, *_columns(wide), *_columns(narrow), *counts, *ratios]


def _sheet(wide, narrow, loss_scale):
    groups = ["fp32", *[""] * 4, f"fp16 (scale={loss_scale})", *[""] * 6, "fp16 / fp32"]
    rows = [["", "", "", "", *groups]]
    rows.append(["op_type", "tensor_name", "numel", "infinite", *_COLUMNS, *_COLUMNS, "num_inf", "num_nan", *_RATIOS])
    rows += [_row(wide.get(key), numbers) for key, numbers in narrow.items()]
    rows += [_row(numbers, None) for key, numbers in wide.items() if key not in narrow]
    return rows


def compare_accuracy(dump_path, another_dump_path, output_filename, loss_scale=1, dump_all_tensors=False):
    """Write a spreadsheet of the numbers in two folders that `enable_tensor_checker` filled.

    Results are matched by operator and by how often it was called before. A sheet is one log file, a row one result:
    operator, number of the call, elements, whether there is NaN or infinity; dtype, maximum, minimum, mean and zeros
    of both; infinities and NaN of the second; the second's numbers divided by the first's.

    Args:
        dump_path: The folder of the run in float32, `output_dir` of its TensorCheckerConfig.
        another_dump_path: The folder of the run in float16 or bfloat16.
        output_filename: The spreadsheet, `.xlsx`.
        loss_scale: The loss scale of the second run, for the heading.
        dump_all_tensors: Must be False: the logs hold no values.

    Raises:
        AssertionError: `dump_all_tensors` is True.
        FileNotFoundError: A folder is not there, or the second has no log of a name in the first.
    """
    if dump_all_tensors:
        raise AssertionError("compare_accuracy: dump_all_tensors is True; only False is available.")
    names = sorted(name for name in os.listdir(dump_path) if name.startswith("worker_"))
    sheets = {}
    for name in names:
        logs = (parse(os.path.join(folder, name)) for folder in (dump_path, another_dump_path))
        sheets[name] = _sheet(*logs, loss_scale)
    if not sheets:
        raise FileNotFoundError(f"compare_accuracy: {dump_path} holds no file worker_*; run with output_dir first.")
    spreadsheet.write(output_filename, sheets)
