# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""DistModel, the launcher, checkpoints read whole, and settings and groups of fleet."""

import os
import subprocess
import sys

import numpy as np
import paddle
import paddle.distributed as dist
import pytest
from paddle.distributed import fleet

X = np.array([[1.0, 2.0], [3.0, 4.0]], "float32")
Y = np.array([[1.0], [0.0]], "float32")


def model(optimizer=paddle.optimizer.SGD, **settings):
    net = paddle.nn.Linear(2, 1)
    net.weight.set_value(np.zeros([2, 1], "float32"))
    made = optimizer(0.1, parameters=net.parameters())
    return net, dist.to_static(net, None, paddle.nn.MSELoss(), made, **settings)


def step(w, b):
    error = X @ w + b - Y
    return np.mean(error**2), w - 0.1 * X.T @ error, b - 0.1 * error.sum(0)


def test_steps_of_training_and_losses():
    net, dist_model = model()
    assert isinstance(dist_model, dist.DistModel)
    with pytest.raises(ValueError, match="train"):
        dist_model(X, Y)
    dist_model.train()
    w, b = np.zeros([2, 1]), np.zeros([1])
    for _ in range(3):
        expected, w, b = step(w, b)
        got = dist_model(paddle.to_tensor(X), paddle.to_tensor(Y))
        assert isinstance(got, np.ndarray) and got.item() == pytest.approx(expected, rel=1e-5)
    np.testing.assert_allclose(net.weight.numpy(), w, rtol=1e-5)
    dist_model.eval()
    assert dist_model(X, Y).item() == pytest.approx(step(w, b)[0], rel=1e-5)
    assert not net.training
    dist_model.predict()
    (out,) = dist_model(X)
    np.testing.assert_allclose(out, X @ w + b, rtol=1e-5)
    np.testing.assert_allclose(net.weight.numpy(), w, rtol=1e-5)


def test_modes_need_their_parts():
    net = paddle.nn.Linear(2, 1)
    with pytest.raises(RuntimeError, match="optimizer"):
        dist.to_static(net, loss=paddle.nn.MSELoss()).train()
    with pytest.raises(RuntimeError, match="loss"):
        dist.DistModel(net, None).eval()


def test_state_goes_round():
    net, dist_model = model(paddle.optimizer.Adam)
    dist_model.train()
    dist_model(X, Y)
    assert set(dist_model.state_dict("param")) == {"weight", "bias"}
    moments = [name for name in dist_model.state_dict("opt") if "moment1" in name]
    assert len(moments) == 2 and set(moments) < set(dist_model.state_dict())
    saved = {name: paddle.assign(value) for name, value in dist_model.state_dict().items()}
    first = dist_model(X, Y).item()
    dist_model(X, Y)
    dist_model.set_state_dict(saved)
    assert dist_model(X, Y).item() == pytest.approx(first, rel=1e-6)
    with pytest.raises(ValueError, match="mode"):
        dist_model.state_dict("zz")


def test_gradients_of_several_steps_are_joined():
    strategy = dist.Strategy({"gradient_merge": {"enable": True, "k_steps": 2}})
    net, dist_model = model(strategy=strategy)
    dist_model.train()
    dist_model(X, Y)
    assert net.weight.tolist() == [[0.0], [0.0]]
    dist_model(X, Y)
    np.testing.assert_allclose(net.weight.numpy(), step(np.zeros([2, 1]), np.zeros([1]))[1], rtol=1e-5)


def test_layers_with_several_inputs():
    class Sum(paddle.nn.Layer):
        def forward(self, a, b):
            return a + b

    spec = paddle.static.InputSpec([2, 2], "float32")
    dist_model = dist.to_static(
        Sum(), loss=lambda out, y, z: (out * y * z).sum(), input_spec=[[spec, spec], [spec, spec]]
    )
    dist_model.eval()
    assert dist_model(X, X, X, X).item() == pytest.approx(2 * (X.astype("float64") ** 3).sum())


# -- launcher ------------------------------------------------------------------------------------
def launched(folder, *arguments):
    command = [sys.executable, "-m", "paddle.distributed.launch", *arguments]
    root = os.path.dirname(os.path.dirname(paddle.__file__))
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": root}, timeout=120
    )


def test_scripts_run_as_jobs_of_one_process(tmp_path):
    (tmp_path / "script.py").write_text(
        "import os, sys\nprint(sys.argv[1:], os.environ['PADDLE_TRAINERS_NUM'])\nsys.exit(3)\n"
    )
    ended = launched(tmp_path, "--gpus", "0", "--log_dir", "logs", "script.py", "--lr", "1")
    assert ended.returncode == 3 and ended.stdout == "['--lr', '1'] 1\n"
    assert (tmp_path / "logs" / "workerlog.0").read_text() == ended.stdout


@pytest.mark.parametrize("options", [["--run_mode", "ps"], ["--server_num", "2"], ["--ips", "1.2.3.4,1.2.3.5"]])
def test_what_the_launcher_refuses(options, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["launch", *options, "script.py"])
    with pytest.raises(NotImplementedError):
        dist.launch()


