# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""A predictor by its handles, with the switches that programs set and that a CPU build has no use for."""

import numpy as np
import paddle
import pytest
from paddle import inference


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    paddle.seed(0)
    net = paddle.nn.Linear(3, 2)
    path = str(tmp_path_factory.mktemp("saved") / "net")
    paddle.jit.save(net, path, input_spec=[paddle.static.InputSpec([None, 3], "float32", name="x")])
    return net, path


SWITCHES = {
    "disable_glog_info": (),
    "switch_use_feed_fetch_ops": (False,),
    "enable_new_executor": (),
    "set_optim_cache_dir": ("cache",),
    "set_mkldnn_cache_capacity": (10,),
}


def test_the_same_result_with_every_switch(saved, tmp_path):
    net, path = saved
    config = inference.Config(path + ".json", path + ".pdiparams")
    for name, arguments in SWITCHES.items():
        getattr(config, name)(*(str(tmp_path / a) if a == "cache" else a for a in arguments))
    config.enable_mkldnn()
    assert config.use_gpu() is False
    predictor = inference.create_predictor(config)
    assert isinstance(predictor, inference.Predictor)
    x = np.random.default_rng(0).normal(size=(4, 3)).astype("float32")
    (name,) = predictor.get_input_names()
    predictor.get_input_handle(name).copy_from_cpu(x)
    predictor.run()
    (output,) = predictor.get_output_names()
    result = predictor.get_output_handle(output).copy_to_cpu()
    np.testing.assert_allclose(result, net(paddle.to_tensor(x)).numpy(), rtol=1e-6, atol=1e-7)


def test_switches_of_other_devices_are_refused_or_change_nothing(saved):
    config = inference.Config(saved[1] + ".json", saved[1] + ".pdiparams")
    calls = {
        "enable_mkldnn_bfloat16": (),
        "enable_mkldnn_int8": (),
        "enable_tensorrt_engine": (1 << 20, 1, 3, inference.PrecisionType.Float32, False, False),
        "enable_tensorrt_memory_optim": (),
        "enable_tuned_tensorrt_dynamic_shape": ("shapes", True),
        "exp_disable_tensorrt_ops": (["relu"],),
        "set_trt_dynamic_shape_info": ({}, {}, {}),
        "collect_shape_range_info": ("shapes",),
        "enable_xpu": (1024,),
        "enable_custom_device": ("npu", 0),
    }
    for name, arguments in calls.items():
        try:
            result = getattr(config, name)(*arguments)
        except (RuntimeError, ValueError, NotImplementedError) as error:
            assert name in str(error) or "this build" in str(error), name
        else:
            assert result is None, name
