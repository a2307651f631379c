# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`jit.save` and `jit.load`: which specifications are taken, several methods, pruning, loaded layers that train."""

import collections
import dataclasses
import warnings

import numpy as np
import paddle
import pytest
from paddle import nn
from paddle.jit import InputSpec, to_static


class Net(nn.Layer):
    def __init__(self):
        super().__init__()
        self.fc, self.fc2 = nn.Linear(3, 3), nn.Linear(3, 3)
        self.scale = paddle.to_tensor([9.9])

    def forward(self, x):
        return self.fc2(nn.functional.relu(self.fc(x)))

    def scaled(self, x):
        return self.fc(x) * self.scale


class Classifier(nn.Layer):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)

    def forward(self, image, label):
        out = self.fc(image)
        return out, nn.functional.cross_entropy(out, label).mean()


@pytest.fixture
def x():
    return paddle.to_tensor(np.random.default_rng(0).standard_normal((4, 3)).astype("float32"))


def same(a, b):
    np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("full_graph", [True, False])
def test_an_earlier_call_gives_the_specification(tmp_path, x, full_graph):
    layer = to_static(Net(), full_graph=full_graph)
    wanted = layer(x)
    paddle.jit.save(layer, str(tmp_path / "m"))
    same(paddle.jit.load(str(tmp_path / "m"))(x), wanted)
    function = to_static(lambda t: paddle.tanh(t), full_graph=full_graph)
    wanted = function(x)
    paddle.jit.save(function, str(tmp_path / "f"))
    same(paddle.jit.load(str(tmp_path / "f"))(x), wanted)
    with pytest.raises(ValueError, match="no input specification"):
        paddle.jit.save(Net(), str(tmp_path / "n"))


def test_methods_are_saved_and_loaded_by_name(tmp_path, x):
    layer = to_static(Net(), full_graph=True)
    layer.scaled = to_static(layer.scaled, full_graph=True)
    with pytest.raises(ValueError, match="scaled is saved too"):
        paddle.jit.save(layer, str(tmp_path / "m"), input_spec=[InputSpec([None, 3])])
    wanted = layer(x), layer.scaled(x)
    paddle.jit.save(layer, str(tmp_path / "m"))
    paddle.jit.save(layer, str(tmp_path / "m_v2"))
    loaded = paddle.jit.load(str(tmp_path / "m"))
    same(loaded(x), wanted[0])
    same(loaded.scaled(x), wanted[1])
    assert not hasattr(loaded, "v2")


def test_loaded_layers_train_and_are_saved_again(tmp_path, x):
    layer = Net()
    paddle.jit.save(layer, str(tmp_path / "m"), input_spec=[InputSpec([None, 3])])
    loaded = paddle.jit.load(str(tmp_path / "m"))
    assert not loaded.training and list(loaded.state_dict()) == [f"param_{i}" for i in range(4)]
    assert [s.shape for s in loaded._input_spec()] == [(-1, 3)] == [s.shape for s in loaded._output_spec()]
    for m in (layer, loaded):
        m.train()
        adam = paddle.optimizer.Adam(0.1, parameters=m.parameters())
        for _ in range(3):
            (m(x) ** 2).mean().backward()
            adam.step()
            adam.clear_grad()
    same(loaded(x), layer(x))
    paddle.jit.save(loaded, str(tmp_path / "again"))
    same(paddle.jit.load(str(tmp_path / "again"))(x), layer(x))


@pytest.mark.parametrize("options", [{}, {"full_graph": True}])
def test_loaded_layers_are_part_of_other_layers(tmp_path, x, options):
    paddle.jit.save(Net(), str(tmp_path / "m"), input_spec=[InputSpec([None, 3])])

    class Outer(nn.Layer):
        def __init__(self):
            super().__init__()
            self.inner, self.fc = paddle.jit.load(str(tmp_path / "m")), nn.Linear(3, 2)

        def forward(self, x):
            return self.fc(self.inner(x))

    outer = Outer()
    wanted = outer(x)
    outer = to_static(outer, **options)
    same(outer(x), wanted)
    paddle.jit.save(outer, str(tmp_path / "outer"), input_spec=[InputSpec([None, 3])])
    same(paddle.jit.load(str(tmp_path / "outer"))(x), wanted)
    outer(x).sum().backward()
    assert all(p.grad is not None for p in outer.parameters())


