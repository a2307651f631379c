# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Programs that come back from files are programs: they have operators, are copied, extended and saved again."""

import numpy as np
import paddle
import pytest
from paddle import static

ROWS = np.arange(6, dtype="float32").reshape(2, 3)


@pytest.fixture
def net(fresh):
    """(input, output, loss) of a linear model with weights of 0.5; the startup program was run."""
    x = static.data("x", [None, 3])
    y = paddle.nn.Linear(3, 2, weight_attr=paddle.nn.initializer.Constant(0.5))(x)
    loss = paddle.mean(y)
    paddle.optimizer.Adam(0.1).minimize(loss)
    static.Executor().run(fresh[1])
    return x, y, loss


def test_an_exported_program_is_a_program(net, tmp_path):
    exe, path = static.Executor(), str(tmp_path / "m")
    static.save_inference_model(path, [net[0]], [net[1]], exe)
    program, names, targets = static.load_inference_model(path, exe)
    expected = np.repeat(ROWS.sum(1, keepdims=True) / 2, 2, 1)
    assert np.allclose(exe.run(program, feed={names[0]: ROWS}, fetch_list=targets)[0], expected)
    assert isinstance(program, static.Program) and program.num_blocks == 1 and len(program.all_parameters()) == 2
    assert "pd_op.matmul" in [op.name() for op in program.global_block().ops]
    assert list(targets[0].shape) == [-1, 2] and targets[0].dtype == paddle.float32
    copy = program.clone(for_test=True)
    assert np.allclose(exe.run(copy, feed={"x": ROWS}, fetch_list=targets)[0], expected)
    with static.program_guard(program):
        more = targets[0].variable * 2
    assert np.allclose(exe.run(program, feed={"x": ROWS}, fetch_list=[more])[0], expected * 2)
    again = str(tmp_path / "again")
    static.save_inference_model(again, [program.global_block().var("x")], targets, exe, program=program)
    program, names, targets = static.load_inference_model(again, exe)
    assert np.allclose(exe.run(program, feed={names[0]: ROWS}, fetch_list=targets)[0], expected)


def test_an_exported_program_comes_from_the_contents_of_its_files(net, tmp_path):
    exe, path = static.Executor(), str(tmp_path / "m")
    static.save_inference_model(path, [net[0]], [net[1]], exe)
    contents = [static.load_from_file(path + ending) for ending in (".json", ".pdiparams")]
    names = dict(zip(("model_filename", "params_filename"), contents, strict=True))
    program, (feed,), targets = static.load_inference_model(None, exe, **names)
    (result,) = exe.run(program, feed={feed: ROWS}, fetch_list=targets)
    assert np.allclose(result, np.repeat(ROWS.sum(1, keepdims=True) / 2, 2, 1))
    with pytest.raises(ValueError, match="contents"):
        static.load_inference_model(None, exe)


def test_what_names_no_files_is_refused(net, tmp_path):
    exe = static.Executor()
    for prefix in (3, str(tmp_path) + "/"):
        with pytest.raises(ValueError, match="path_prefix"):
            static.save_inference_model(prefix, [net[0]], [net[1]], exe)
    with pytest.raises(ValueError, match="path_prefix"):
        static.load_inference_model(3, exe)
    with pytest.raises(TypeError, match="bytes"):
        static.deserialize_program(3)
    with pytest.raises(TypeError, match="deserialize_program"):
        static.deserialize_persistables(static.Program(), b"", exe)


def test_settings_of_variables_are_checked(fresh):
    with pytest.raises(TypeError, match="shape"):
        static.create_global_var("a", 1.0, "float32")
    with pytest.raises(ValueError, match="rank"):
        static.nn.group_norm(static.data("x", [3]), 3)
    with pytest.raises(ValueError, match="data_layout"):
        static.nn.group_norm(static.data("y", [2, 3]), 3, data_layout="NC")
    with pytest.raises(AssertionError, match="inputs"):
        static.nn.static_pylayer(lambda x: x, 3)


def test_a_training_program_goes_on_from_a_file(fresh, net, tmp_path):
    main, path = fresh[0], str(tmp_path / "train.json")
    paddle.save(main, path)
    again = paddle.load(path)
    assert isinstance(again, static.Program)
    name = next(p.name for p in again.all_parameters() if p.shape == [3, 2])
    weight, exe = static.global_scope().find_var(name).get_tensor(), static.Executor()
    for program, expected in ((main, 0.4), (again, 0.3), (main, 0.2)):
        exe.run(program, feed={"x": ROWS})
        assert np.allclose(np.array(weight), expected, atol=1e-4)


def test_save_writes_the_program_too(fresh, net, tmp_path):
    static.save(fresh[0], str(tmp_path / "n"))
    assert sorted(p.name for p in tmp_path.iterdir()) == ["n.json", "n.pdopt", "n.pdparams"]
    assert isinstance(paddle.load(str(tmp_path / "n.json")), static.Program)


def test_normalize_program_takes_variables(fresh, net):
    assert isinstance(static.normalize_program(fresh[0], [net[0]], net[1]), static.Program)
    for wrong in ((["x"], [net[1]]), ([net[0]], "y")):
        with pytest.raises(TypeError, match="must hold variables"):
            static.normalize_program(fresh[0], *wrong)


def test_programs_go_through_files_of_the_core(fresh, tmp_path):
    x = static.data("x", [2, 3])
    total = x.sum() > 0
    static.nn.cond(total, lambda: x + 1, lambda: x - 1)
    branch = fresh[0].global_block().ops[-1]
    assert [v.name for v in paddle.pir.get_used_external_value(branch)] == [total.name, x.name]
    plain, path = static.Program(), str(tmp_path / "folder" / "p.json")
    with static.program_guard(plain):
        static.data("x", [2, 3]) * 2
    paddle.base.core.serialize_pir_program(plain, path, readable=True, trainable=False)
    again = static.Program()
    assert paddle.base.core.deserialize_pir_program(path, again) is False
    out = again.global_block().ops[-1].result(0)
    assert np.array_equal(static.Executor().run(again, feed={"x": ROWS}, fetch_list=[out])[0], ROWS * 2)
    with pytest.raises(RuntimeError, match="overwrite"):
        paddle.base.core.serialize_pir_program(plain, path, overwrite=False)


@pytest.mark.parametrize(
    "names",
    [
        {"model_filename": "net"},
        {"model_filename": "net", "params_filename": "net"},
        {"model_filename": "net.json", "params_filename": "net.pdiparams"},
    ],
)
def test_endings_of_file_names_may_be_left_out(tmp_path, names):
    layer = paddle.nn.Linear(3, 2)
    paddle.jit.save(layer, str(tmp_path / "net"), input_spec=[paddle.static.InputSpec([None, 3], name="x")])
    paddle.enable_static()
    try:
        executor = paddle.static.Executor()
        program, (feed,), fetch = paddle.static.load_inference_model(str(tmp_path), executor, **names)
        (found,) = executor.run(program, feed={feed: np.ones([1, 3], "float32")}, fetch_list=fetch)
    finally:
        paddle.disable_static()
    np.testing.assert_allclose(found, layer(paddle.ones([1, 3])).numpy(), rtol=1e-6)
