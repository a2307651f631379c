# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`paddle.compat`: functions and layers with PyTorch's arguments; the numbers of layers are PyTorch's."""

import sys

import numpy as np
import paddle
import pytest
from paddle import compat
from paddle.compat import nn

F = nn.functional


def inputs(*shape):
    return ((paddle.arange(int(np.prod(shape))) % 9 - 4).astype("float32") / 4).reshape(shape)


def filled(layer):
    for i, p in enumerate(layer.parameters()):
        p.set_value((((paddle.arange(p.size) * 7 + i * 3) % 11 - 5).astype("float32") / 10).reshape(p.shape))
    return layer


T = [[3.0, 1.0, 2.0], [1.0, 5.0, 5.0]]


def test_extremes():
    t = paddle.to_tensor(T)
    assert compat.max(t).item() == 5 and compat.min(t).item() == 1
    values, indices = compat.max(t, 1)
    assert values.tolist() == [3, 5] and indices.tolist() == [0, 1]
    found = compat.min(t, dim=0, keepdim=True)
    assert found.values.tolist() == [[1, 1, 2]] and found.indices.tolist() == [[1, 0, 0]]
    assert compat.max(t, paddle.full([3], 2.0)).tolist() == [[3, 2, 2], [2, 5, 5]]
    assert compat.min(t, other=paddle.full([3], 2.0)).tolist() == [[2, 1, 2], [1, 2, 2]]
    out = (paddle.zeros([2]), paddle.zeros([2], "int64"))
    assert compat.max(t, 1, out=out).values is out[0] and out[0].tolist() == [3, 5]
    for call in (lambda: compat.max(t, axis=1), lambda: compat.max(t, (0, 1)), lambda: compat.max(t, keepdim=True)):
        with pytest.raises(TypeError):
            call()


def test_medians_sorted_and_distinct_values():
    t = paddle.to_tensor(T)
    assert compat.median(t).item() == 2
    found = compat.median(t, 1)
    assert found.values.tolist() == [2, 5] and found.indices.tolist() == [2, 1]
    holes = paddle.to_tensor([[float("nan"), 1.0, 2.0]])
    assert compat.nanmedian(holes, dim=1).values.tolist() == [1]
    values, indices = compat.sort(t, 1, True)
    assert values.tolist() == [[3, 2, 1], [5, 5, 1]] and indices.tolist()[0] == [0, 2, 1]
    assert compat.unique(t).tolist() == [1, 2, 3, 5]
    rows, inverse, counts = compat.unique(t, return_inverse=True, return_counts=True, dim=0)
    assert rows.tolist() == T[::-1] and inverse.tolist() == [1, 0] and counts.tolist() == [1, 1]
    for call in (compat.median, compat.sort, compat.unique, compat.nanmedian):
        with pytest.raises(TypeError, match="axis"):
            call(t, axis=1)


def test_equality_determinants_and_seeds():
    t = paddle.to_tensor(T)
    assert compat.equal(t, t) is True and compat.equal(t, t + 1) is False
    found = compat.slogdet(paddle.to_tensor([[0.0, 2.0], [1.0, 0.0]]))
    assert found.sign.item() == -1 and abs(found.logabsdet.item() - np.log(2)) < 1e-6
    number = compat.seed()
    a = paddle.rand([2])
    paddle.seed(number)
    assert (paddle.rand([2]) == a).all()


def test_linear_has_its_weight_transposed():
    layer = filled(nn.Linear(3, 4))
    x = inputs(2, 3)
    np.testing.assert_allclose(layer(x).numpy(), x.numpy() @ layer.weight.numpy().T + layer.bias.numpy(), rtol=1e-6)
    assert nn.Linear(3, 4, bias=False).bias is None and layer.weight.shape == [4, 3]
    layer.reset_parameters()
    assert layer.weight.abs().max() <= 3**-0.5 and "in_features=3" in repr(layer)
    with pytest.raises(TypeError):
        F.linear(x=x, weight=layer.weight)


def test_paddings():
    assert F.pad(inputs(1, 2, 3), (1, 2), mode="reflect").tolist() == [
        [[-0.75, -1.0, -0.75, -0.5, -0.75, -1.0], [0.0, -0.25, 0.0, 0.25, 0.0, -0.25]]
    ]
    expected = [[9, -1, -0.75, -0.5, 9], [9, -0.25, 0, 0.25, 9], [9] * 5, [9] * 5]
    assert F.pad(inputs(2, 3), (1, 1, 0, 2), value=9.0).tolist() == expected
    around = F.pad(inputs(1, 1, 2, 3), (1, 1, 1, 0), mode="circular")
    assert around[0, 0, 0].tolist() == [0.25, -0.25, 0.0, 0.25, -0.25]
    with pytest.raises(ValueError, match="pairs"):
        F.pad(inputs(2, 3), (1,))