def test_outputs_and_inputs_are_pruned(tmp_path, x):
    specs = [InputSpec([None, 3], name="image"), InputSpec([None, 1], "int64", name="label")]
    layer = to_static(Classifier(), input_spec=specs, full_graph=True)
    assert [s.name for s in layer.forward.inputs] == ["image", "label"]
    first = layer.forward.outputs[:1]
    paddle.jit.save(layer, str(tmp_path / "m"), input_spec=specs[:1], output_spec=first)
    loaded = paddle.jit.load(str(tmp_path / "m"))
    assert [s.name for s in loaded._input_spec()] == ["image"]
    same(loaded(x), layer.fc(x))
    with pytest.raises(ValueError, match="none of the function's 2"):
        paddle.jit.save(layer, str(tmp_path / "m"), output_spec=[paddle.ones([1])])


def test_inputs_of_an_earlier_call_are_pruned(tmp_path, x):
    layer = to_static(Classifier())
    layer(x, paddle.zeros([x.shape[0], 1], "int64"))
    first = layer.forward.outputs[:1]
    paddle.jit.save(layer, str(tmp_path / "m"), input_spec=layer.forward.inputs[:1], output_spec=first)
    loaded = paddle.jit.load(str(tmp_path / "m"))
    assert len(loaded._input_spec()) == 1
    same(loaded(x), layer.fc(x))


@pytest.mark.parametrize("spec", [InputSpec([None, 4]), InputSpec([None, 3], "float64"), InputSpec([None, 3, 1])])
def test_specifications_must_agree(tmp_path, spec):
    layer = to_static(Net(), input_spec=[InputSpec([None, 3])], full_graph=True)
    with pytest.raises(ValueError, match="must agree"):
        paddle.jit.save(layer, str(tmp_path / "m"), input_spec=[spec])
    paddle.jit.save(layer, str(tmp_path / "m"), input_spec=[InputSpec([4, 3])])


def test_nested_inputs_and_sorted_outputs(tmp_path, x):
    class Nested(nn.Layer):
        @to_static(
            input_spec=[[InputSpec([None]), {"x": InputSpec([None, 3]), "y": InputSpec([None, 3])}]], full_graph=True
        )
        def forward(self, parts):
            return {"z": parts[1]["x"] + parts[0], "a": {"c": parts[1]["y"] * 2}}

    layer = Nested()
    assert [s.name for s in layer.forward.inputs] == ["parts_0", "x", "y"]
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        paddle.jit.save(layer, str(tmp_path / "m"))
    assert "lexicographical" in str(said[-1].message)
    one = paddle.ones([1])
    first, second = paddle.jit.load(str(tmp_path / "m"))([one, {"x": x, "y": x}])
    same(first, x * 2)
    same(second, x + 1)


@dataclasses.dataclass
class Output(collections.OrderedDict):
    """Its fields are its items too."""

    first: paddle.Tensor = None
    second: paddle.Tensor = None

    def __post_init__(self):
        self.update({k: v for k, v in vars(self).items() if v is not None})


