# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`paddle.static.amp`: lists of operators, dtypes, and the table of a program's dtypes."""

import numpy as np
import paddle
import pytest
from paddle import static
from paddle.static.amp import bf16, debugging, fp16_lists


def test_lists_take_names_of_users():
    lists = fp16_lists.AutoMixedPrecisionLists({"exp"}, {"matmul"}, dtype="bfloat16")
    assert "exp" in lists.white_list and "exp" not in lists.black_list
    assert "matmul" in lists.black_list and "matmul" not in lists.white_list
    low = bf16.AutoMixedPrecisionListsBF16({"exp"}, {"softmax"}, {"w"})
    assert "exp" in low.bf16_list and "softmax" in low.fp32_list and low.fp32_varnames == {"w"}
    for made in (fp16_lists.AutoMixedPrecisionLists, bf16.AutoMixedPrecisionListsBF16):
        with pytest.raises(ValueError, match="are in both lists"):
            made({"a"}, {"a"})


def test_dtypes_of_mixed_precision():
    assert fp16_lists.check_amp_dtype("float16") == "float16"
    assert fp16_lists.get_low_precision_vartype("bfloat16") == paddle.bfloat16
    with pytest.raises(ValueError, match="must be 'float16' or 'bfloat16'"):
        fp16_lists.check_amp_dtype("float32")


def test_bits_of_bfloat16_numbers():
    found = bf16.convert_float_to_uint16(np.array([[1.5, -2.3]], "float32"))
    assert found.dtype == np.uint16 and found.tolist() == [[16320, 49171]]


def test_operators_of_a_program_are_counted_by_dtype(fresh, capsys):
    main, _ = fresh
    x = static.data("x", [2, 3])
    paddle.tanh(x).astype("float16") + 1.0
    debugging.collect_operator_stats(main)
    rows = {line.split()[0]: line.split("|")[1:] for line in capsys.readouterr().out.splitlines() if "|" in line}
    assert [cell.strip() for cell in rows["tanh"]] == ["0", "0", "1", "0"]
    assert [cell.strip() for cell in rows["cast"]] == ["1", "0", "0", "0"]
    with pytest.raises(TypeError):
        debugging.collect_operator_stats("main")
