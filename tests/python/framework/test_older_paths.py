# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Names under the older module paths that published packages still import them from."""

import importlib

import numpy as np
import paddle
import pytest


def test_initializers_under_their_older_names():
    initializer = paddle.nn.initializer
    for old, new in (
        ("ConstantInitializer", ["Constant"]),
        ("NormalInitializer", ["Normal"]),
        ("UniformInitializer", ["Uniform"]),
        ("TruncatedNormalInitializer", ["TruncatedNormal"]),
        ("XavierInitializer", ["XavierNormal", "XavierUniform"]),
        ("MSRAInitializer", ["KaimingNormal", "KaimingUniform"]),
    ):
        assert all(issubclass(getattr(initializer, name), getattr(initializer, old)) for name in new)
    weight = paddle.zeros([40, 60])
    initializer.XavierInitializer(uniform=True, fan_in=1, fan_out=2, gain=2.0)(weight)
    assert 2.5 < float(weight.abs().max()) <= 2 * np.sqrt(6 / 3)  # the bound of the distribution
    initializer.MSRAInitializer(uniform=False, fan_in=8)(weight)
    assert abs(float(weight.std()) - 0.5) < 0.05


def test_an_initializer_with_a_seed_repeats_itself():
    def drawn(seed):
        weight = paddle.zeros([16])
        paddle.nn.initializer.NormalInitializer(0.0, 1.0, seed=seed)(weight)
        return weight.numpy()

    assert (drawn(3) == drawn(3)).all() and (drawn(3) != drawn(4)).any()


def test_losses_are_in_one_module():
    loss = paddle.nn.loss
    assert loss.MarginRankingLoss is paddle.nn.MarginRankingLoss
    assert loss.CTCLoss is paddle.nn.CTCLoss and loss.MSELoss is paddle.nn.MSELoss


def test_star_import_of_layers():
    names = set(paddle.nn.__all__)
    assert {"Linear", "Conv2D", "LSTMCell", "Layer", "Sequential", "ClipGradByNorm", "dynamic_decode"} <= names
    assert not {"functional", "initializer", "utils", "loss"} & names


def test_a_parameter_from_a_tensor_shares_its_memory():
    x = paddle.to_tensor([1.0, 2.0])
    p = paddle.base.framework.EagerParamBase.from_tensor(x, trainable=False, name="frozen")
    assert isinstance(p, paddle.nn.Parameter) and p.name == "frozen" and p.stop_gradient
    p.set_value(np.array([3.0, 4.0], "float32"))
    assert x.tolist() == [3.0, 4.0]


def test_eager_only_functions_refuse_static_mode():
    twice = paddle.base.framework.non_static_only(lambda x: 2 * x)
    assert twice(3) == 6
    paddle.enable_static()
    try:
        with pytest.raises(AssertionError, match="disable_static"):
            twice(3)
    finally:
        paddle.disable_static()


def test_kinds_of_variables():
    kinds = paddle.base.core.VarDesc.VarType
    assert kinds.LOD_TENSOR == kinds.DENSE_TENSOR == 7 and kinds.STRINGS == 26
    assert kinds.FP32 == paddle.float32


def test_saved_tensor_hooks_by_calls():
    seen = []
    eager = paddle.base.core.eager
    eager.register_saved_tensors_hooks(lambda t: seen.append("pack") or t, lambda t: seen.append("unpack") or t)
    try:
        x = paddle.to_tensor([2.0], stop_gradient=False)
        y = x * x
    finally:
        eager.reset_saved_tensors_hooks()
    y.backward()
    assert x.grad.tolist() == [4.0] and {"pack", "unpack"} == set(seen)


@pytest.mark.parametrize("kind", ["none", "Cache", "StaticCache"])
def test_projections_of_attention(kind):
    paddle.seed(0)
    attention = paddle.nn.MultiHeadAttention(8, 2)
    x, memory = paddle.randn([2, 3, 8]), paddle.randn([2, 5, 8])
    cache = None
    if kind == "Cache":
        cache = attention.gen_cache(x)
    elif kind == "StaticCache":
        cache = attention.gen_cache(memory, memory, attention.StaticCache)
    found = attention._prepare_qkv(x, memory, memory, cache)
    assert len(found) == (3 if cache is None else 4)

    def heads(t, layer):
        return layer(t).numpy().reshape(2, -1, 2, 4).transpose(0, 2, 1, 3)

    np.testing.assert_allclose(found[0].numpy(), heads(x, attention.q_proj), rtol=1e-6)
    np.testing.assert_allclose(found[1].numpy(), heads(memory, attention.k_proj), rtol=1e-6)
    np.testing.assert_allclose(found[2].numpy(), heads(memory, attention.v_proj), rtol=1e-6)