@pytest.mark.parametrize(
    ("result", "saved"),
    [
        (lambda x, y: (y, y), [3]),
        (lambda x, y: [y, [x + 2, y]], [3, 2]),
        (lambda x, y: (y, y * 1), [3, 3]),
        (lambda x, y: Output(y), [3]),
        (lambda x, y: Output(y, x + 2), [3, 2]),
    ],
)
def test_an_output_is_saved_once(tmp_path, result, saved):
    class Net(nn.Layer):
        def forward(self, x):
            return result(x, x + 3)

    layer = to_static(Net(), input_spec=[InputSpec([2])], full_graph=True)
    zero = paddle.zeros([2])
    result_now = layer(zero)
    same((list(result_now.values()) if isinstance(result_now, dict) else result_now)[0], zero + 3)
    paddle.jit.save(layer, str(tmp_path / "m"))
    loaded = paddle.jit.load(str(tmp_path / "m"))(zero)
    loaded = loaded if isinstance(loaded, list) else [loaded]
    assert [float(v[0]) for v in loaded] == saved


def test_options_are_checked(tmp_path, x):
    paddle.jit.save(Net(), str(tmp_path / "m"), skip_forward=True)
    with pytest.raises(ValueError, match="does not exist"):
        paddle.jit.load(str(tmp_path / "m"))
    for options in ({"model_filename": ""}, {"params_filename": ""}, {"separate_params": True}):
        with pytest.raises(ValueError, match="jit.load"):
            paddle.jit.load(str(tmp_path / "m"), **options)
    with pytest.raises(ValueError, match="unknown option"):
        paddle.jit.save(Net(), str(tmp_path / "m"), model_filename="")

    class WithProperty(Net):
        @to_static(property=True)
        def classes(self):
            return 3

    layer = WithProperty()
    assert layer.classes() == 3
    paddle.jit.save(layer, str(tmp_path / "p"), input_spec=[InputSpec([None, 3])], combine_params=True)
    same(paddle.jit.load(str(tmp_path / "p"))(x), layer(x))


def test_methods_of_a_layer_saved_without_forward_are_loaded(tmp_path, x):
    class Encoder(Net):
        @to_static(input_spec=[InputSpec([None, 3])])
        def encode(self, x):
            return super().forward(x)

    layer, path = Encoder(), str(tmp_path / "m")
    paddle.jit.save(layer, path, skip_forward=True)
    loaded = paddle.jit.load(path)
    same(loaded.encode(x), layer(x))
    for use in (lambda: loaded(x), loaded.program, loaded._input_spec):
        with pytest.raises(ValueError, match="there is no method 'forward'; the methods are \\['encode'\\]"):
            use()


