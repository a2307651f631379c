# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Names that layers and tools written against PaddlePaddle's internals use."""

import numpy as np
import paddle
import pytest
from paddle import nn
from paddle.base.framework import OpProtoHolder, Variable
from paddle.base.layer_helper import LayerHelper


def test_every_path_names_one_class():
    from paddle.common_ops_import import LayerHelper as common
    from paddle.framework import LayerHelper as framework
    from paddle.incubate import LayerHelper as incubate

    assert common is framework is incubate is LayerHelper


def test_append_op_runs_and_differentiates():
    helper = LayerHelper("scaled", name="mine")
    assert (helper.name, helper.layer_type, helper.kwargs) == ("mine", "scaled", {"name": "mine"})
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    out = helper.create_variable_for_type_inference("float32")
    op = helper.append_op(type="scale", inputs={"X": [x]}, outputs={"Out": [out]}, attrs={"scale": 3.0})
    assert op.type == "scale" and out.tolist() == [3.0, 6.0]
    (out * out).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), [18.0, 36.0])
    with pytest.raises(NotImplementedError):
        helper.append_op(type="no_such_operator", inputs={"X": x}, outputs={"Out": out})


def test_results_of_several_outputs():
    helper = LayerHelper("top_k")
    values = helper.create_variable_for_type_inference("float32")
    indices = helper.create_variable_for_type_inference("int64")
    x = paddle.to_tensor([3.0, 1.0, 2.0])
    helper.append_op(type="topk", inputs={"X": x}, outputs={"Out": values, "Indices": indices}, attrs={"k": 2})
    assert values.tolist() == [3.0, 2.0] and indices.tolist() == [0, 2]


def test_parameters_bias_and_activation():
    x = paddle.to_tensor([[1.0, -2.0]])
    bias = paddle.ParamAttr(initializer=nn.initializer.Constant(1.0))
    helper = LayerHelper("fc", input=x, bias_attr=bias, act="relu")
    weight = helper.create_parameter(paddle.ParamAttr(name="w_of_helper"), [2, 3], "float64")
    assert (weight.name, list(weight.shape), weight.dtype) == ("w_of_helper", [2, 3], paddle.float64)
    assert helper.create_parameter(False, [2]) is None
    assert helper.create_parameter(None, [2], stop_gradient=True).stop_gradient
    assert helper.append_activation(helper.append_bias_op(helper.input())).tolist() == [[2.0, 0.0]]
    assert helper.input_dtype() == paddle.float32
    assert LayerHelper("fc", bias_attr=False).append_bias_op(x) is x
    with pytest.raises(TypeError):
        helper.is_instance("act", int)
    with pytest.raises(ValueError):
        LayerHelper("fc", input=[x, x]).input()


def test_layers_have_a_helper():
    layer = nn.Linear(2, 2)
    made = layer._helper.create_parameter(None, [3])
    assert made.name.startswith(layer.full_name())
    assert nn.Embedding(4, 2, padding_idx=-1).padding_idx == -1


def test_layer_state_in_parts():
    net = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1D(3))
    parts = net.sharded_state_dict("m.")
    assert set(parts) == {f"m.{name}" for name in net.state_dict()}
    assert parts["m.0.weight"].global_shape == (2, 3)
    whole = dict(net.full())
    np.testing.assert_array_equal(whole["0.weight"].numpy(), net[0].weight.numpy())
    with pytest.raises(NotImplementedError):
        next(net.full(aoa_config={"aoa_statements": []}))


def test_modes_and_guards():
    x = paddle.ones([1])
    assert isinstance(x, Variable) and isinstance(nn.Linear(1, 1).weight, paddle.static.Parameter)
    assert not isinstance(x, paddle.pir.Value) and not isinstance(x, paddle.static.Parameter)
    paddle.enable_static()
    try:
        with paddle.static.program_guard(paddle.static.Program()):
            value = paddle.static.data("x", [2], "float32")
            assert isinstance(value, paddle.pir.Value) and isinstance(value, Variable)
        assert paddle.framework._dygraph_tracer() is None
        with paddle.base.dygraph.guard():
            assert paddle.in_dynamic_mode() and (paddle.ones([2]) + 1).tolist() == [2.0, 2.0]
        assert not paddle.in_dynamic_mode()
    finally:
        paddle.disable_static()
    assert not nn.layer.layers.in_declarative_mode()
    tracer = paddle.framework._dygraph_tracer()
    tracer.eval_mode()
    assert not paddle.is_grad_enabled()
    tracer.train_mode()
    assert paddle.is_grad_enabled() and tracer._has_grad
    with paddle.static.amp.fp16_guard():
        assert (x + x).item() == 2.0


