# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Exported programs through `paddle.inference`."""

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
    with pytest.raises(ValueError, match="no input 'y'"):
        predictor.get_input_handle("y")
    with pytest.raises(RuntimeError, match="no value"):
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
