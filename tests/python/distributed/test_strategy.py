# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Settings of parallel training, and samples as text of slots. The texts are those of PaddlePaddle 3.3.1."""

import io

import paddle
import paddle.distributed as dist
import pytest
from paddle.distributed import fleet


def test_groups_of_settings_are_read_from_dicts():
    strategy = dist.Strategy({"sharding": {"enable": True, "stage": 2}, "pipeline": {"schedule_mode": "VPP"}})
    assert strategy.sharding.enable and strategy.sharding.stage == 2 and strategy.sharding.degree == 8
    assert strategy.pipeline.schedule_mode == "VPP" and not strategy.pipeline.enable and strategy.full_graph
    assert not strategy.amp.enable and strategy.amp.dtype == "float16" and not strategy.fused_passes.gemm_epilogue
    strategy.gradient_merge.k_steps = 4
    again = dist.auto_parallel.Strategy(strategy.to_dict())
    assert again.gradient_merge.k_steps == 4 and again.sharding.get("stage") == 2 and again.get("nothing", 5) == 5
    again.amp.custom_white_list.append("matmul")
    assert dist.Strategy().amp.custom_white_list == []
    again.from_dict({"auto_mode": "full", "nothing": 1})
    assert again.auto_mode == "full" and not hasattr(again, "nothing") and "stage" in repr(again)
    with pytest.raises(ValueError, match="dict"):
        dist.Strategy(3)


class Words(fleet.MultiSlotDataGenerator):
    def generate_sample(self, line):
        def samples():
            if line is None:
                for i in range(2):
                    yield [("words", [1 + i, 2, 3]), ("label", [i])]
            else:
                yield [("words", [int(word) for word in line.split()]), ("weight", [0.5])]

        return samples


class Doubled(Words):
    def generate_batch(self, samples):
        def batch():
            yield from samples
            yield samples[0]

        return batch


def test_samples_are_printed_as_slots(capsys, monkeypatch):
    words = Words()
    words.set_batch(2)
    words.run_from_memory()
    assert capsys.readouterr().out == "3 1 2 3 1 0\n3 2 2 3 1 1\n"
    monkeypatch.setattr("sys.stdin", io.StringIO("1 2\n3\n"))
    lines = Words()
    lines.run_from_stdin()
    assert capsys.readouterr().out == "2 1 2 1 0.5\n1 3 1 0.5\n"
    assert lines._proto_info == [("words", "uint64"), ("weight", "float")]
    Doubled().run_from_memory()
    assert capsys.readouterr().out == "3 1 2 3 1 0\n3 2 2 3 1 1\n3 1 2 3 1 0\n"


def test_samples_of_strings(capsys):
    class Text(fleet.MultiSlotStringDataGenerator):
        def generate_sample(self, line):
            return lambda: iter([[("words", ["1", "a"]), ("label", ["0"])]])

    Text().run_from_memory()
    assert capsys.readouterr().out == "2 1 a 1 0\n"


def test_wrong_samples_raise():
    def generator(sample):
        made = fleet.MultiSlotDataGenerator()
        made.generate_sample = lambda line: lambda: iter([[("a", [1])], sample])
        return made

    for sample in ({"a": 1}, [("b", [1])], [("a", [])], [("a", ["x"])], [("a", [1]), ("b", [1])]):
        with pytest.raises(ValueError):
            generator(sample).run_from_memory()
    with pytest.raises(NotImplementedError):
        fleet.MultiSlotDataGenerator().run_from_memory()


def test_settings_that_every_strategy_begins_with():
    strategy = fleet.DistributedStrategy()
    waits = {"send_queue_size": 16, "send_wait_times": 1, "launch_barrier": True, "heter_worker_device_guard": "cpu"}
    assert waits.items() <= strategy.a_sync_configs.items() and len(strategy.a_sync_configs) == 13
    assert strategy.recompute_configs["refined_ops_patterns"] == [] == strategy.dgc_configs["sparsity"]
    assert strategy.gradient_scale_configs == {"scale_strategy": "avg", "scale_gradient": False}
    assert not strategy.cudnn_batchnorm_spatial_persistent
    strategy.a_sync_configs = {"use_ps_gpu": 1}
    strategy.last_comm_group_size_MB = 0.5
    assert strategy.a_sync_configs["use_ps_gpu"] == 1 and strategy.last_comm_group_size_MB == 0.5
    with pytest.raises(TypeError, match="nccl_comm_num"):
        strategy.nccl_comm_num = 0.5


def test_groups_that_are_no_dicts():
    with pytest.raises(ValueError, match="sharding"):
        dist.Strategy({"sharding": 5})
    assert not dist.Strategy({"amp": None}).amp.enable


def test_settings_of_quantised_training():
    from paddle.distributed.auto_parallel.strategy import Strategy

    qat = Strategy({"qat": {"weight_bits": 4}}).qat
    assert not qat.enable and qat.weight_bits == 4 and qat.not_quant_pattern == ["skip_quant"]
    with pytest.raises(NotImplementedError, match="qat"):
        dist.auto_parallel.Engine(paddle.nn.Linear(1, 1), strategy=Strategy({"qat": {"enable": True}}))
