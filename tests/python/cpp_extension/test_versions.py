# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Libraries that were built against an older version of the binary interface."""

import os
import subprocess
from pathlib import Path

import numpy as np
import paddle
from paddle.utils.cpp_extension import operators

SOURCE = Path(__file__).parent / "version_1.c"


def test_a_library_of_version_1_is_loaded_and_gets_no_more_than_it_knows(tmp_path):
    library = tmp_path / "version_1.so"
    compiler = os.environ.get("CC", "cc")
    subprocess.run([compiler, "-shared", "-fPIC", "-Wall", "-Werror", str(SOURCE), "-o", str(library)], check=True)
    assert operators.register(library) == ["test_version_1_count"]
    out = operators.call("test_version_1_count", paddle.zeros([2, 3], dtype="int64"))
    np.testing.assert_array_equal(out.numpy(), np.full((2, 3), 6))