# -- collectives, checkpoints, settings -----------------------------------------------------------
def test_there_is_nobody_to_talk_to():
    dist.init_parallel_env()
    for call in (dist.send_object_list, dist.recv_object_list):
        with pytest.raises(ValueError, match="peer"):
            call([1], 0)
        with pytest.raises(ValueError, match="peer"):
            call([1], None, None, 0)
    with pytest.raises(AssertionError, match="rank_num"):
        dist.gloo_init_parallel_env(0, 1, "127.0.0.1:6170")
    with pytest.raises(AssertionError, match="gloo_init"):
        dist.gloo_barrier()
    assert dist.gloo_release() is None


def test_checkpoints_are_read_whole(tmp_path):
    net = paddle.nn.Linear(2, 3)
    dist.save_state_dict(net.state_dict(), str(tmp_path / "ck"))
    state = dist.load_merged_state_dict(str(tmp_path / "ck"))
    assert set(state) == {"weight", "bias"} and state["weight"].tolist() == net.weight.tolist()
    dist.save_state_dict({"net": net.state_dict(), "step": paddle.ones([1])}, str(tmp_path / "all"))
    assert set(dist.load_merged_state_dict(str(tmp_path / "all"), prefix="net")) == {"weight", "bias"}
    with pytest.raises(FileNotFoundError):
        dist.load_merged_state_dict(str(tmp_path / "none"))


def test_layers_of_static_programs():
    with pytest.raises(ValueError, match="static"):
        dist.split(paddle.ones([2, 4]), (4, 3), "linear")
    with pytest.raises(AssertionError, match="operation"):
        dist.split(paddle.ones([2, 4]), (4, 3), "zz")
    one = paddle.ParamAttr(initializer=paddle.nn.initializer.Constant(1.0))
    paddle.enable_static()
    try:
        main, startup = paddle.static.Program(), paddle.static.Program()
        with paddle.static.program_guard(main, startup), paddle.static.scope_guard(paddle.static.Scope()):
            x, ids = paddle.static.data("x", [2, 4]), paddle.static.data("ids", [2], "int64")
            out = dist.split(x, (4, 3), "linear", axis=1, weight_attr=one, bias_attr=one)
            rows = dist.split(ids, (5, 2), "embedding", weight_attr=one)
            with pytest.raises(NotImplementedError):
                dist.split(x, (4, 4), "linear", num_partitions=2)
            executor = paddle.static.Executor()
            executor.run(startup)
            feed = {"x": np.ones([2, 4], "float32"), "ids": np.array([0, 4])}
            got = executor.run(main, feed=feed, fetch_list=[out, rows])
        np.testing.assert_array_equal(got[0], np.full([2, 3], 5.0))
        np.testing.assert_array_equal(got[1], np.ones([2, 2]))
    finally:
        paddle.disable_static()


def test_settings_and_groups_of_fleet():
    fleet.init(is_collective=True)
    groups = fleet.get_hybrid_communicate_group()
    assert groups.get_dp_sep_parallel_group().ranks == groups.get_pp_mp_parallel_group().ranks == [0]
    ranks, made = groups.create_fuse_group(["data", "pipe"])
    assert ranks == [[0]] and made[0].nranks == 1
    assert fleet.server_index() == fleet.Fleet().server_index() == 0
    assert fleet.UtilBase().get_heter_file_shard(["a", "b"]) == ["a", "b"]
    role = fleet.PaddleCloudRoleMaker(is_collective=True).to_string()
    assert role.startswith("role: 1, current_id: 0, worker_endpoints: [")
    assert fleet.CommunicateTopology().world_size() == 1
    strategy = fleet.DistributedStrategy()
    assert strategy.sparse_table_configs == {} and strategy.trainer_desc_configs["dump_fields"] == []
    strategy.trainer_desc_configs = {"dump_fields_path": "x"}
    strategy.fs_client_param = {"uri": "hdfs", "user": "me"}
    assert strategy.trainer_desc_configs["dump_fields_path"] == "x"
    assert (strategy.fs_client_param.uri, strategy.fs_client_param.user) == ("hdfs", "me")


def test_parts_of_pipelines():
    layers = fleet.meta_parallel.PipelineLayer([paddle.nn.ReLU(), lambda x: x * 2], num_stages=1)
    assert layers.forward_function(1, 2)(paddle.to_tensor([-1.0])).item() == -2.0
    fleet.init(is_collective=True)
    strategy = fleet.DistributedStrategy()
    strategy.pipeline_configs = {"accumulate_steps": 2, "micro_batch_size": 1}
    hcg = fleet.get_hybrid_communicate_group()
    made = fleet.meta_parallel.PipelineParallel(layers, hcg, strategy)
    assert made.is_pipeline_first_stage() and made.is_pipeline_last_stage(ignore_virtual=True)
    data = paddle.to_tensor([[1.0], [-1.0]]), paddle.to_tensor([[0.0], [0.0]])
    for kind in (fleet.meta_parallel.PipelineParallel, fleet.meta_parallel.PipelineParallelWithInterleave):
        outs = kind(layers, hcg, strategy).eval_batch(data, return_host_tensor=True)
        assert [out.item() for out in outs] == [2.0, 0.0]


