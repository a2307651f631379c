# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Operators of PaddlePaddle 2 by their old names: descriptions, calls in every mode, operators over scopes."""

import numpy as np
import paddle
import pytest
from paddle._legacy.operators.slots.attributes import dtype_of_number
from paddle._legacy.operators.slots.call import call
from paddle._legacy.operators.slots.table import TABLE
from paddle.base import core, op_proto
from paddle.base.proto import framework_pb2 as messages


@pytest.fixture
def x():
    return np.random.default_rng(0).standard_normal((2, 3)).astype("float32")


def test_every_operator_that_is_translated_is_described():
    translated = {*paddle._core.pir.translated_operators(), *TABLE}
    assert translated == set(op_proto.described_operators()) and len(translated) > 300
    for data in core.get_all_op_protos():
        assert messages.OpProto.FromString(data).type in translated


def test_descriptions():
    proto = op_proto.OpProtoHolder.instance().get_op_proto("slice")
    assert [v.name for v in proto.inputs][:2] == ["Input", "StartsTensor"]
    assert [v.dispensable for v in proto.inputs] == [False, True, True, True, True]
    assert [v.duplicable for v in proto.inputs][-2:] == [True, True]
    assert {a.name: a.type for a in proto.attrs}["axes"] == messages.INTS
    today = op_proto.OpProtoHolder.instance().get_op_proto("add")
    assert [v.name for v in today.inputs] == ["x", "y"]
    assert core.get_attrtibute_type("dropout", "dropout_prob") == messages.FLOAT


def test_signatures():
    signature = paddle.base.framework._dygraph_tracer()._get_kernel_signature
    assert signature("matmul_v2", {}, {}, {}) == (["X", "Y"], ["trans_x", "trans_y"], ["Out"])
    attributes = ["axes", "StartsTensor", "ends", "infer_flags", "decrease_axis"]
    assert signature("slice", {"StartsTensor": [1]}, {}, {}) == (["Input"], attributes, ["Out"])
    with pytest.raises(RuntimeError, match="no_such"):
        signature("no_such", {}, {}, {})


def test_a_call_at_once_has_a_gradient(x):
    t = paddle.to_tensor(x, stop_gradient=False)
    got = call("matmul_v2", {"X": [t], "Y": t}, {"Out": 1}, {"trans_y": True})["Out"][0]
    np.testing.assert_allclose(got.numpy(), x @ x.T, rtol=1e-6)
    got.sum().backward()
    np.testing.assert_allclose(t.grad.numpy(), 2 * np.ones((2, 2), "float32") @ x, rtol=1e-5)
    with pytest.raises(ValueError, match="no input"):
        call("relu", {"x": t}, {"Out": 1}, {})
    with pytest.raises(NotImplementedError, match="no_such"):
        call("no_such", {"X": t}, {"Out": 1}, {})


def test_optional_results_and_attributes_of_arrays(x):
    found = call("reshape2", {"X": paddle.to_tensor(x)}, {"Out": 1, "XShape": 1}, {"shape": np.array([3, 2])})
    assert found["Out"][0].shape == [3, 2] and found["XShape"] == [None]
    cast = call("cast", {"X": paddle.to_tensor(x)}, {"Out": 1}, {"out_dtype": core.VarDesc.VarType.FP64})
    assert cast["Out"][0].dtype == paddle.float64


def test_training_and_test_form():
    paddle.seed(0)
    t = paddle.ones([1000])
    rate = {"dropout_prob": 0.5, "dropout_implementation": "upscale_in_train"}
    kept = call("dropout", {"X": t}, {"Out": 1, "Mask": 1}, {**rate, "is_test": False})["Out"][0]
    assert 0.3 < float((kept == 0).astype("float32").mean()) < 0.7
    assert (call("dropout", {"X": t}, {"Out": 1}, {**rate, "is_test": True})["Out"][0] == t).all()


@pytest.mark.parametrize("guard", ["IrGuard", "OldIrGuard"])
def test_operators_of_blocks_have_gradients(x, guard):
    with getattr(paddle.pir_utils, guard)():
        assert paddle.framework.in_pir_mode() == (guard == "IrGuard")
        program = paddle.base.Program()
        block = program.global_block()
        a = block.create_var(name="X", shape=[2, 3], dtype=np.dtype("float32"))
        out = block.create_var(name="Out", dtype=np.dtype("float32"), shape=None)
        loss = block.create_var(dtype=out.dtype, shape=[1])
        made = block.append_op(type="tanh", inputs={"X": "X"}, outputs={"Out": out}, attrs={})
        made.desc.infer_shape(block.desc)
        block.append_op(type="mean", inputs={"X": [out]}, outputs={"Out": loss})
        assert made.output_names == ["Out"] and made.input("X") == ["X"] and out.shape == [2, 3]
        pairs = paddle.base.backward.append_backward(loss, parameter_list=["X"], no_grad_set=set())
        fed = core.DenseTensor()
        fed.set(x, paddle.CPUPlace())
        run = paddle.base.Executor().run
        got, slope = run(program, {"X": fed}, ["Out", pairs[0][1]], return_numpy=False)
        assert pairs[0][0] is a and pairs[0][1].name == "X@GRAD"
    np.testing.assert_allclose(np.array(got), np.tanh(x), rtol=1e-6)
    np.testing.assert_allclose(np.array(slope), (1 - np.tanh(x) ** 2) / 6, rtol=1e-5)
    assert paddle.in_dynamic_mode() and paddle.framework.use_pir_api()


