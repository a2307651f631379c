# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Exported programs through `paddle.inference`."""

import json
import pathlib
import threading

import numpy as np
import paddle
import pytest
from paddle import inference


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    folder = tmp_path_factory.mktemp("model")
    paddle.seed(1)
    net = paddle.nn.Sequential(paddle.nn.Linear(4, 8), paddle.nn.ReLU(), paddle.nn.Linear(8, 3))
    spec = [paddle.static.InputSpec([None, 4], "float32", name="x")]
    paddle.jit.save(net, str(folder / "net"), input_spec=spec)
    x = np.random.default_rng(0).standard_normal((5, 4)).astype("float32")
    return folder, x, net(paddle.to_tensor(x)).numpy()


def config_of(folder):
    return inference.Config(str(folder / "net.json"), str(folder / "net.pdiparams"))


def test_handles(exported):
    folder, x, expected = exported
    config = config_of(folder)
    config.disable_gpu()
    config.enable_memory_optim()
    config.switch_ir_optim(True)
    predictor = inference.create_predictor(config)
    assert predictor.get_input_names() == ["x"]
    assert predictor.get_output_names() == ["fetch_name_0"]
    handle = predictor.get_input_handle("x")
    handle.reshape(x.shape)
    handle.copy_from_cpu(x)
    assert predictor.run() is True
    out = predictor.get_output_handle(predictor.get_output_names()[0])
    np.testing.assert_allclose(out.copy_to_cpu(), expected, rtol=1e-6, atol=1e-7)
    assert out.shape() == [5, 3] and out.type() == inference.DataType.FLOAT32
    handle.share_external_data(x[:2].copy())
    predictor.run()
    np.testing.assert_allclose(out.copy_to_cpu(), expected[:2], rtol=1e-6, atol=1e-7)


def test_list_of_inputs_and_folder(exported):
    folder, x, expected = exported
    predictor = inference.create_predictor(inference.Config(str(folder)))
    (out,) = predictor.run([paddle.to_tensor(x)])
    np.testing.assert_allclose(out.numpy(), expected, rtol=1e-6, atol=1e-7)


def test_model_from_memory(exported):
    folder, x, expected = exported
    program = (folder / "net.json").read_bytes()
    params = (folder / "net.pdiparams").read_bytes()
    config = inference.Config()
    config.set_model_buffer(program, len(program), params, len(params))
    np.testing.assert_allclose(inference.create_predictor(config).run([x])[0].numpy(), expected, rtol=1e-6, atol=1e-7)