def test_state_of_programs_in_files(tmp_path):
    paddle.enable_static()
    try:
        main, startup = paddle.static.Program(), paddle.static.Program()
        with paddle.static.program_guard(main, startup), paddle.static.scope_guard(paddle.static.Scope()):
            x = paddle.static.data("x", [2, 2])
            out = paddle.static.nn.fc(x, 1, name="last")
            executor = paddle.static.Executor()
            executor.run(startup)
            (before,) = executor.run(main, feed={"x": X}, fetch_list=[out])
            for filename in (None, "all"):
                dist.io.save_persistables(executor, str(tmp_path), main, filename)
                executor.run(startup)
                dist.io.load_persistables(executor, str(tmp_path), main, filename)
                (after,) = executor.run(main, feed={"x": X}, fetch_list=[out])
                np.testing.assert_array_equal(after, before)
            paddle.static.save_inference_model(str(tmp_path / "net"), [x], [out], executor, program=main)
            program, names, fetched = dist.io.load_inference_model_distributed(
                str(tmp_path), executor, "net.json", "net.pdiparams"
            )
            (again,) = executor.run(program, feed={names[0]: X}, fetch_list=fetched)
            np.testing.assert_allclose(again, before, rtol=1e-6)
            with pytest.raises(NotImplementedError, match="servers"):
                dist.io.load_inference_model_distributed(str(tmp_path), executor, pserver_endpoints=["a"])
    finally:
        paddle.disable_static()


def test_rows_stay_with_their_experts():
    moe = dist.utils.moe_utils
    dist.init_parallel_env()
    x, counts = paddle.to_tensor(X, stop_gradient=False), paddle.to_tensor([2, 0])
    out = moe.global_gather(moe.global_scatter(x, counts, counts) * 3, counts, counts)
    assert out.tolist() == (X * 3).tolist()
    out.sum().backward()
    assert x.grad.tolist() == [[3.0, 3.0], [3.0, 3.0]]
    with pytest.raises(ValueError, match="sum up"):
        moe.global_scatter(x, paddle.to_tensor([1, 0]), counts)


def test_loggers_and_ports(capsys):
    logger = dist.utils.log_utils.get_logger("INFO", "of a job")
    assert dist.utils.log_utils.get_logger(20, "of a job") is logger and len(logger.handlers) == 1
    assert logger.level == 20 and not logger.propagate
    ports = dist.utils.launch_utils.find_free_ports(3)
    assert len(ports) == 3 and all(0 < port < 65536 for port in ports)
    host = dist.utils.launch_utils.get_host_name_ip()
    assert host is None or len(host) == 2


def test_the_loggers_of_fleet_that_wait_for_the_device(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    log = dist.fleet.utils.log_util
    assert log.get_sync_logger() is log.get_sync_logger()
    log.sync_rotate_logger().info("step %d", 3)
    text = (tmp_path / "hybrid_parallel" / "worker_0.log").read_text()
    assert "step 3" in text and "test_models_of_one_process.py" in text
    assert log.layer_to_str("Linear", 3, bias=False) == "Linear(3, bias=False)"


def test_the_launcher_is_a_function_after_its_import(monkeypatch):
    import importlib

    module = importlib.import_module("paddle.distributed.launch")
    monkeypatch.setattr(sys, "argv", ["launch", "--nnodes", "2", "script.py"])
    with pytest.raises(ValueError, match="--master"):
        module()


def test_updates_through_fleet():
    with pytest.raises(AttributeError, match="distributed_optimizer"):
        fleet.Fleet().minimize(paddle.ones([1]))
    fleet.init(is_collective=True)
    weight = paddle.create_parameter([1], "float32", default_initializer=paddle.nn.initializer.Constant(2.0))
    fleet.distributed_optimizer(paddle.optimizer.SGD(0.5, parameters=[weight]))
    loss = (weight * weight).sum()
    loss.backward()
    fleet.minimize(loss)
    assert weight.item() == pytest.approx(0.0)
    with pytest.raises(ValueError, match="GPU"):
        fleet.check_memory_usage("here")


def test_the_share_of_a_file_list_is_that_of_the_given_role():
    role = fleet.UserDefinedRoleMaker(current_id=1, worker_endpoints=["127.0.0.1:1", "127.0.0.1:2"])
    shares = fleet.UtilBase(role)
    assert shares.get_file_shard(["a", "b", "c"]) == ["c"]
    assert fleet.UtilBase().get_file_shard(["a", "b", "c"]) == ["a", "b", "c"]
    program = """
from paddle.distributed import fleet
role = fleet.UserDefinedRoleMaker(current_id=1, worker_endpoints=["127.0.0.1:1", "127.0.0.1:2"])
fleet.init(role)
print(fleet.util.get_file_shard(["a", "b", "c"]))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[-2] == "['c']"
