# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The example that finds a diffusivity by second derivatives through a network keeps what it promises."""

import importlib.util
import pathlib

EXAMPLE = pathlib.Path(__file__).parents[2] / "examples" / "heat_equation.py"


def test_the_diffusivity_is_found():
    spec = importlib.util.spec_from_file_location("heat_equation", EXAMPLE)
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    error, diffusivity = example.main()
    assert error < 0.01 and abs(diffusivity - example.DIFFUSIVITY) < 0.003