def test_operators_and_parameters():
    holder = OpProtoHolder.instance()
    assert holder is OpProtoHolder.instance() and holder.has_op_proto("relu") and not holder.has_op_proto("no_such")
    holder.get_op_proto("relu")
    with pytest.raises(ValueError):
        holder.get_op_proto("no_such")
    made = paddle.static.Parameter(
        None, [2, 3], "float64", name="static_made", initializer=nn.initializer.Constant(2.0)
    )
    assert made.name == "static_made" and made.numpy().tolist() == [[2.0] * 3] * 2
    with pytest.raises(ValueError):
        paddle.static.Parameter(None, [-1], "float32")


def test_small_functions():
    assert nn.clip._squared_l2_norm(paddle.to_tensor([3.0, 4.0])).tolist() == [25.0]
    mask = nn.layer.transformer._convert_attention_mask(attn_mask=paddle.to_tensor([True, False]), dtype="float32")
    assert mask.tolist() == [0.0, -1e9]
    from paddle.optimizer.adamw import AdamW
    from paddle.optimizer.momentum import Momentum

    assert AdamW is paddle.optimizer.AdamW and Momentum is paddle.optimizer.Momentum
    with pytest.raises(AttributeError):
        paddle.incubate.tensor.manipulation.create_async_load()
    with pytest.raises(RuntimeError):
        paddle.static.nn.sparse_embedding(paddle.to_tensor([[1]]), [10, 2])
    with pytest.raises(ValueError):
        paddle.device.cuda.current_stream()


def test_inference_and_queue():
    layer = nn.Linear(2, 3)
    x = paddle.ones([1, 2])
    expected = layer(x).numpy()
    assert not paddle.incubate.jit.is_inference_mode(layer)
    assert paddle.incubate.inference(layer) is layer and paddle.incubate.jit.is_inference_mode(layer.forward)
    out = layer(x)
    np.testing.assert_allclose(out.numpy(), expected, rtol=1e-6)
    assert out.stop_gradient
    double = paddle.incubate.inference()(lambda a: a * 2)
    assert double(x).tolist() == [[2.0, 2.0]] and paddle.incubate.jit.is_inference_mode(double)
    with pytest.raises(RuntimeError):
        paddle.incubate.inference(layer, with_trt=True)
    queue = paddle.incubate.multiprocessing.Queue(maxsize=2)
    queue.put(paddle.to_tensor([1.0, 2.0]))
    assert queue.get(timeout=10).tolist() == [1.0, 2.0]


def test_split_as_pytorch():
    split = paddle.compat.split
    x = paddle.arange(10)
    assert [list(part.shape) for part in split(x, 3)] == [[3], [3], [3], [1]]
    parts = split(x.reshape([5, 2]), [1, 1], dim=1)
    assert isinstance(parts, tuple) and parts[1][:, 0].tolist() == [1, 3, 5, 7, 9]
    assert isinstance(split(x, 20), tuple) and len(split(x, 20)) == 1
    for call, error in (
        (lambda: split(x, [3, 8]), ValueError),
        (lambda: split(x, 0), AssertionError),
        (lambda: split(x, 2.0), TypeError),
        (lambda: split(x, [3, 7], axis=0), TypeError),
        (lambda: split(x=x, num_or_sections=2), TypeError),
    ):
        with pytest.raises(error):
            call()


def test_torch_proxy():
    import sys

    before = sys.modules.get("torch")
    paddle.enable_compat(silent=True)
    try:
        import torch
        import torch.nn.functional

        assert torch.ones is paddle.ones and torch.nn.functional.relu is nn.functional.relu
        with pytest.raises(ModuleNotFoundError):
            import torch.no_such_module
    finally:
        paddle.disable_compat()
    assert sys.modules.get("torch") is before
    with pytest.raises(AssertionError):
        paddle.enable_compat(backend="x")
