# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Averages of parameters, normalised weights, loss scaling, measures and layers of static programs."""

import numpy as np
import paddle
import pytest
from paddle import static

Constant = paddle.nn.initializer.Constant


def held(name):
    return np.array(static.global_scope().find_var(name).get_tensor())


def trained(optimizer=None):
    x = static.data("x", [2, 4])
    y = static.nn.fc(x, 2, weight_attr=Constant(0.5))
    loss = (y * y).mean()
    (optimizer or paddle.optimizer.SGD(0.1)).minimize(loss)
    return y, loss


@pytest.mark.parametrize("steps", [False, True])
def test_exponential_averages_replace_parameters_for_a_while(fresh, rows, steps):
    main, startup = fresh
    trained()
    counter = None
    if steps:
        counter = static.create_global_var([1], 0, "int64", persistable=True)
        paddle.increment(counter)
    average = static.ExponentialMovingAverage(0.9, thres_steps=counter)
    average.update()
    executor = static.Executor()
    executor.run(startup)
    expected, rest = np.zeros((4, 2)), 1.0
    for i in range(4):
        executor.run(main, feed={"x": rows})
        decay = min(0.9, (2 + i) / (11 + i)) if steps else 0.9
        expected, rest = expected * decay + held("fc_0.w_0") * (1 - decay), rest * decay
    now = held("fc_0.w_0")
    with average.apply(executor):
        np.testing.assert_allclose(held("fc_0.w_0"), expected / (1 - rest), rtol=1e-5)
    np.testing.assert_array_equal(held("fc_0.w_0"), now)
    with average.apply(executor, need_restore=False):
        pass
    assert (held("fc_0.w_0") != now).any()
    average.restore(executor)
    np.testing.assert_array_equal(held("fc_0.w_0"), now)


def test_look_ahead_moves_back_every_k_steps(fresh, rows):
    main, startup = fresh
    _, loss = trained(paddle.incubate.LookAhead(paddle.optimizer.SGD(0.1), alpha=0.5, k=2))
    executor = static.Executor()
    executor.run(startup)
    got = [float(executor.run(main, feed={"x": rows}, fetch_list=[loss])[0]) for _ in range(5)]
    # The same numbers as PaddlePaddle 3.3.1: slow copies begin after the first step.
    np.testing.assert_allclose(got, [1.0156, 0.6804, 0.5658, 0.3883, 0.4038], atol=1e-4)


def test_model_average_is_the_mean_of_the_window(fresh, rows):
    main, startup = fresh
    trained()
    average = paddle.incubate.ModelAverage(0.15, min_average_window=2, max_average_window=10)
    executor = static.Executor()
    executor.run(startup)
    seen = []
    for _ in range(5):
        executor.run(main, feed={"x": rows})
        seen.append(held("fc_0.w_0"))
    with average.apply(executor):
        np.testing.assert_allclose(held("fc_0.w_0"), np.mean(seen[2:], 0), rtol=1e-5)
    np.testing.assert_array_equal(held("fc_0.w_0"), seen[-1])


def test_normalised_weights_have_a_direction_and_a_length(fresh, rows):
    main, startup = fresh
    initial = paddle.nn.initializer.Normal()
    y = static.nn.fc(static.data("x", [2, 4]), 3, weight_attr=static.WeightNormParamAttr(1, "wn", initial))
    paddle.optimizer.SGD(0.1).minimize((y * y).mean())
    executor = static.Executor()
    executor.run(startup)
    v = held("wn_v")
    np.testing.assert_allclose(held("wn_g"), np.sqrt((v * v).sum(0, keepdims=True)), rtol=1e-5)
    (got,) = executor.run(main, feed={"x": rows}, fetch_list=[y])
    np.testing.assert_allclose(got, rows @ v, rtol=1e-4, atol=1e-5)
    assert (held("wn_g") != np.sqrt((v * v).sum(0))).any() and (held("wn_v") != v).any()


def test_scaled_losses_give_the_same_steps(fresh, rows):
    main, startup = fresh
    plain = paddle.optimizer.SGD(0.1)
    optimizer = static.amp.decorate(plain, init_loss_scaling=8.0, incr_every_n_steps=2, use_dynamic_loss_scaling=True)
    _, loss = trained(optimizer)
    executor = static.Executor()
    executor.run(startup)
    optimizer.amp_init(paddle.CPUPlace())
    values, scales = [], []
    for _ in range(3):
        a, b = executor.run(main, feed={"x": rows}, fetch_list=[loss, optimizer.get_loss_scaling()])
        values.append(float(a))
        scales.append(float(b[0]))
    np.testing.assert_allclose(values[:2], [1.015625, 0.680433], rtol=1e-4)
    assert scales == [8.0, 16.0, 16.0]
    before = held("fc_0.w_0")
    for _ in range(2):
        executor.run(main, feed={"x": rows * np.float32("inf")})
    np.testing.assert_array_equal(held("fc_0.w_0"), before)
    (scale,) = executor.run(main, feed={"x": rows}, fetch_list=[optimizer.get_loss_scaling()])
    assert abs(float(scale[0]) - 12.8) < 1e-4


