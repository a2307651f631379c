# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""When `paddle.fluid` is there, under which paths, and what it says of names that it does not have."""

import importlib
import subprocess
import sys

import pytest
from paddle import fluid


def test_paddle_has_no_fluid_until_it_is_imported():
    code = "import sys, paddle; print(hasattr(paddle, 'fluid'), any('fluid' in name for name in sys.modules))"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).split() == ["False", "False"]


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("framework", "Variable"),
        ("compiler", "CompiledProgram"),
        ("param_attr", "ParamAttr"),
        ("layer_helper", "LayerHelper"),
        ("unique_name", "generate"),
        ("backward", "append_backward"),
        ("layers.nn", "fc"),
        ("layers.tensor", "fill_constant"),
        ("layers.control_flow", "Switch"),
        ("layers.learning_rate_scheduler", "_decay_step_counter"),
        ("layers.utils", "map_structure"),
        ("dygraph.base", "to_variable"),
        ("dygraph.layers", "Layer"),
        ("dygraph.learning_rate_scheduler", "LearningRateDecay"),
        ("dygraph.parallel", "ParallelEnv"),
        ("dataloader.collate", "default_collate_fn"),
        ("incubate.fleet.collective", "fleet"),
        ("incubate.fleet.base.role_maker", "PaddleCloudRoleMaker"),
        ("contrib.slim.quantization", "QuantizationTransformPass"),
        ("proto.framework_pb2", "VarType"),
        ("core_avx", "LoDTensor"),
    ],
)
def test_modules_of_then_show_their_names(path, name):
    assert hasattr(importlib.import_module(f"paddle.fluid.{path}"), name)


def test_every_name_that_is_listed_is_there():
    for module in (fluid, fluid.layers, fluid.dygraph, fluid.optimizer, fluid.initializer, fluid.io, fluid.nets):
        for name in getattr(module, "__all__", ()):
            assert getattr(module, name) is not None


def test_absent_names_say_what_to_use():
    with pytest.raises(AttributeError, match=r"use fluid\.layers\.rnn with a cell of your own"):
        fluid.layers.StaticRNN  # noqa: B018
    with pytest.raises(AttributeError, match=r"use paddle\.nn\.functional\.cosine_similarity"):
        fluid.layers.cosine_similarity  # noqa: B018
    with pytest.raises(AttributeError, match=r"use paddle\.utils\.cpp_extension\.load"):
        fluid.load_op_library  # noqa: B018
