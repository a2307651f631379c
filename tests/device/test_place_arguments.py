# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Arguments that say where a tensor is made: `Place` of operators, `place`, `device` and `pin_memory` of functions."""

import inspect

import numpy as np
import paddle
import pytest

from tests.device.skeleton import place, there
from tests.test_op_cases import BUILT_IN, CASES, bind, compare, run, seeded

HOST = paddle.CPUPlace()
# Every operator of the registry with an argument of type Place.
TAKES_PLACE = [n for n in BUILT_IN if any(a[1] == "Place" for a in paddle._core.describe_op(n)["arguments"])]


def device_of(name):
    return place() if name == "skeleton" else HOST


def test_every_operator_with_a_place_has_a_row():
    assert {"full", "full_like", "copy_to", "tril_indices"} <= set(TAKES_PLACE)
    assert not set(TAKES_PLACE) - {c.op for c in CASES}


@pytest.mark.filterwarnings("ignore")  # which operators run on the host
@pytest.mark.parametrize("current", ["cpu", "skeleton"])
@pytest.mark.parametrize("asked", ["cpu", "skeleton"])
@pytest.mark.parametrize("captured", [False, True], ids=["eager", "captured"])
@pytest.mark.parametrize("name", TAKES_PLACE)
def test_the_place_argument_decides(name, asked, current, captured):
    """Wherever the tensors of the call and the current device are."""
    place()  # loads the device
    for case in [c for c in CASES if c.op == name]:
        paddle.set_device("skeleton:0" if current == "skeleton" else "cpu")
        try:
            tensors, values = bind(case.args(seeded()), case.dtypes[0])
            tensors["place"] = device_of(asked)
            keys = [k for k, v in tensors.items() if isinstance(v, paddle.Tensor)]

            def call(*given, case=case, tensors=tensors, keys=keys):
                return run(case, {**tensors, **dict(zip(keys, given, strict=True))})

            program = paddle.jit.to_static(call, full_graph=True) if captured else call
            outs = program(*[tensors[k] for k in keys])
            outs = outs if isinstance(outs, list | tuple) else (outs,)
            assert [str(t.place) for t in outs] == [str(device_of(asked))] * len(outs)
            compare(case, outs, values, case.dtypes[0])
        finally:
            paddle.set_device("cpu")


def test_a_like_reads_no_value_of_the_other_device():
    x = there(np.ones((3, 4), "float32"))
    before = paddle._core.host_reads()
    out = paddle.zeros_like(x[:, ::2], device="cpu")
    assert out.place == HOST and out.shape == [3, 2] and paddle._core.host_reads() == before
    assert paddle.ones_like(x).place == place() and paddle.ones_like(out).place == HOST


def test_the_type_of_a_captured_result_has_the_asked_place():
    @paddle.jit.to_static(full_graph=True)
    def program(x):
        return paddle.full_like(x, 2.0, device="skeleton:0") * x.to("skeleton:0")

    place()
    np.testing.assert_array_equal(program(paddle.to_tensor([3.0, 4.0])).numpy(), [6, 8])
    text = str(program.concrete_program.main_program)
    lines = [line for line in text.splitlines() if "full_like" in line or "copy_to" in line]
    assert len(lines) == 2 and all("skeleton:0" in line.rpartition("->")[2] for line in lines), text


X = np.array([[1.0, 2.0], [3.0, 4.0]], "float32")
# Calls that take `device`; of every function that makes a tensor.
CALLS = {
    "zeros": ([2],),
    "ones": ([2],),
    "empty": ([2],),
    "full": ([2], 1.5),
    "eye": (2,),
    "arange": (3,),
    "range": (0, 3),
    "linspace": (0, 1, 3),
    "logspace": (0, 1, 3),
    "rand": ([2],),
    "randn": ([2],),
    "standard_normal": ([2],),
    "uniform": ([2],),
    "randint": (0, 4, [2]),
    "randperm": (4,),
    "tril_indices": (3, 3),
    "triu_indices": (3, 3),
    "zeros_like": ("x",),
    "ones_like": ("x",),
    "empty_like": ("x",),
    "full_like": ("x", 2.0),
    "rand_like": ("x",),
    "randn_like": ("x",),
    "randint_like": ("x", 0, 5),
    "as_tensor": ("x",),
    "asarray": ("x",),
    "from_dlpack": ("x",),
    "hann_window": (4,),
    "hamming_window": (4,),
    "bartlett_window": (4,),
    "blackman_window": (4,),
    "kaiser_window": (4,),
    "tensor": ("x",),
    "Tensor.new_zeros": ("x", [2]),
    "Tensor.new_ones": ("x", [2]),
    "Tensor.new_empty": ("x", [2]),
    "Tensor.new_full": ("x", [2], 1.5),
    "Tensor.zeros_like": ("x",),
    "Tensor.ones_like": ("x",),
    "fft.fftfreq": (4,),
    "fft.rfftfreq": (4,),
}


def found(path):
    value = paddle
    for part in path.split("."):
        value = getattr(value, part)
    return value


