# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""2:4 sparsity: masks, pruning of models, optimizers that keep the zeros; settings of tuning."""

import itertools
import json

import numpy as np
import paddle
import pytest
from paddle.incubate import asp, autotune
from paddle.incubate.asp import utils

# A block whose masks were made with PaddlePaddle 3.3.1.
BLOCK = np.array([[2.0, 8, 9, 9], [9, 1, 3, 9], [5, 6, 3, 9], [2, 4, 6, 9]])


@pytest.fixture(autouse=True)
def kinds_of_layers():
    from paddle.incubate.asp import pruning

    before = dict(pruning._supported)
    yield
    asp.reset_excluded_layers()
    pruning._supported.clear()
    pruning._supported.update(before)


def test_density_is_the_part_that_is_not_zero():
    assert asp.calculate_density(np.array([[0, 1, 3, 0], [1, 1, 0, 1]])) == 0.625


def test_masks_of_a_block():
    rows = utils.get_mask_1d(BLOCK, 2, 4)
    np.testing.assert_array_equal(rows, [[0, 0, 1, 1], [1, 0, 0, 1], [0, 1, 0, 1], [0, 0, 1, 1]])
    greedy = utils.get_mask_2d_greedy(BLOCK, 2, 4)
    np.testing.assert_array_equal(greedy, [[0, 1, 1, 0], [1, 0, 0, 0], [0, 1, 0, 1], [0, 0, 1, 1]])
    best = utils.get_mask_2d_best(BLOCK, 2, 4)
    np.testing.assert_array_equal(best, [[0, 1, 1, 0], [1, 0, 0, 1], [1, 1, 0, 0], [0, 0, 1, 1]])


def test_the_best_mask_keeps_the_largest_sum_of_all():
    x = np.random.RandomState(0).randn(4, 4)
    rows = [np.array([i in kept for i in range(4)]) for kept in itertools.combinations(range(4), 2)]
    masks = [np.array(m) for m in itertools.product(rows, repeat=4) if np.all(np.sum(m, 0) == 2)]
    assert len(masks) == 90
    mask = utils.get_mask_2d_best(x, 2, 4)
    assert np.sum(np.abs(x) * mask) == pytest.approx(max(np.sum(np.abs(x) * m) for m in masks))
    assert utils.check_mask_2d(x * mask, 2, 4)


@pytest.mark.parametrize("algo", list(utils.MaskAlgo))
@pytest.mark.parametrize("shape", [(9,), (5, 6), (2, 3, 5), (3, 2, 5, 4)])
def test_masks_of_any_shape_have_the_sparsity(algo, shape):
    x = np.random.RandomState(1).randn(*shape).astype("float32")
    mask = utils.create_mask(x, algo)
    assert mask.shape == shape and mask.dtype == x.dtype and set(np.unique(mask)) <= {0, 1}
    check = utils.CheckMethod.get_checking_method(algo)
    assert utils.check_sparsity(x * mask, check) and not utils.check_sparsity(np.ones((5, 6)), check)


def test_a_block_fails_where_a_row_and_a_column_are_full():
    row = np.array([[1, 1, 1, 0], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]])
    assert utils.check_mask_2d(row, 2, 4) and utils.check_mask_2d(row.T, 2, 4)
    assert not utils.check_mask_2d(row | row.T, 2, 4)


def test_checks_count_zeros_in_groups_of_four():
    assert not utils.check_mask_1d(np.array([[0, 1, 3, 0], [1, 1, 0, 1]]), 2, 4)
    assert utils.check_mask_1d(np.array([[0, 1, 3, 0, 1], [1, 0, 0, 1, 1]]), 2, 4)