EXPRESSIONS = [
    lambda x: x[:, : x.shape[1] - 1],
    lambda x: x.reshape([x.shape[0] * x.shape[1], 1]),
    lambda x: x.reshape([x.shape[0] // 2, -1]),
    lambda x: paddle.zeros([x.shape[0] + 1, x.shape[1] % 2 + 1]) + 1,
    lambda x: x.flatten()[: x.shape[0] * x.shape[1] - 2],
    lambda x: paddle.arange(x.shape[0] * 2 + 1) * x.shape[1],
    lambda x: paddle.concat([x, x], 0).reshape([2, x.shape[0], x.shape[1]]),
    lambda x: paddle.zeros([paddle.shape(x)[0] - 1, 2]),
    lambda x: paddle.reshape(x, (paddle.shape(x)[1], paddle.shape(x)[0])),
    lambda x: x[paddle.shape(x)[0] - 2 :],
    lambda x: paddle.nonzero(x > 0).reshape([-1]),
    lambda x: nn.functional.interpolate(x[None, None], size=[x.shape[0] * 2, x.shape[1] * 2]),
]


@pytest.mark.parametrize("function", EXPRESSIONS, ids=range(len(EXPRESSIONS)))
def test_expressions_of_extents_are_saved(tmp_path, function):
    paddle.jit.save(function, str(tmp_path / "m"), input_spec=[InputSpec([None, None], name="x")])
    loaded = paddle.jit.load(str(tmp_path / "m"))
    for shape in ([4, 3], [6, 5]):
        x = paddle.to_tensor(np.random.default_rng(1).standard_normal(shape).astype("float32"))
        same(loaded(x), function(x))


def test_loops_that_collect_rows_are_saved(tmp_path, x):
    class Loop(Net):
        def forward(self, x):
            y = self.fc(x)
            if paddle.shape(x)[0] == 1:
                y = self.fc2(y)
            rows, i = [], paddle.zeros([], "int64")
            while i < paddle.shape(x)[0]:
                rows.append(y[i] * 2)
                i += 1
            return paddle.stack(rows)

    layer = Loop()
    paddle.jit.save(layer, str(tmp_path / "m"), input_spec=[InputSpec([None, 3])])
    loaded = paddle.jit.load(str(tmp_path / "m"))
    for n in (1, 2, 4):
        same(loaded(x[:n]), layer(x[:n]))


def test_loops_over_extents_that_vary_are_saved(tmp_path):
    cell = nn.SimpleRNNCell(2, 3)

    @to_static(input_spec=[InputSpec([1, None, 2], name="x")], full_graph=True)
    def steps(x):
        state, states = paddle.zeros([1, 3]), []
        for t in range(x.shape[1]):
            state, _ = cell(x[:, t], state)
            states.append(state)
        return paddle.stack(states, 1)

    paddle.jit.save(steps, str(tmp_path / "m"))
    loaded = paddle.jit.load(str(tmp_path / "m"))
    for length in (1, 4):
        given = paddle.rand([1, length, 2])
        same(loaded(given), nn.RNN(cell)(given)[0])


def test_while_loops_over_extents_that_vary_are_saved(tmp_path):
    @to_static(input_spec=[InputSpec([1, None, 2], name="x")], full_graph=True)
    def weighted(x):
        i, total, left = 0, paddle.zeros([1, 2]), x.shape[1] - 1
        while i < x.shape[1]:
            total = total + x[:, i] * i
            i += 1
        while 0 < left:
            total = total + left
            left -= 1
        return total

    paddle.jit.save(weighted, str(tmp_path / "m"))
    loaded = paddle.jit.load(str(tmp_path / "m"))
    for length in (1, 4):
        given = paddle.rand([1, length, 2])
        wanted = sum(given[:, i] * i for i in range(length)) + sum(range(length))
        same(loaded(given), wanted)
        same(weighted(given), wanted)


def test_branches_on_extents_that_vary_are_saved(tmp_path):
    @to_static(input_spec=[InputSpec([None, 3], name="x")], full_graph=True)
    def f(x):
        if x.shape[0] == 3:
            return x * 2
        y = x if 1 < x.shape[0] <= 4 else x * 7
        assert x.shape[0] == y.shape[0]
        return y + (1 if x.shape[0] > 1 and x.shape[1] == 3 else 0)

    paddle.jit.save(f, str(tmp_path / "m"))
    loaded = paddle.jit.load(str(tmp_path / "m"))
    for count, wanted in ((1, 7), (2, 2), (3, 2), (5, 8)):
        x = paddle.ones([count, 3])
        assert float(loaded(x)[0, 0]) == float(f(x)[0, 0]) == wanted


def test_concrete_programs_are_kept_by_signature():
    def add(a, b, c=1, d=2):
        return a + b

    f = to_static(add)
    first, _ = f.get_concrete_program(InputSpec([None, 10]), InputSpec([10]))
    again, _ = f.get_concrete_program(InputSpec([None, 10]), InputSpec([10]), 1, 2)
    other, _ = f.get_concrete_program(InputSpec([None, 10]), InputSpec([10]), c=2)
    assert again is first and other is not first and len(f.program_cache) == 2
    assert f.program_cache.concrete_programs() == [first, other]
    assert f.program_cache.last()[1][0] is other
    with pytest.raises(ValueError, match="'b'"):
        f.get_concrete_program(InputSpec([10]))
    with pytest.raises(TypeError, match="'e'"):
        f.get_concrete_program(InputSpec([10]), InputSpec([10]), e=4)


def test_outputs_are_saved_by_position(tmp_path):
    @paddle.jit.to_static(full_graph=True, input_spec=[paddle.static.InputSpec([2], "float32")])
    def parts(x):
        return x + 1, x * 2, x.sum()

    path, x = str(tmp_path / "parts"), paddle.to_tensor([1.0, 2.0])
    for spec, values in (([1], [[2.0, 4.0]]), ([2, 0], [3.0, [2.0, 3.0]]), ([-1], [3.0])):
        paddle.jit.save(parts, path, output_spec=spec)
        loaded = paddle.jit.load(path)(x)
        loaded = loaded if isinstance(loaded, (list, tuple)) else [loaded]
        assert [v.tolist() for v in loaded] == values
    with pytest.raises(ValueError, match="3 outputs"):
        paddle.jit.save(parts, path, output_spec=[3])


class Branching(nn.Layer):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)

    def forward(self, x):
        y = self.fc(x)
        if paddle.shape(x)[0] == 1:
            y = y * 2
        i = paddle.zeros([], "int64")
        while i < x.sum().astype("int64"):
            y, i = y + 1, i + 1
        return y


class Wrapped(nn.Layer):
    def __init__(self, path):
        super().__init__()
        self.fc, self.first, self.second = nn.Linear(3, 3), paddle.jit.load(path), paddle.jit.load(path)

    def forward(self, x):
        y = self.first(self.fc(x).abs())
        if paddle.shape(x)[0] == 2:
            y = self.second(y.abs() * 0.1)
        return y


def test_branches_and_loops_of_files_become_part_of_other_programs(tmp_path):
    spec = [InputSpec([None, 3], name="x")]
    paddle.jit.save(Branching(), str(tmp_path / "m"), input_spec=spec)
    layer = Wrapped(str(tmp_path / "m"))
    names = [p.name for p in layer.parameters()]
    assert len(set(names)) == len(names) == 6
    rows = [paddle.rand([n, 3]) for n in (1, 2, 3)]
    expected = [layer(x).numpy() for x in rows]
    gradients = []
    for net in (layer, to_static(layer, full_graph=True)):
        net.train()
        net(rows[1]).sum().backward()
        gradients.append([p.grad.numpy() for p in net.parameters()])
        net.clear_gradients()
    for one, other in zip(*gradients, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)
    paddle.jit.save(layer, str(tmp_path / "again"), input_spec=spec)
    loaded = paddle.jit.load(str(tmp_path / "again"))
    for x, want in zip(rows, expected, strict=True):
        np.testing.assert_allclose(loaded(x).numpy(), want, rtol=1e-5, atol=1e-6)


def test_inputs_of_concrete_programs_keep_their_structure():
    spec = [{"a": InputSpec([None, 3], name="a")}, InputSpec([None, 3])]
    layer = to_static(Pair(), input_spec=spec, full_graph=True)
    owner, first, second = layer.forward.concrete_program.inputs
    assert owner is layer and list(first) == ["a"]
    assert first["a"].shape == [-1, 3] and second.shape == (-1, 3)
    assert [s.name for s in layer.forward.inputs] == ["a", "y"]


class Pair(nn.Layer):
    def forward(self, x, y):
        return x["a"] + y


class _Head(nn.Layer):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 3)

    @paddle.jit.to_static(full_graph=True)
    def forward(self, x):
        scores = self.linear(x)
        return scores.mean(), scores, scores * 2


def test_an_output_may_be_given_as_the_tensor_of_a_call(tmp_path):
    layer, x = _Head(), paddle.rand([2, 4])
    mean, scores, _ = layer(x)
    paddle.jit.save(layer, str(tmp_path / "m"), input_spec=[x], output_spec=[mean])
    np.testing.assert_allclose(paddle.jit.load(str(tmp_path / "m"))(x).numpy(), mean.numpy(), rtol=1e-6)
    with pytest.raises(ValueError, match="or may be several"):
        paddle.jit.save(layer, str(tmp_path / "m"), input_spec=[x], output_spec=[scores])