def test_lists_of_operators_are_made_of_the_given_names():
    lists = static.amp.AutoMixedPrecisionLists(["softmax"], ["conv2d"])
    assert "softmax" in lists.white_list and "conv2d" in lists.black_list and "conv2d" not in lists.white_list
    with pytest.raises(ValueError, match="both"):
        static.amp.AutoMixedPrecisionLists(["softmax"], ["softmax"])


def test_area_under_the_curve_grows_with_the_runs(fresh):
    main, startup = fresh
    x, label = static.data("x", [None, 2]), static.data("label", [None, 1], "int64")
    whole, last, state = static.auc(x, label)
    executor = static.Executor()
    executor.run(startup)
    p = np.array([0.9, 0.2, 0.7, 0.4], "float32")
    feeds = [
        (np.stack([1 - p, p], 1), np.array([[1], [0], [0], [1]])),
        (np.stack([1 - p, p], 1), np.array([[1], [0]] * 2)),
    ]
    got = [executor.run(main, feed={"x": a, "label": b}, fetch_list=[whole, last]) for a, b in feeds]
    np.testing.assert_allclose([float(v) for pair in got for v in pair], [0.75, 0.75, 0.875, 1.0], rtol=1e-6)
    assert len(state) == 4


def test_sums_for_click_rates(fresh):
    main, startup = fresh
    x, label = static.data("x", [None, 1]), static.data("label", [None, 1], "int64")
    sums = static.ctr_metric_bundle(x, label)
    executor = static.Executor()
    executor.run(startup)
    p, hit = np.array([[0.25], [0.5]], "float32"), np.array([[0], [1]])
    for _ in range(2):
        got = [float(v[0]) for v in executor.run(main, feed={"x": p, "label": hit}, fetch_list=list(sums))]
    sigmoid = 1 / (1 + np.exp(-p))
    np.testing.assert_allclose(got, [0.625, 1.5, 1.5, 2 * sigmoid.sum(), 2, 4], rtol=1e-5)


def test_counts_of_accuracy(fresh):
    main, startup = fresh
    x, label = static.data("x", [None, 3]), static.data("label", [None, 1], "int64")
    correct, total = (static.create_global_var([1], 0, "int32", True) for _ in range(2))
    share = static.accuracy(x, label, correct=correct, total=total)
    executor = static.Executor()
    executor.run(startup)
    feed = {"x": np.array([[1, 2, 3], [3, 2, 1], [1, 3, 2]], "float32"), "label": np.array([[2], [1], [1]])}
    got = executor.run(main, feed=feed, fetch_list=[share, correct, total])
    assert abs(float(got[0]) - 2 / 3) < 1e-6 and got[1].item() == 2 and got[2].item() == 3


def test_row_convolution_looks_ahead(fresh):
    main, startup = fresh
    x = static.data("x", [1, 4, 2])
    y = static.nn.row_conv(x, 2, param_attr=Constant(0.5))
    executor = static.Executor()
    executor.run(startup)
    values = np.arange(8, dtype="float32").reshape(1, 4, 2) / 8
    (got,) = executor.run(main, feed={"x": values}, fetch_list=[y])
    expected = [0.5 * values[0, t : t + 3].sum(0) for t in range(4)]
    np.testing.assert_allclose(got[0], expected, rtol=1e-6)


def test_noise_contrastive_cost(fresh, rows):
    main, startup = fresh
    x, label = static.data("x", [2, 4]), static.data("label", [2, 1], "int64")
    cost = static.nn.nce(x, label, 10, param_attr=Constant(0.1), bias_attr=Constant(0.0), num_neg_samples=3)
    executor = static.Executor()
    executor.run(startup)
    (got,) = executor.run(main, feed={"x": rows, "label": np.array([[1], [4]])}, fetch_list=[cost])
    score, noise = 1 / (1 + np.exp(-0.1 * rows.sum(1, keepdims=True))), 3 / 10
    expected = -np.log(score / (score + noise)) - 3 * np.log(noise / (score + noise))
    np.testing.assert_allclose(got, expected, rtol=1e-4)
    assert [p.shape for p in main.all_parameters()] == [[10, 4], [10, 1]]
    with pytest.raises(ValueError, match="sampler"):
        static.nn.nce(x, label, 10, sampler="other")