def test_no_function_with_a_device_is_left_out():
    missing = []
    for owner, module in (("", paddle), ("Tensor.", paddle.Tensor), ("fft.", paddle.fft)):
        for name in dir(module):
            function = getattr(module, name, None)
            if name.startswith("_") or inspect.isclass(function) or not callable(function):
                continue
            try:
                parameters = inspect.signature(function).parameters
            except (TypeError, ValueError):
                continue
            if "device" in parameters and owner + name not in CALLS and owner + name not in OTHERS:
                missing.append(owner + name)
    assert not missing


# They take a device to set or ask something of it, or to move what there is.
OTHERS = set(
    "get_device_module set_default_device set_device get_rng_state set_rng_state Tensor.to Tensor.cuda".split()
)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("path", CALLS)
def test_device_of_a_function_decides(path):
    for device, source in (("skeleton:0", "cpu"), ("cpu", "skeleton:0"), ("skeleton:1", "skeleton:0")):
        place()
        if path == "from_dlpack" and source != "cpu":
            continue  # host code may not see that memory
        paddle.set_device(source)
        try:
            args = [paddle.to_tensor(X) if a == "x" else a for a in CALLS[path]]
            out = found(path)(*args, device=device)
            assert paddle._core.place_text(out.place) == device
            assert paddle.get_device() == source
            assert paddle.ones([1]).place == args[0].place if CALLS[path][0] == "x" else True
            out.numpy()
        finally:
            paddle.set_device("cpu")


def test_other_functions_that_take_a_place():
    x = paddle.to_tensor(X)
    assert paddle.tensor.fill_constant([2], "float32", 1.0, place=place()).place == place()
    assert paddle.to_tensor(x, place=place()).place == place()
    assert paddle.to_tensor(there(X), place="cpu").place == HOST
    assert x._copy_to(place(), True).place == place()
    paddle.set_device("skeleton:0")
    try:
        assert paddle.tensor.fill_constant([2], "float32", 1.0, force_cpu=True).place == HOST
    finally:
        paddle.set_device("cpu")


def test_parameters_and_state_lie_on_the_asked_device():
    layers = [
        paddle.compat.nn.Linear(3, 2, device=place()),
        paddle.compat.nn.MultiheadAttention(4, 2, kdim=3, add_bias_kv=True, device="skeleton:0"),
    ]
    for layer in layers:
        assert {p.place for p in layer.parameters()} == {place()}
    helper = paddle.base.layer_helper.LayerHelper("made")
    made = helper.create_parameter(None, [2], "float32", device="skeleton:0")
    assert made.place == place() and paddle.nn.Layer().create_parameter([2], device="skeleton:1").place == place(1)
    optimizer = paddle.optimizer.Optimizer(0.1, parameters=[made])
    state = optimizer._add_accumulator("moment", made, fill_value=2.0, device="cpu")
    assert state.place == HOST and state.tolist() == [2.0, 2.0]


def test_sparse_tensors_lie_on_the_asked_device():
    pair = paddle.sparse.sparse_coo_tensor([[0, 1], [1, 0]], paddle.to_tensor([1.0, 2.0]), [2, 2], place=place())
    rows = paddle.sparse.sparse_csr_tensor([0, 1, 2], [1, 0], [1.0, 2.0], [2, 2], place=place())
    for t in (pair.indices(), pair.values(), rows.crows(), rows.cols(), rows.values()):
        assert t.place == place()
    np.testing.assert_array_equal(pair.to_dense().numpy(), rows.to_dense().numpy())


def test_numbers_asked_for_elsewhere_are_drawn_there():
    place()
    paddle.seed(7)
    host, device = paddle.get_rng_state("cpu"), paddle.get_rng_state("skeleton:0")
    drawn = paddle.rand([8], device="skeleton:0")
    assert paddle.get_rng_state("cpu") == host and paddle.get_rng_state("skeleton:0") != device
    np.testing.assert_array_equal(drawn.numpy(), paddle.rand([8]).numpy())


def test_page_locked_memory():
    x = there(X)
    pinned = x.pin_memory()
    assert pinned.place == HOST and paddle._core.is_pinned(pinned) and not paddle._core.is_pinned(x.cpu())
    assert pinned.pin_memory() is pinned
    np.testing.assert_array_equal(pinned.numpy(), X)
    np.testing.assert_array_equal(pinned.to("skeleton:0").numpy(), X)
    made = paddle.ones([2, 2], device="skeleton:0", pin_memory=True)
    assert paddle._core.is_pinned(made) and made.place == HOST
    np.testing.assert_array_equal((there(X) + made.to("skeleton:0")).numpy(), X + 1)
    assert not paddle._core.is_pinned(paddle.ones([2], pin_memory=True))  # the CPU needs none


def test_page_locked_memory_of_devices_without_it_is_refused():
    with pytest.raises(RuntimeError, match=r"pin_memory: Place\(skeleton:1\) has no page-locked memory"):
        there(X, index=1).pin_memory()
    with pytest.raises(RuntimeError, match="page-locked"):
        paddle.to_tensor(X).pin_memory()
    with pytest.raises(RuntimeError, match="page-locked"):
        paddle.rand([2], device="skeleton:1", pin_memory=True)