def test_modules_of_older_paths():
    assert paddle.uint16 is paddle.bfloat16
    assert paddle.paddle is paddle
    assert paddle.device.framework.cpu_places(2) == [paddle.CPUPlace()] * 2
    from paddle.base.data_feeder import check_type
    from paddle.base.executor import global_scope

    assert global_scope is paddle.static.global_scope
    with pytest.raises(TypeError):
        check_type(1, "x", str, "op")


def test_operators_in_the_older_calling_form():
    from paddle import _legacy_C_ops

    values, index = _legacy_C_ops.argsort(paddle.to_tensor([3.0, 1.0, 2.0]), "axis", 0, "descending", True)
    assert values.tolist() == [3.0, 2.0, 1.0] and index.tolist() == [0, 2, 1]
    with pytest.raises(TypeError, match="name, value"):
        _legacy_C_ops.argsort(paddle.ones([2]), "axis")
    with pytest.raises(AttributeError):
        _legacy_C_ops.no_such_operator(1)


def test_rewriting_of_earlier_graphs_says_what_to_use():
    from paddle.static.quantization import PostTrainingQuantization, quant_config

    for kind in (PostTrainingQuantization, quant_config.BaseQuantizer):
        with pytest.raises(NotImplementedError, match=r"paddle\.quantization"):
            kind()


def test_state_dicts_are_ordered(tmp_path):
    import collections

    layer = paddle.nn.Sequential(paddle.nn.Linear(2, 2), paddle.nn.BatchNorm1D(2))
    state = layer.state_dict()
    assert type(state) is collections.OrderedDict
    paddle.save(state, str(tmp_path / "net.pdparams"))
    loaded = paddle.load(str(tmp_path / "net.pdparams"))
    assert list(loaded) == list(state) and not sum(layer.set_state_dict(loaded), [])


def test_older_operators_align_the_second_tensor_at_an_axis():
    from paddle import _legacy_C_ops

    x, y = paddle.zeros([2, 3, 2]), paddle.to_tensor([1.0, 2.0, 3.0])
    out = _legacy_C_ops.elementwise_add(x, y, "axis", 1)
    assert out.tolist() == [[[1, 1], [2, 2], [3, 3]]] * 2
    assert _legacy_C_ops.elementwise_add(y, y, "axis", -1).tolist() == [2, 4, 6]


@pytest.mark.parametrize(
    "module, names",
    [
        ("paddle.tensor.logic", "equal logical_and is_tensor"),
        ("paddle.tensor.math", "add pow multiply_ frexp"),
        ("paddle.tensor.manipulation", "reshape squeeze_ tile"),
        ("paddle.tensor.attribute", "rank shape"),
        ("paddle.nn.functional.activation", "relu gumbel_softmax"),
        ("paddle.nn.functional.loss", "ctc_loss mse_loss"),
        ("paddle.nn.functional.distance", "pairwise_distance"),
        ("paddle.nn.layer", "Linear Layer"),
        ("paddle.nn.layer.common", "Upsample Unfold"),
        ("paddle.nn.layer.distance", "PairwiseDistance"),
        ("paddle.nn.initializer.xavier", "XavierNormal"),
        ("paddle.base", "Program Executor program_guard set_flags CUDAPlace append_backward"),
        ("paddle.base.backward", "append_backward gradients"),
        ("paddle.base.core", "Shard Replicate Partial"),
        ("paddle.text.datasets", "Conll05st Imdb WMT16"),
        ("paddle.incubate.autograd", "enable_prim prim_enabled prim2orig"),
    ],
)
def test_names_are_found_in_the_modules_that_define_them_elsewhere(module, names):
    found = importlib.import_module(module)
    for name in names.split():
        assert callable(getattr(found, name))
    assert not hasattr(found, "no_such_name")


def test_a_class_stays_when_the_module_of_its_name_is_imported():
    module = importlib.import_module("paddle.autograd.saved_tensors_hooks")
    assert module.saved_tensors_hooks is paddle.autograd.saved_tensors_hooks
    assert isinstance(paddle.autograd.saved_tensors_hooks, type)