@pytest.mark.threads
def test_clones_run_in_threads(exported):
    folder, x, expected = exported
    first = inference.create_predictor(config_of(folder))
    failures = []

    def work(predictor, rows):
        for _ in range(50):
            out = predictor.run([x[:rows]])[0].numpy()
            if not np.allclose(out, expected[:rows], rtol=1e-6, atol=1e-7):
                failures.append(rows)

    threads = [threading.Thread(target=work, args=(first.clone(), rows)) for rows in (1, 2, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_errors_name_what_is_wrong(exported):
    folder, _, _ = exported
    predictor = inference.create_predictor(config_of(folder))
    with pytest.raises(RuntimeError, match="no input 'y'"):
        predictor.get_input_handle("y")
    assert predictor.get_input_handle(predictor.get_input_names()[0]).shape() == [0]
    with pytest.raises(ValueError, match="no value"):
        predictor.run()
    with pytest.raises(ValueError, match="does not exist"):
        inference.create_predictor(inference.Config(str(folder / "none.json"), ""))
    with pytest.raises(ValueError, match="no model"):
        inference.create_predictor(inference.Config())
    with pytest.warns(UserWarning, match="no GPU"):
        config_of(folder).enable_use_gpu(100, 0)


def test_pool_and_settings(exported):
    folder, x, expected = exported
    config = config_of(folder)
    config.set_cpu_math_library_num_threads(1)
    config.delete_pass("fold")
    assert config.cpu_math_library_num_threads() == 1
    passes = config.pass_builder().all_passes()
    assert passes and "fold" not in passes
    assert str(folder / "net.json") in config.summary()
    pool = inference.PredictorPool(config, 3)
    for i in range(3):
        np.testing.assert_allclose(pool.retrieve(i).run([x])[0].numpy(), expected, rtol=1e-6, atol=1e-7)
    with pytest.raises(ValueError, match="size"):
        inference.PredictorPool(config, 0)


def test_external_data_is_not_copied(exported):
    folder, x, _ = exported
    predictor = inference.create_predictor(config_of(folder))
    data = x[:2].copy()
    predictor.get_input_handle("x").share_external_data(data)
    data[:] = 0
    predictor.run()
    out = predictor.get_output_handle("fetch_name_0").copy_to_cpu()
    np.testing.assert_array_equal(out[0], out[1])
    with pytest.raises(RuntimeError, match="is an output"):
        predictor.get_output_handle("fetch_name_0").copy_from_cpu(data)


@pytest.mark.parametrize(("precision", "digits"), [("Half", 1e-3), ("Bfloat16", 2e-2)])
def test_parameters_in_sixteen_bits(exported, tmp_path, precision, digits):
    folder, x, expected = exported
    model, params = str(tmp_path / "half.json"), str(tmp_path / "half.pdiparams")
    inference.convert_to_mixed_precision(
        str(folder / "net.json"),
        str(folder / "net.pdiparams"),
        model,
        params,
        inference.PrecisionType[precision],
        inference.PlaceType.CPU,
    )
    half, full = (tmp_path / "half.pdiparams").stat().st_size, (folder / "net.pdiparams").stat().st_size
    assert half < full - 100
    (out,) = inference.create_predictor(inference.Config(model, params)).run([x])
    assert out.dtype == paddle.float32
    np.testing.assert_allclose(out.numpy(), expected, rtol=digits, atol=digits)
    assert np.abs(out.numpy() - expected).max() > 0


@pytest.mark.parametrize(("precision", "dtype"), [("Half", "float16"), ("Bfloat16", "bfloat16")])
def test_inputs_and_outputs_in_sixteen_bits(exported, tmp_path, precision, dtype):
    folder, x, expected = exported
    copy = str(tmp_path / "half.json"), str(tmp_path / "half.pdiparams")
    kind, place = inference.PrecisionType[precision], inference.PlaceType.CPU
    files = str(folder / "net.json"), str(folder / "net.pdiparams")
    inference.convert_to_mixed_precision(*files, *copy, kind, place, keep_io_types=False)
    (out,) = inference.create_predictor(inference.Config(*copy)).run([paddle.to_tensor(x).astype(dtype)])
    assert out.dtype == getattr(paddle, dtype)
    np.testing.assert_allclose(out.astype("float32").numpy(), expected, rtol=3e-2, atol=3e-2)


def test_profile_prints_operators(exported, capfd):
    folder, x, _ = exported
    config = config_of(folder)
    config.enable_profile()
    config.switch_ir_optim(False)
    predictor = inference.create_predictor(config)
    predictor.run([x])
    del predictor
    assert "matmul" in capfd.readouterr().err


class Filled(paddle.nn.Layer):
    def forward(self, x):
        like = paddle.full_like(paddle.nn.functional.max_pool1d(x, 2), 0.25)
        return x + paddle.ones_like(x), like, paddle.full([x.shape[0], 2], 3, "int64")


def test_constants_of_unknown_extents_are_saved(tmp_path):
    spec = [paddle.static.InputSpec([None, 1, None], "float32", "x")]
    paddle.jit.save(Filled(), str(tmp_path / "net"), input_spec=spec)
    for batch, length in ((2, 6), (3, 4)):
        one, like, full = paddle.jit.load(str(tmp_path / "net"))(paddle.zeros([batch, 1, length]))
        np.testing.assert_array_equal(one.numpy(), np.ones([batch, 1, length], "float32"))
        np.testing.assert_array_equal(like.numpy(), np.full([batch, 1, length // 2], 0.25, "float32"))
        np.testing.assert_array_equal(full.numpy(), np.full([batch, 2], 3))


def test_a_folder_and_the_name_of_its_files(exported):
    folder, x, expected = exported
    config = inference.Config(str(folder), "net")
    assert config.prog_file() == str(folder / "net.json")
    np.testing.assert_allclose(inference.create_predictor(config).run([x])[0].numpy(), expected, rtol=1e-6, atol=1e-7)
    with pytest.raises(ValueError, match="none.json' does not exist"):
        inference.create_predictor(inference.Config(str(folder), "none"))


class Difference(paddle.nn.Layer):
    def forward(self, a, b):
        return a - b


def test_tensors_with_the_names_of_the_inputs_may_come_in_any_order(tmp_path):
    spec = [paddle.static.InputSpec([None, 2], "float32", name=name) for name in ("a", "b")]
    paddle.jit.save(Difference(), str(tmp_path / "net"), input_spec=spec)
    predictor = inference.create_predictor(inference.Config(str(tmp_path / "net.json"), ""))
    a, b = paddle.full([1, 2], 5.0), paddle.full([1, 2], 3.0)
    for named, value in (((a, b), 2), ((b, a), -2)):
        assert predictor.run(list(named))[0].numpy()[0, 0] == value
    a.name, b.name = "a", "b"
    for given in ([a, b], [b, a]):
        assert predictor.run(given)[0].numpy()[0, 0] == 2
    a.name = "other"
    assert predictor.run([b, a])[0].numpy()[0, 0] == -2
    with pytest.raises(ValueError, match="1 inputs; the program takes 2"):
        predictor.run([a])


def test_inputs_and_outputs_stay_when_memory_is_given_back(exported):
    folder, x, expected = exported
    predictor = inference.create_predictor(config_of(folder))
    predictor.get_input_handle("x").copy_from_cpu(x)
    predictor.run()
    predictor.clear_intermediate_tensor()
    assert predictor.try_shrink_memory() >= 0
    out = predictor.get_output_handle("fetch_name_0")
    np.testing.assert_allclose(out.copy_to_cpu(), expected, rtol=1e-6, atol=1e-7)
    assert predictor.run() is True


def test_the_list_of_passes_can_be_edited(exported, capfd):
    folder, x, expected = exported
    config = config_of(folder)
    builder = config.pass_builder()
    names = builder.all_passes()
    assert "fuse_epilogue" in names and "  - fuse_epilogue\n" in builder.debug_string()
    builder.insert_pass(1, "cse")
    builder.append_pass("conv_bn_fuse_pass")
    builder.delete_pass("fuse_epilogue")
    assert builder.all_passes()[1] == "cse" and builder.all_passes()[-1] == "conv_bn_fuse_pass"
    assert "fuse_epilogue" not in builder.all_passes()
    predictor = inference.create_predictor(config)
    assert "pass conv_bn_fuse_pass is not known" in capfd.readouterr().err
    assert "matmul_epilogue" not in str(predictor._native)
    np.testing.assert_allclose(predictor.run([x])[0].numpy(), expected, rtol=1e-6, atol=1e-7)
    builder.set_passes(["dce"])
    assert builder.all_passes() == ["dce"] and builder.analysis_passes() == []
    np.testing.assert_allclose(inference.create_predictor(config).run([x])[0].numpy(), expected, rtol=1e-6, atol=1e-7)
    for index in (-1, 9):
        with pytest.raises(IndexError, match="insert_pass: idx"):
            builder.insert_pass(index, "cse")


def test_a_list_is_no_array(exported):
    predictor = inference.create_predictor(config_of(exported[0]))
    handle = predictor.get_input_handle("x")
    with pytest.raises(TypeError, match="is a list"):
        handle.copy_from_cpu([[1.0, 2.0, 3.0, 4.0]])
    handle.copy_from_cpu(np.ones([2, 4], "int64"))
    assert handle.type() == inference.DataType.INT64
    with pytest.raises(ValueError, match="dtype int64; it needs float32"):
        predictor.run()
    handle.copy_from_cpu(np.asfortranarray(np.ones([2, 4], "float32")))
    assert predictor.run() is True


def test_settings_that_a_new_config_has():
    config = inference.Config()
    assert config.mkldnn_enabled() and config.onednn_enabled() and config.ir_optim()
    config.disable_mkldnn()
    assert not config.mkldnn_enabled()
    assert not config.new_ir_enabled() and not config.use_feed_fetch_ops_enabled()


PROGRAMS = sorted((pathlib.Path(__file__).parents[2] / "compat" / "programs").iterdir())


@pytest.mark.parametrize("folder", PROGRAMS, ids=lambda folder: folder.name)
def test_programs_of_paddle_give_their_results(folder):
    params = folder / "model.pdiparams"
    config = inference.Config(str(folder / "model.json"), str(params) if params.exists() else "")
    predictor = inference.create_predictor(config)
    io = np.load(folder / "io.npz")
    for case in sorted({k.split("_")[1] for k in io.files}):
        count = sum(k.startswith(f"in_{case}_") for k in io.files)
        outputs = predictor.run([paddle.to_tensor(io[f"in_{case}_{i}"]) for i in range(count)])
        for i, out in enumerate(outputs):
            np.testing.assert_allclose(out.numpy(), io[f"out_{case}_{i}"], rtol=1e-4, atol=1e-5)


def test_onednn_programs_round_to_sixteen_bits(tmp_path):
    def tensor(k, element):
        return {"%": k, "TT": {"#": "0.t_dtensor", "D": [{"#": f"0.t_{element}"}, [-1], "NCHW", [], 0]}}

    def op(kind, operands, results, /, **attributes):
        kinds = {bool: "0.a_bool", float: "0.a_f32", str: "0.a_str", list: "1.a_intarray", int: "0.a_i32"}
        listed = [{"N": n, "AT": {"#": kinds[type(v)], "D": v}} for n, v in attributes.items()]
        return {"#": kind, "I": [{"%": k} for k in operands], "O": results, "A": listed}

    ops = [
        op("1.data", [], [tensor(1, "f32")], name="x", shape=[-1]),
        op("onednn_op.quantize", [1], [tensor(2, "bf16")], scale=1.0, shift=0.0, bfloat16=True),
        op("onednn_op.relu", [2], [tensor(3, "bf16")], mkldnn_data_type="bfloat16"),
        op("onednn_op.dequantize", [3], [tensor(4, "f32")], scale=1.0, shift=0.0),
        op("1.fetch", [4], [tensor(5, "f32")], name="fetch_name_0", col=0),
    ]
    blocks = [{"#": "block_0", "args": [], "ops": ops}]
    base = {"magic": "pir", "trainable": True, "version": 4}
    file = tmp_path / "rounded.json"
    file.write_text(json.dumps({"base_code": base, "program": {"regions": [{"#": "region_0", "blocks": blocks}]}}))
    predictor = inference.create_predictor(inference.Config(str(file), ""))
    (y,) = predictor.run([paddle.to_tensor([-1.0, 1.00390625, 1.01171875, 3.0])])
    assert y.tolist() == [0.0, 1.0, 1.015625, 3.0] and y.dtype == paddle.float32


@pytest.mark.parametrize("folder", PROGRAMS, ids=lambda folder: folder.name)
def test_a_copy_in_sixteen_bits_holds_the_operations_of_the_file(folder, tmp_path):
    params, copy = folder / "model.pdiparams", [str(tmp_path / "copy.json"), str(tmp_path / "copy.pdiparams")]
    files = [str(folder / "model.json"), str(params) if params.exists() else ""]
    inference.convert_to_mixed_precision(*files, *copy, inference.PrecisionType.Bfloat16, inference.PlaceType.CPU)

    def names(path):
        block = json.loads(pathlib.Path(path).read_text())["program"]["regions"][0]["blocks"][0]
        return [op["#"] for op in block["ops"]]

    before, after = names(files[0]), names(copy[0])
    assert set(after) - set(before) <= {"1.cast"}
    assert [name for name in after if name not in ("1.cast", "p")] == [n for n in before if n not in ("1.cast", "p")]
    inference.create_predictor(inference.Config(copy[0], copy[1] if params.exists() else ""))


class Doubled(paddle.nn.Layer):
    def forward(self, x):
        return x * 2


def test_a_program_without_parameters_needs_no_file_of_them(tmp_path):
    path, x = str(tmp_path / "m"), paddle.rand([2, 3])
    paddle.jit.save(Doubled(), path, input_spec=[paddle.static.InputSpec([None, 3])])
    (result,) = inference.create_predictor(inference.Config(path + ".json", path + ".pdiparams")).run([x])
    np.testing.assert_array_equal(result.numpy(), (x * 2).numpy())


def test_parameters_in_files_of_their_own(tmp_path):
    layer, x = paddle.nn.Linear(3, 2), paddle.rand([2, 3])
    spec = [paddle.static.InputSpec([None, 3], name="x")]
    paddle.jit.save(layer, str(tmp_path / "m"), input_spec=spec, separate_parameters=True)
    names = {p.name for p in layer.parameters()}
    assert {f.name for f in tmp_path.iterdir()} == {"__model__.json", *names}
    (result,) = inference.create_predictor(inference.Config(str(tmp_path))).run([x])
    np.testing.assert_allclose(result.numpy(), layer(x).numpy(), rtol=1e-6)
    (tmp_path / min(names)).unlink()
    with pytest.raises(ValueError, match=min(names)):
        inference.create_predictor(inference.Config(str(tmp_path)))