def test_parameters_are_named_after_the_layer(fresh):
    main, _ = fresh
    image = static.data("image", [None, 3, 6, 6])
    y = static.nn.batch_norm(static.nn.conv2d(image, 2, 3, name="stem"), name="stem_bn")
    static.nn.instance_norm(y)
    static.nn.conv2d(image, 2, 3, name="stem")
    names = [p.name for p in main.all_parameters()]
    assert {"stem.w_0", "stem.b_0", "stem.w_1", "stem_bn.w_0", "stem_bn.w_1", "instance_norm_0.w_0"} <= set(names)
    static.nn.conv2d_transpose(image, 2, output_size=[8, 8], name="up")
    assert [3, 2, 3, 3] in [p.shape for p in main.all_parameters() if p.name == "up.w_0"]
    with pytest.raises(ValueError, match="data_format"):
        static.nn.conv2d(image, 2, 3, data_format="X")


def test_leaky_rectifiers_have_slopes_of_three_kinds(fresh):
    main, _ = fresh
    image = static.data("image", [None, 3, 2, 2])
    for mode in ("all", "channel", "element"):
        static.nn.prelu(image, mode)
    assert [p.shape for p in main.all_parameters()] == [[1], [1, 3, 1, 1], [1, 3, 2, 2]]
    with pytest.raises(ValueError, match="mode"):
        static.nn.prelu(image, "other")


def test_functions_of_sequences_refuse(fresh):
    x = static.data("x", [None, 2], lod_level=1)
    for call in (
        lambda: static.nn.sequence_pool(x, "sum"),
        lambda: static.nn.sequence_softmax(x),
        lambda: static.nn.sequence_conv(x, 3),
        lambda: static.nn.sequence_expand(x, x),
        lambda: static.nn.sequence_first_step(x),
        lambda: static.nn.sequence_last_step(x),
    ):
        with pytest.raises(AssertionError):
            call()


def test_programs_and_parameters_as_bytes(fresh, rows, tmp_path):
    main, startup = fresh
    x = static.data("x", [None, 4])
    y = static.nn.fc(x, 2)
    executor = static.Executor()
    executor.run(startup)
    (expected,) = executor.run(main, feed={"x": rows}, fetch_list=[y])
    program, values = static.serialize_program([x], [y]), static.serialize_persistables([x], [y], executor)
    static.save_to_file(str(tmp_path / "program"), program)
    assert static.load_from_file(str(tmp_path / "program")) == program
    with pytest.raises(ValueError, match="bytes"):
        static.save_to_file(str(tmp_path / "text"), "text")
    loaded = static.deserialize_program(program)
    with pytest.raises(RuntimeError, match="deserialize_persistables"):
        executor.run(loaded, feed={"x": rows})
    static.deserialize_persistables(loaded, values, executor)
    (got,) = executor.run(loaded, feed={"x": rows}, fetch_list=loaded.fetch_targets)
    np.testing.assert_allclose(got, expected, rtol=1e-6)


@pytest.mark.parametrize("filename", [None, "all"])
def test_variables_are_saved_one_file_each_or_together(fresh, rows, tmp_path, filename):
    main, startup = fresh
    static.nn.fc(static.data("x", [2, 4]), 2)
    executor = static.Executor()
    executor.run(startup)
    folder, before = str(tmp_path / "vars"), held("fc_0.w_0")
    static.save_vars(executor, folder, main, predicate=static.is_persistable, filename=filename)
    main.set_state_dict({"fc_0.w_0": before * 0 + 7})
    static.load_vars(executor, folder, main, predicate=static.is_persistable, filename=filename)
    np.testing.assert_array_equal(held("fc_0.w_0"), before)


def test_values_are_set_in_a_copy(fresh, rows):
    main, _ = fresh
    x = static.data("x", [2, 4])
    y = static.setitem(x, (0, slice(None)), 5.0)
    a, b = static.Executor().run(main, feed={"x": rows}, fetch_list=[x, y])
    assert (b[0] == 5).all() and a[0, 0] == 0
    with pytest.raises(AssertionError):
        static.xpu_places()


def test_wrong_arguments_of_saving_raise(fresh, tmp_path):
    main, _ = fresh
    x = static.data("x", [2])
    for feeds, fetches in ((3, [x]), ([x], 3)):
        with pytest.raises(ValueError, match="variable"):
            static.save_inference_model(str(tmp_path / "m"), feeds, fetches, static.Executor())
    with pytest.raises(AssertionError):
        static.save(main, str(tmp_path) + "/")
    with pytest.raises(FileNotFoundError):
        static.load(main, str(tmp_path / "nothing"))
