# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""A predictor by its handles, with the switches that programs set and that a CPU build has no use for."""

import pathlib

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
            assert name in str(error) or "paddle" in str(error), name
        else:
            assert result is None, name


def test_members_of_enumerations():
    assert inference.DataType.FLOAT32.name == "FLOAT32" and inference.DataType.FLOAT32.value == 0
    assert isinstance(inference.DataType.name, property) and isinstance(inference.PlaceType.value, property)
    assert int(inference.PrecisionType.Half) == 2 and inference.PlaceType(0) is inference.PlaceType.CPU
    assert [inference.PrecisionType.value.fget(p) for p in inference.PrecisionType] == [0, 1, 2, 3]
    assert inference.PlaceType.name.fget(inference.PlaceType.GPU) == "GPU"
    assert inference.DataType.value.fget(inference.DataType.INT8) == 4
    assert inference.PrecisionType.name.fget(inference.PrecisionType.Int8) == "Int8"


def test_input_from_an_address(saved):
    net, path = saved
    predictor = inference.create_predictor(inference.Config(path + ".json", path + ".pdiparams"))
    x = np.random.default_rng(0).normal(size=(4, 3)).astype("float32")
    handle = predictor.get_input_handle(predictor.get_input_names()[0])
    handle.share_external_data_by_ptr_name(x.ctypes.data, [4, 3], inference.DataType.FLOAT32, inference.PlaceType.CPU)
    predictor.run()
    out = predictor.get_output_handle(predictor.get_output_names()[0]).copy_to_cpu()
    np.testing.assert_allclose(out, net(paddle.to_tensor(x)).numpy(), rtol=1e-5, atol=1e-6)
    share = handle.share_external_data_by_ptr_name
    with pytest.raises(ValueError, match="place"):
        share(x.ctypes.data, [4, 3], inference.DataType.FLOAT32, inference.PlaceType.GPU)
    with pytest.raises(ValueError, match="negative"):
        share(x.ctypes.data, [-1, 3], inference.DataType.FLOAT32, inference.PlaceType.CPU)
    with pytest.raises(NotImplementedError, match="BFLOAT16"):
        share(x.ctypes.data, [4, 3], inference.DataType.BFLOAT16, inference.PlaceType.CPU)


XPU = {
    "context": None,
    "context_gm_size": -1,
    "conv_autotune_file": "",
    "conv_autotune_file_writeback": False,
    "conv_autotune_level": 0,
    "device_id": 0,
    "fc_autotune_file": "",
    "fc_autotune_file_writeback": False,
    "fc_autotune_level": 0,
    "gemm_compute_precision": 1,
    "l3_autotune_size": 0,
    "l3_ptr": None,
    "l3_size": 0,
    "quant_post_dynamic_activation_method": 0,
    "quant_post_dynamic_op_types": [],
    "quant_post_dynamic_weight_precision": 1,
    "quant_post_static_gelu_out_threshold": 10.0,
    "stream": None,
    "transformer_encoder_adaptive_seqlen": True,
    "transformer_softmax_optimize_level": 0,
}


def test_settings_of_an_xpu_are_carried_about():
    config = inference.XpuConfig()
    assert {name: getattr(config, name) for name in XPU} == XPU
    config.device_id, config.quant_post_static_gelu_out_threshold = 3, 7
    assert (config.device_id, config.quant_post_static_gelu_out_threshold) == (3, 7.0)
    with pytest.raises(TypeError, match="device_id"):
        config.device_id = "a"
    settings = inference.Config()
    assert settings.xpu_config().device_id == 0
    with pytest.warns(UserWarning, match="XPU"):
        settings.set_xpu_config(config)
    assert settings.xpu_config().device_id == 3


def test_names_of_operators_of_today():
    names = {"elementwise_add": "add", "matmul_v2": "matmul", "reduce_sum": "sum", "relu": "relu", "zz": "zz"}
    assert {old: inference._get_phi_kernel_name(old) for old in names} == names


@pytest.mark.parametrize("shape", ["ab", [1.5, 3], [None], 4, [1 << 40, 3]], ids=str)
def test_shapes_that_are_no_lists_of_integers(saved, shape):
    predictor = inference.create_predictor(inference.Config(saved[1] + ".json", saved[1] + ".pdiparams"))
    with pytest.raises(TypeError, match="^reshape: shape has value .* it must be a list of integers below 2"):
        predictor.get_input_handle("x").reshape(shape)
    predictor.get_input_handle("x").reshape((2, np.int64(3)))
    assert predictor.get_input_handle("x").shape() == [2, 3]


def test_whole_numbers_of_fewer_bits_are_taken_and_a_shape_may_be_announced_again():
    folder = pathlib.Path(__file__).resolve().parents[2] / "compat" / "programs" / "onednn_attention"
    config = inference.Config(str(folder / "model.json"), str(folder / "model.pdiparams"))
    predictor, io = inference.create_predictor(config), np.load(folder / "io.npz")
    handle = predictor.get_input_handle(predictor.get_input_names()[0])
    handle.copy_from_cpu(io["in_0_0"].astype("int32"))
    handle.reshape(list(io["in_0_0"].shape))
    predictor.run()
    out = predictor.get_output_handle(predictor.get_output_names()[0]).copy_to_cpu()
    np.testing.assert_allclose(out, io["out_0_0"], rtol=1e-4, atol=1e-5)
    handle.reshape([3, 4])
    assert handle.shape() == [3, 4]
    with pytest.raises(ValueError, match="has no value"):
        predictor.run()
    handle.copy_from_cpu(io["in_0_0"].astype("float32"))
    with pytest.raises(ValueError, match="needs int64"):
        predictor.run()