def test_operators_over_scopes(x):
    desc = messages.OpDesc(type="scale")
    desc.inputs.add(parameter="X", arguments=["a"])
    desc.outputs.add(parameter="Out", arguments=["b"])
    desc.attrs.add(name="scale", type=messages.FLOAT, f=2.0)
    operator = core.Operator.create(desc.SerializeToString())
    scope = core.Scope()
    a, b = scope.var("a").get_tensor(), scope.var("b")
    with pytest.raises(RuntimeError, match="a has no value"):
        operator.run(scope, paddle.CPUPlace())
    a.set(x, paddle.CPUPlace())
    a._set_float_element(1, 5.0)
    assert a._get_float_element(1) == 5.0
    with pytest.raises(ValueError, match="element 6"):
        a._get_float_element(6)
    operator.run(scope, paddle.CPUPlace())
    x[0, 1] = 5.0
    np.testing.assert_allclose(np.array(b.get_tensor()), 2 * x)
    assert operator.type() == "scale" and operator.input_vars() == ["a"]


def test_rows_that_are_sequences():
    t = core.DenseTensor()
    t.set(np.arange(6.0).reshape(3, 2), paddle.CPUPlace())
    t.set_recursive_sequence_lengths([[2, 1]])
    assert t.lod() == [[0, 2, 3]] and t.has_valid_recursive_sequence_lengths()
    t.set_lod([[0, 1, 3]])
    assert t.recursive_sequence_lengths() == [[1, 2]]
    made = paddle.base.create_lod_tensor([[1, 2], [3]], [[2, 1]], paddle.CPUPlace())
    assert made.shape() == [3, 1] and made.lod() == [[0, 2, 3]]
    with pytest.raises(AssertionError, match="sequences"):
        paddle.base.create_lod_tensor([[1, 2], [3]], [[1, 1]], paddle.CPUPlace())


def test_flags_that_are_kept():
    flag = "FLAGS_use_mkldnn"
    before = paddle.get_flags([flag, "FLAGS_check_nan_inf"])
    paddle.set_flags({flag: 1})
    assert paddle.get_flags(flag) == {flag: True} and core.globals()[flag] is True
    paddle.set_flags({flag: before[flag]})
    with pytest.raises(ValueError):
        paddle.set_flags({flag: "perhaps"})
    with pytest.raises(ValueError):
        paddle.get_flags("FLAGS_no_such")


def test_whole_numbers_that_want_a_gradient_get_one_in_whole_numbers():
    index = paddle.to_tensor([1, 0], stop_gradient=False)
    index.stop_gradient = False
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    (paddle.gather(x, index) * index.astype("float32")).sum().backward()
    assert x.grad.tolist() == [0.0, 1.0]
    assert index.grad.dtype == paddle.int64 and index.grad.tolist() == [2, 1]


def test_numbers_of_dtypes():
    kinds = core.VarDesc.VarType
    assert [int(t) for t in (kinds.BOOL, kinds.INT64, kinds.FP32, kinds.FP64, kinds.BF16)] == [0, 3, 5, 6, 22]
    assert dtype_of_number(5) is paddle.float32


def test_operators_that_are_functions(x):
    t = paddle.to_tensor(x)
    scores, label = paddle.to_tensor([[2, 0], [1, 2]]), paddle.to_tensor([[0], [0]])
    found = call("accuracy", {"Out": t, "Indices": scores, "Label": label}, {"Accuracy": 1, "Total": 1}, {})
    assert float(found["Accuracy"][0]) == 0.5 and int(found["Total"][0]) == 2
    norm = float(np.sqrt((x * x).sum()))
    clipped = call("clip_by_norm", {"X": t}, {"Out": 1}, {"max_norm": norm / 2})["Out"][0]
    np.testing.assert_allclose(clipped.numpy(), x / 2, rtol=1e-5)
    mask = call("sequence_mask", {"X": paddle.to_tensor([1, 2])}, {"Y": 1}, {"maxlen": -1, "out_dtype": 5})
    assert mask["Y"][0].tolist() == [[1.0, 0.0], [1.0, 1.0]] and mask["Y"][0].dtype == paddle.float32
    product = call("multi_dot", {"X": [t, t.T]}, {"Out": 1}, {})["Out"][0]
    np.testing.assert_allclose(product.numpy(), x @ x.T, rtol=1e-5)
    summed = call("einsum", {"Operands": [t]}, {"Out": 1, "XShape": 2}, {"equation": "ij->j"})
    np.testing.assert_allclose(summed["Out"][0].numpy(), x.sum(0), rtol=1e-5)
    assert summed["XShape"] == [None, None]