def test_pools_of_batches_and_single_samples():
    got = nn.AvgPool2D(2, padding=1, divisor_override=3)(inputs(1, 1, 3, 3))
    np.testing.assert_allclose(got.numpy().ravel(), [-1 / 3, -5 / 12, 1 / 12, 2 / 3], rtol=1e-5)
    assert nn.AvgPool1d(2, padding=1, count_include_pad=False)(inputs(1, 4)).tolist() == [[-1.0, -0.625, -0.25]]
    assert nn.AvgPool3d(2)(paddle.ones([1, 2, 2, 2])).tolist() == [[[[1.0]]]]
    assert "kernel_size=2" in nn.AvgPool2d(2).extra_repr() and nn.AvgPool2d is nn.AvgPool2D
    assert "stride=2" in nn.AvgPool1D(2).extra_repr() and "padding=0" in nn.AvgPool3D(2).extra_repr()


def test_softmax_and_windows():
    t = paddle.to_tensor(T)
    np.testing.assert_allclose(nn.Softmax()(t).numpy().sum(1), [1, 1], rtol=1e-6)
    np.testing.assert_allclose(F.softmax(t, 0).numpy().sum(0), [1, 1, 1], rtol=1e-6)
    assert nn.Softmax(1).extra_repr() == "dim=1" and F.softmax(t, dtype="float64").dtype == paddle.float64
    image = inputs(1, 2, 4, 4)
    np.testing.assert_array_equal(nn.Unfold(2, stride=2)(image).numpy(), F.unfold(image, 2, stride=2).numpy())
    assert F.unfold(image, 2).shape == [1, 8, 9]


def test_attention_of_scaled_products():
    q = inputs(1, 2, 3, 4)
    causal = F.scaled_dot_product_attention(q, q, q, is_causal=True)
    mask = paddle.ones([3, 3], "bool").tril()
    np.testing.assert_allclose(causal.numpy(), F.scaled_dot_product_attention(q, q, q, mask).numpy(), rtol=1e-6)
    np.testing.assert_allclose(causal[0, :, 0].numpy(), q[0, :, 0].numpy(), rtol=1e-6)
    shared = F.scaled_dot_product_attention(paddle.concat([q, q], 1), q, q, enable_gqa=True)
    assert shared.shape == [1, 4, 3, 4]
    with pytest.raises(ValueError, match="pass one of them"):
        F.scaled_dot_product_attention(q, q, q, mask, is_causal=True)


def test_attention_of_several_heads():
    layer = filled(nn.MultiheadAttention(4, 2, kdim=3, vdim=2, add_bias_kv=True, add_zero_attn=True, batch_first=True))
    names = [name for name, _ in layer.named_parameters()]
    assert names[:4] == ["q_proj_weight", "k_proj_weight", "v_proj_weight", "in_proj_bias"]
    order = ["q_proj_weight", "k_proj_weight", "v_proj_weight", "in_proj_bias", "bias_k", "bias_v"]
    order += ["out_proj.weight", "out_proj.bias"]
    parameters = dict(layer.named_parameters())
    for i, name in enumerate(order):
        p = parameters[name]
        p.set_value((((paddle.arange(p.size) * 7 + i * 3) % 11 - 5).astype("float32") / 10).reshape(p.shape))
    padding = paddle.to_tensor([[False, True, False], [False, False, False]])
    allowed = paddle.to_tensor([[False, True, False], [False, False, False]])
    out, weights = layer(inputs(2, 2, 4), inputs(2, 3, 3), inputs(2, 3, 2), key_padding_mask=padding, attn_mask=allowed)
    expected = [0.5834, -0.1249, -0.1459, 0.2056, 0.5843, -0.1224, -0.1519, 0.2068]
    np.testing.assert_allclose(out.numpy().ravel()[:8], expected, atol=1e-4)
    np.testing.assert_allclose(weights.numpy().ravel()[:5], [0.2357, 0.0, 0.2782, 0.2309, 0.2551], atol=1e-4)


def test_attention_without_batch_first():
    layer = filled(nn.MultiheadAttention(4, 2))
    out, weights = layer(inputs(2, 1, 4), inputs(3, 1, 4), inputs(3, 1, 4), average_attn_weights=False)
    expected = [0.6741, -0.1424, -0.1429, 0.1407, 0.6761, -0.0788, -0.1501, 0.195]
    np.testing.assert_allclose(out.numpy().ravel(), expected, atol=1e-4)
    assert weights.shape == [1, 2, 2, 3]
    alone, nothing = layer(inputs(2, 4), inputs(3, 4), inputs(3, 4), need_weights=False)
    np.testing.assert_allclose(alone.numpy().ravel(), expected, atol=1e-4)
    assert nothing is None
    with pytest.raises(AssertionError, match="multiple"):
        nn.MultiheadAttention(5, 2)


def test_keywords_that_mean_another_result_are_refused():
    x = paddle.to_tensor([[2.0, 1.0]])
    for call in (
        lambda: paddle.sort(input=x, axis=0),
        lambda: x.sort(dim=0),
        lambda: paddle.split(x, split_size_or_sections=1),
        lambda: x.split(1, dim=0),
        lambda: paddle.max(x, dim=0),
        lambda: paddle.min(input=x),
        lambda: x.max(dim=1),
    ):
        with pytest.raises(TypeError, match="unexpected"):
            call()