def test_flags_without_a_counterpart_are_kept():
    assert paddle.get_flags("FLAGS_cudnn_deterministic") == {"FLAGS_cudnn_deterministic": False}
    paddle.set_flags({"FLAGS_cudnn_deterministic": 1, "FLAGS_allocator_strategy": "naive_best_fit"})
    try:
        assert paddle.get_flags(["FLAGS_cudnn_deterministic", "FLAGS_allocator_strategy"]) == {
            "FLAGS_cudnn_deterministic": True,
            "FLAGS_allocator_strategy": "naive_best_fit",
        }
        with pytest.raises(ValueError, match="FLAGS_cudnn_deterministic"):
            paddle.set_flags({"FLAGS_cudnn_deterministic": "maybe"})
        with pytest.raises(ValueError, match="FLAGS_no_such_flag"):
            paddle.set_flags({"FLAGS_no_such_flag": 1})
    finally:
        paddle.set_flags({"FLAGS_cudnn_deterministic": False, "FLAGS_allocator_strategy": "auto_growth"})


def test_names_are_unique_per_generator():
    with paddle.utils.unique_name.guard():
        assert paddle.utils.unique_name.generate("fc") == "fc_0"
        previous = paddle.utils.unique_name.switch()
        assert paddle.utils.unique_name.generate("fc") == "fc_0"
        paddle.utils.unique_name.switch(*previous)
        assert paddle.utils.unique_name.generate("fc") == "fc_1"


def test_vgg_of_own_widths():
    features = paddle.vision.models.vgg.make_layers([4, "M", 8], batch_norm=True)
    assert [
        type(layer).__name__ for layer in features
    ] == "Conv2D BatchNorm2D ReLU MaxPool2D Conv2D BatchNorm2D ReLU".split()


def test_operators_of_paddle_2_by_position():
    from paddle import _legacy_C_ops

    x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]], stop_gradient=False)
    out, shape = _legacy_C_ops.reshape2(x, None, "shape", [4])
    assert out.tolist() == [1.0, 2.0, 3.0, 4.0] and shape.shape == [0, 2, 2]
    _legacy_C_ops.transpose2(out.reshape([2, 2]) * x, "axis", [1, 0])[0].sum().backward()
    assert x.grad.tolist() == [[2.0, 4.0], [6.0, 8.0]]
    assert [t.tolist() for t in _legacy_C_ops.unstack(x, 2, "axis", 0, "num", 2)] == [[1.0, 2.0], [3.0, 4.0]]
    assert _legacy_C_ops.sum([x, x], "use_mkldnn", False).tolist() == [[2.0, 4.0], [6.0, 8.0]]
    assert _legacy_C_ops.sum(x, "axis", [0]).tolist() == [4.0, 6.0]
    assert _legacy_C_ops.cast(x, "in_dtype", 5, "out_dtype", 3).dtype == paddle.int64
    assert _legacy_C_ops.slice(
        x, None, None, None, None, "axes", [0], "starts", [1], "ends", [2], "infer_flags", [1]
    ).tolist() == [[3.0, 4.0]]
    values, index = _legacy_C_ops.top_k_v2(x, "k", 1, "axis", -1, "largest", True, "sorted", True)
    assert values.tolist() == [[2.0], [4.0]] and index.tolist() == [[1], [1]]


def test_operators_of_paddle_2_that_write():
    from paddle import _legacy_C_ops

    x = paddle.to_tensor([1.0, -2.0])
    assert _legacy_C_ops.relu_(x) is x and x.tolist() == [1.0, 0.0]
    wide, _ = _legacy_C_ops.unsqueeze2_(x, "axes", [0])
    assert wide is x and x.shape == [1, 2]
    mean, variance = paddle.zeros([1]), paddle.ones([1])
    image = paddle.to_tensor([[[[1.0]]], [[[3.0]]]])
    _legacy_C_ops.batch_norm(
        image, paddle.ones([1]), paddle.zeros([1]), mean, variance, None, mean, variance, "momentum", 0.5
    )
    assert mean.tolist() == [1.0] and variance.tolist() == [1.0]
    with pytest.raises(AttributeError):
        _legacy_C_ops.no_such_operator_(x)