def test_maxima_of_boxes_have_positions_in_their_channel():
    x = paddle.arange(32, dtype="float32").reshape([1, 2, 4, 4])
    inputs = {"X": x, "ROIs": paddle.to_tensor([[0.0, 0.0, 1.0, 1.0]]), "RoisNum": paddle.to_tensor([1], "int32")}
    found = call("roi_pool", inputs, {"Out": 1, "Argmax": 1}, {"pooled_height": 1, "pooled_width": 1})
    assert found["Argmax"][0].flatten().tolist() == [5, 5] and found["Out"][0].flatten().tolist() == [5, 21]


def probabilities(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def test_cross_entropy_of_probabilities(x):
    p, classes = probabilities(x), np.array([[2], [-100]])
    given = {"X": paddle.to_tensor(p), "Label": paddle.to_tensor(classes)}
    for name in ("cross_entropy", "cross_entropy2"):
        got = call(name, given, {"Y": 1}, {"ignore_index": -100})["Y"][0]
        np.testing.assert_allclose(got.numpy(), [[-np.log(p[0, 2])], [0]], rtol=1e-5)
    soft = {"X": given["X"], "Label": paddle.to_tensor(p[::-1].copy())}
    got = call("cross_entropy", soft, {"Y": 1}, {"soft_label": True})["Y"][0]
    np.testing.assert_allclose(got.numpy(), -(p[::-1] * np.log(p)).sum(1, keepdims=True), rtol=1e-5)


def test_determinants_and_variances_apart(x):
    square = x @ x.T
    found = call("slogdet_v2", {"x": paddle.to_tensor(square)}, {"sign": 1, "logdet": 1}, {})
    sign, logdet = np.linalg.slogdet(square)
    np.testing.assert_allclose([float(found["sign"][0]), float(found["logdet"][0])], [sign, logdet], rtol=1e-4)
    got = call("variance", {"x": paddle.to_tensor(x)}, {"out": 1}, {"axis": [1], "keepdim": True})["out"][0]
    np.testing.assert_allclose(got.numpy(), x.var(1, keepdims=True), rtol=1e-5)


def test_images_that_are_correlated():
    a, b = np.random.default_rng(1).standard_normal((2, 1, 3, 5, 6)).astype("float32")
    sizes = {"pad_size": 4, "kernel_size": 1, "max_displacement": 4, "stride1": 2, "stride2": 2}
    given = {"Input1": paddle.to_tensor(a), "Input2": paddle.to_tensor(b)}
    got = call("correlation", given, {"Output": 1}, {**sizes, "corr_type_multiply": 1})["Output"][0]
    wide = np.pad(b, ((0, 0), (0, 0), (4, 4), (4, 4)))
    moved = [(dy, dx) for dy in range(0, 9, 2) for dx in range(0, 9, 2)]
    want = [(a * wide[:, :, dy : dy + 5, dx : dx + 6]).mean(1)[:, ::2, ::2] for dy, dx in moved]
    np.testing.assert_allclose(got.numpy(), np.stack(want, 1), rtol=1e-4, atol=1e-6)
    with pytest.raises(NotImplementedError, match="kernel"):
        call("correlation", given, {"Output": 1}, {**sizes, "kernel_size": 3})


def test_packed_tables_and_trees():
    codes = np.arange(16, dtype="uint8").reshape(2, 8) * 9
    table = np.concatenate([np.array([[-1, 1], [2, 6]], "float32"), codes.view("float32")], 1)
    given = {"W": paddle.to_tensor(table), "Ids": paddle.to_tensor([[1], [0], [1]])}
    got = call("lookup_table_dequant", given, {"Out": 1}, {"padding_idx": -1})["Out"][0]
    rows = codes * np.array([[2 / 256], [4 / 256]]) + np.array([[-1], [2]])
    np.testing.assert_allclose(got.numpy(), rows[[1, 0, 1]], rtol=1e-6)
    # item, level, parent, children: 1 has 2 and 3, of which 2 is an inner node without an item
    tree = np.array([[0, 0, 0, 0, 0], [7, 0, 0, 2, 3], [0, 1, 1, 0, 0], [8, 1, 1, 0, 0]], "int32")
    given = {"X": paddle.to_tensor(np.array([[1], [3]], "int32")), "TreeInfo": paddle.to_tensor(tree)}
    found = call("tdm_child", given, {"Child": 1, "LeafMask": 1}, {"child_nums": 2, "dtype": 2})
    assert found["Child"][0].tolist() == [[[2, 3]], [[0, 0]]]
    assert found["LeafMask"][0].tolist() == [[[0, 1]], [[0, 0]]]


def test_seeds_and_closed_ranges():
    assert call("seed", {}, {"Out": 1}, {"seed": 5})["Out"][0].tolist() == [5]
    with pytest.raises(NotImplementedError, match="drawn"):
        call("seed", {}, {"Out": 1}, {"seed": 0})
    for end, want in ((6.0, [0, 2, 4, 6]), (7.0, [0, 2, 4, 6]), (-1.0, [])):
        bounds = {"Start": [0.0], "End": [end], "Step": [2.0]}
        given = {slot: paddle.to_tensor(v) for slot, v in bounds.items()}
        assert call("range_v2", given, {"Out": 1}, {})["Out"][0].tolist() == want