class Net(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.filters, self.norm = paddle.nn.Conv2D(4, 8, 3), paddle.nn.LayerNorm(16)
        self.first, self.last = paddle.nn.Linear(32, 16), paddle.nn.Linear(16, 3)

    def forward(self, x):
        return self.last(self.norm(self.first(x)))


@pytest.mark.parametrize("algo", ["mask_1d", "mask_2d_greedy", "mask_2d_best"])
def test_training_keeps_the_zeros_of_a_pruned_model(algo):
    net = Net()
    optimizer = asp.decorate(paddle.optimizer.AdamW(0.1, parameters=net.parameters()))
    before = net.first.weight.numpy()
    masks = asp.prune_model(net, mask_algo=algo)
    assert set(masks) == {layer.weight.name for layer in (net.filters, net.first, net.last)}
    np.testing.assert_array_equal(net.first.weight.numpy(), before * masks[net.first.weight.name])
    pruned = net.first.weight.numpy()
    net(paddle.randn([8, 32])).square().sum().backward()
    optimizer.step()
    optimizer.clear_grad()
    weight = net.first.weight.numpy()
    assert np.abs(weight - pruned).max() > 0.05
    assert utils.check_sparsity(weight.T) and asp.calculate_density(weight) <= 0.5
    assert asp.calculate_density(net.norm.weight.numpy()) == 1
    # Filters [out, in, height, width] are grouped along in.
    assert utils.check_mask_1d(np.moveaxis(net.filters.weight.numpy(), 1, 3).reshape(-1, 4), 2, 4)


def test_masks_are_part_of_the_optimizer_state():
    net = Net()
    optimizer = asp.decorate(paddle.optimizer.SGD(0.1, parameters=net.parameters()))
    masks = asp.prune_model(net)
    state = optimizer.state_dict()
    name = net.first.weight.name
    np.testing.assert_array_equal(state[name + ".asp_mask"].numpy(), masks[name])
    other = asp.decorate(paddle.optimizer.SGD(0.1, parameters=net.parameters()))
    other.set_state_dict(state)
    net(paddle.randn([8, 32])).sum().backward()
    other.step()
    assert utils.check_sparsity(net.first.weight.numpy().T)


def test_layers_are_left_out_and_added():
    class Own(paddle.nn.Layer):
        def __init__(self):
            super().__init__()
            self.weight = self.create_parameter([8, 8])

    net = Net()
    asp.set_excluded_layers([net.first.full_name(), net.last.weight.name])
    assert set(asp.prune_model(net, with_mask=False)) == {net.filters.weight.name}
    asp.reset_excluded_layers()
    assert len(asp.prune_model(net, with_mask=False)) == 3

    calls = []

    def keep_first_row(weight, m, n, algo, name):
        calls.append((m, n, algo, name))
        mask = np.zeros_like(weight)
        mask[0] = 1
        return weight * mask, mask

    own = Own()
    assert asp.prune_model(own, with_mask=False) == {}
    asp.add_supported_layer(Own, keep_first_row)
    asp.prune_model(own, with_mask=False)
    assert calls == [(4, 2, utils.MaskAlgo.MASK_1D, own.weight.name)]
    assert asp.calculate_density(own.weight.numpy()) == 1 / 8
    with pytest.raises(TypeError, match="add_supported_layer"):
        asp.add_supported_layer(5)


def test_pruning_says_what_is_wrong():
    net = Net()
    with pytest.raises(AssertionError, match="mask_algo"):
        asp.prune_model(net, mask_algo="mask_3d")
    with pytest.raises(AssertionError, match="decorate"):
        asp.prune_model(net)


def test_settings_of_tuning_come_from_a_dict_or_a_file(tmp_path):
    autotune.set_config({"kernel": {"enable": True, "tuning_range": [1, 3]}})
    assert autotune._config["kernel"] == {"enable": True, "tuning_range": [1, 3]}
    (tmp_path / "c.json").write_text(json.dumps({"layout": {"enable": True}, "kernel": {"enable": False}}))
    autotune.set_config(str(tmp_path / "c.json"))
    assert autotune._config["layout"]["enable"] and not autotune._config["kernel"]["enable"]
    with pytest.warns(UserWarning, match="enable of dataloader"):
        autotune.set_config({"dataloader": {"enable": 1}})
    with pytest.warns(UserWarning, match="can't be read"):
        autotune.set_config(str(tmp_path / "none.json"))


def test_what_is_pruned_is_told_by_names_of_parameters():
    names = ["embedding_0.w_0", "conv2d_0.w_0", "conv2d_0.b_0", "fc_1.w_0", "linear_2.w_0", "linear_2.w_0.asp_mask"]
    program = paddle.static.default_main_program()

    def supported():
        return [asp.ASPHelper._is_supported_layer(program, name) for name in names]

    assert supported() == [False, True, False, True, True, False]
    asp.set_excluded_layers(["fc_1", "conv2d_0"])
    assert supported() == [False, False, False, False, True, False]
    asp.reset_excluded_layers()
    assert supported() == [False, True, False, True, True, False]


def test_a_decorated_optimizer_has_masks_of_its_weights():
    layer = paddle.nn.Linear(8, 4)
    asp.decorate(paddle.optimizer.SGD(0.1, parameters=layer.parameters()))
    info = asp.ASPHelper._get_program_asp_info()
    assert info.mask_vars[layer.weight.name].numpy().min() == 1 and layer.bias.name not in info.mask_vars
    masks = asp.prune_model(layer)
    np.testing.assert_array_equal(info.mask_vars[layer.weight.name], masks[layer.weight.name])


def test_weights_of_fewer_inputs_than_a_group_stay_whole():
    layer = paddle.nn.Conv2D(3, 2, 3)
    before = layer.weight.numpy()
    asp.prune_model(layer, with_mask=False)
    np.testing.assert_array_equal(layer.weight, before)


def test_patterns_are_made_once_for_all_threads():
    import threading

    threads = [threading.Thread(target=utils._compute_valid_2d_patterns, args=(2, 4)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert utils._valid_2d_patterns["4_2"].shape == (90, 4, 4)


def test_a_program_is_pruned_and_training_keeps_the_zeros():
    paddle.enable_static()
    try:
        main, startup = paddle.static.Program(), paddle.static.Program()
        with paddle.static.program_guard(main, startup), paddle.static.scope_guard(paddle.static.Scope()):
            x = paddle.static.data("x", [None, 8], "float32")
            loss = paddle.mean(paddle.static.nn.fc(paddle.static.nn.fc(x, 16), 4) ** 2)
            asp.decorate(paddle.optimizer.SGD(0.1)).minimize(loss, startup)
            parameters = asp.ASPHelper._get_not_ASP_relevant_vars(main)
            assert len(parameters) == 4 and len(main.all_parameters()) == 6
            exe = paddle.static.Executor()
            exe.run(startup)
            masks = asp.prune_model(main)
            weight = next(p for p in parameters if p.name in masks)
            exe.run(main, feed={"x": np.ones([2, 8], "float32")}, fetch_list=[loss])
            values = np.array(paddle.static.global_scope().find_var(weight.name).get_tensor())
            assert asp.check_sparsity(values.T) and np.count_nonzero(values)
    finally:
        paddle.disable_static()