def test_namespaces():
    assert "enable_torch_proxy" not in paddle.compat.__all__ and "AvgPool1d" in paddle.compat.nn.__all__
    assert set(paddle.compat.nn.functional.__all__) >= {"pad", "softmax", "linear", "unfold"}


def test_registered_functions():
    @paddle.library.custom_op("tests::add_one", mutates_args=())
    def add_one(x):
        return x + 1

    assert paddle.ops.tests.add_one(1) == 2 and "tests::add_one" in repr(add_one)
    paddle.library.register_fake("tests::add_one", lambda x: x)
    add_one.register_fake(lambda x: x)
    with pytest.raises(ValueError, match="already"):
        paddle.library.custom_op("tests::add_one", lambda x: x, mutates_args=())
    with pytest.raises(AssertionError, match="namespace"):
        paddle.library.custom_op("add_one", lambda x: x, mutates_args=())
    with pytest.raises(AttributeError, match="tests::unknown"):
        paddle.ops.tests.unknown(1)
    with pytest.raises(RuntimeError, match="not found"):
        paddle._C._get_custom_class_python_wrapper("tests", "Unknown")


@pytest.fixture
def modules(tmp_path, monkeypatch):
    """Modules that import torch, and a stand-in for PyTorch's own."""
    for name, text in {
        "torch": "",
        "of_scope": "import torch, beside_scope\nseen = type(torch).__name__\ndef later():\n    import torch.nn as nn\n    return nn",
        "beside_scope": "import torch\nseen = type(torch).__name__",
        "blocked": "import torch\nseen = type(torch).__name__",
    }.items():
        (tmp_path / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in [name for name in sys.modules if name == "torch" or name.startswith("torch.")]:
        monkeypatch.delitem(sys.modules, name)
    yield
    for name in ("torch", "of_scope", "beside_scope", "blocked"):
        sys.modules.pop(name, None)
    paddle.compat.proxy.TORCH_PROXY_BLOCKED_MODULES.clear()


def torch_here():
    import torch

    return type(torch).__name__


def test_proxies_for_some_modules(modules):
    with paddle.use_compat_guard(scope={"of_scope"}):
        import of_scope

        assert of_scope.seen == "ProxyModule" and of_scope.beside_scope.seen == "module"
        assert torch_here() == "module"
    with paddle.use_compat_guard():
        assert torch_here() == "ProxyModule"
        with paddle.use_compat_guard(enable=False):
            assert torch_here() == "module"
        paddle.compat.extend_torch_proxy_blocked_modules({"blocked"})
        import blocked

        assert blocked.seen == "module" and torch_here() == "ProxyModule"
    assert torch_here() == "module" and paddle.compat.proxy.TORCH_PROXY_FINDER not in sys.meta_path


def test_proxies_have_pytorch_s_layers_and_functions(modules):
    with paddle.use_compat_guard():
        import torch

        assert torch.nn.Linear(2, 3).weight.shape == [3, 2] and paddle.nn.Linear(2, 3).weight.shape == [2, 3]
        assert torch.nn.functional.pad(torch.ones([2, 2]), [1, 0]).shape == [2, 3]
        assert torch.nn.AvgPool2d is nn.AvgPool2D and torch.nn.Conv2d is paddle.nn.Conv2D
        assert torch.relu(torch.tensor([-1.0, 2.0])).tolist() == [0.0, 2.0]
        assert torch.__version__ == paddle.__version__ and "Linear" in dir(torch.nn)
        import torch.nn.functional

        assert torch.nn.functional.softmax is F.softmax and torch.nn.functional.relu is paddle.nn.functional.relu


def test_the_logarithm_of_a_determinant_is_real():
    x = np.array([[1 + 1j, 2], [2, 1j]], "complex64")
    sign, logarithm = paddle.compat.slogdet(paddle.to_tensor(x))
    expected = np.linalg.slogdet(x)
    assert logarithm.dtype == paddle.float32 and sign.dtype == paddle.complex64
    np.testing.assert_allclose(logarithm.numpy(), expected[1], rtol=1e-5)
    np.testing.assert_allclose(sign.numpy(), expected[0], rtol=1e-5)


def test_parts_of_an_open_extent():
    program = paddle.static.Program()
    paddle.enable_static()
    try:
        with paddle.static.program_guard(program):
            x = paddle.static.data("x", [-1, 2])
            parts = paddle.compat.split(x, [1, 2])
        feed = {"x": np.arange(6, dtype="float32").reshape(3, 2)}
        got = paddle.static.Executor().run(program, feed=feed, fetch_list=list(parts))
    finally:
        paddle.disable_static()
    assert [p.tolist() for p in got] == [[[0.0, 1.0]], [[2.0, 3.0], [4.0, 5.0]]]
