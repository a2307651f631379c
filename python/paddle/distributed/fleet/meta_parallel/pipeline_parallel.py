# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Training of a PipelineLayer in micro-batches, each stage in a process of its own."""

from .... import _core
from ....autograd import backward
from ....framework.modes import no_grad
from ...communication import broadcast, broadcast_object_list
from ..base.topology import ParallelMode
from ..utils import hybrid_parallel_util as _sync
from . import pipeline_schedules as _schedules
from .micro_batches import MicroBatches
from .parallel_layers import PipelineLayer
from .pp_utils.stage_messages import StageMessages, differentiable
from .wrappers import MetaParallelBase


class PipelineParallel(MetaParallelBase):
    """A PipelineLayer with its schedule.

    Args:
        layers: The PipelineLayer.
        hcg: The HybridCommunicateGroup.
        strategy: The DistributedStrategy; `pipeline_configs` has `micro_batch_size` and `accumulate_steps`.

    Raises:
        TypeError: `layers` is no PipelineLayer.
        ValueError: It has other stages than the topology.
    """

    def __init__(self, layers, hcg, strategy):
        if not isinstance(layers, PipelineLayer):
            raise TypeError(
                f"{type(self).__name__}: layers has type {type(layers).__name__}; it must be a PipelineLayer."
            )
        super().__init__(layers, hcg, strategy)
        self.num_stages = hcg.get_pipe_parallel_world_size() if hcg is not None else 1
        self.stage_id = hcg.get_stage_id() if hcg is not None else 0
        if layers.num_stages != self.num_stages:
            raise ValueError(
                f"{type(self).__name__}: the PipelineLayer has {layers.num_stages} stages; pp_degree is {self.num_stages}."
            )
        self.num_model_chunks = layers.get_num_virtual_stages()
        self.micro_batch_size = strategy.pipeline_configs["micro_batch_size"]
        self.accumulate_steps = strategy.pipeline_configs["accumulate_steps"]
        self.total_loss = self.optimizer = self.lr_scheduler = None
        self._messages = StageMessages(hcg.get_pipe_parallel_group()) if self.num_stages > 1 else None
        if hcg is not None:
            for copy in (
                _sync.broadcast_mp_parameters,
                _sync.broadcast_sharding_parameters,
                _sync.broadcast_dp_parameters,
            ):
                copy(layers, hcg)

    def is_pipeline_first_stage(self, ignore_virtual=False):
        """Whether this process runs the first stage."""
        return self.stage_id == 0

    def is_pipeline_last_stage(self, ignore_virtual=False):
        """Whether this process runs the last stage."""
        return self.stage_id == self.num_stages - 1

    # -- one pass of one micro-batch ------------------------------------------------------------

    def _place(self, part):
        """Number of a chunk of this stage among the chunks of all."""
        return part * self.num_stages + self.stage_id

    @property
    def _last_place(self):
        return self.num_stages * self.num_model_chunks - 1

    def _forward(self, batch, part, micro):
        """Run a part forward: (its input, its output), where the last part has the losses for output."""
        place = self._place(part)
        if place == 0:
            given = batch.inputs(micro)
        else:
            given = self._messages.receive((place - 1) % self.num_stages, ("f", place, micro))
        output = self._layers(given, part) if self.num_model_chunks > 1 else self._layers(given)
        if place < self._last_place:
            self._messages.send((place + 1) % self.num_stages, ("f", place + 1, micro), output)
        return given, output

    def _losses(self, output, labels):
        if not self._layers._loss_fn:
            raise ValueError("PipelineParallel: the PipelineLayer has no loss_fn; pass one to it.")
        return [loss(output, labels) for loss in self._layers._loss_fn]

    def _backward(self, part, micro, given, output):
        """Run a part backward, from the gradients of its output, or from the loss."""
        place = self._place(part)
        if place == self._last_place:
            output.backward()
        else:
            gradients = self._messages.receive((place + 1) % self.num_stages, ("b", place, micro))
            backward(differentiable(output), gradients)
        if place > 0:
            gradients = [
                _core.ops.full_like(t, 0) if t.grad is None else t.grad.detach() for t in differentiable(given)
            ]
            self._messages.send((place - 1) % self.num_stages, ("b", place - 1, micro), gradients)

    # -- what trainers of their own look at: gradients are sent when a batch ends, in no buffers of their own ------------
    _dp_comm_overlap = _sharding_comm_overlap = False
    _chunk_2_comm_buffers = {}

    def _prepare_training(self, data, optimizer, lr_scheduler):
        """Get ready for `forward_backward_pipeline`; the data, as it is."""
        self.optimizer, self.lr_scheduler = optimizer, lr_scheduler
        self._layers.train()
        return data

    # -- whole batches --------------------------------------------------------------------------

    def _schedule(self):
        if self.num_model_chunks > 1:
            return _schedules.interleaved(self.stage_id, self.num_stages, self.num_model_chunks, self.accumulate_steps)
        return _schedules.one_forward_one_backward(self.stage_id, self.num_stages, self.accumulate_steps)

    def get_static_scheduler(self):
        """The order of passes of this stage as text, such as 'f0;f1;b0;b1;'."""
        return _schedules.as_text(self._schedule(), self.num_model_chunks)

    def forward_backward_pipeline(
        self, data, scaler=None, static_scheduler=False, return_micro_batch_loss=False, loss_fn_idx=0
    ):
        """Losses and gradients of a batch (inputs, labels).

        Args:
            data: (inputs, labels), or an iterator that gives them for each micro-batch. Inputs count on the first stage, labels
                on the last.
            scaler: A GradScaler, or None.
            static_scheduler: Whether the order of passes is returned as text, and nothing is run.
            return_micro_batch_loss: Whether the losses of the micro-batches are returned, [accumulate_steps].
            loss_fn_idx: Number of the loss whose gradients are taken.

        Returns:
            The mean loss, on every stage; a list of them where the PipelineLayer has several losses.
        """
        if static_scheduler:
            return self.get_static_scheduler()
        batch = MicroBatches(data, self.micro_batch_size, self.accumulate_steps)
        running, losses = {}, []
        for kind, part, micro in self._schedule():
            if kind == "b":
                self._backward(part, micro, *running.pop((part, micro)))
                continue
            given, output = self._forward(batch, part, micro)
            if self._place(part) == self._last_place:
                values = self._losses(output, batch.labels(micro))
                losses.append([value.detach() for value in values])
                output = values[loss_fn_idx] / self.accumulate_steps
                output = scaler.scale(output) if scaler is not None else output
            running[part, micro] = given, output
        self._layers.allreduce_shared_weight_gradients()
        self._average_gradients()
        self.total_loss = self._from_last_stage(losses, return_micro_batch_loss)
        return self.total_loss

    def _average_gradients(self):
        """Over the processes that have other data, where no HybridParallelOptimizer does."""
        if self._hcg is not None and self._hcg.get_parallel_mode() == ParallelMode.DATA_PARALLEL:
            _sync.fused_allreduce_gradients(self._layers.parameters(), self._hcg)

    def _from_last_stage(self, losses, each=False):
        """Means of the losses of micro-batches, or these themselves, on every stage."""
        found = None
        if self.is_pipeline_last_stage():
            by_loss = [
                _core.ops.stack([_core.ops.reshape(v, []) for v in values], 0) for values in zip(*losses, strict=True)
            ]
            found = by_loss if each else [values.sum() / self.accumulate_steps for values in by_loss]
        if self.num_stages > 1:
            group = self._hcg.get_pipe_parallel_group()
            described = [None if found is None else [(list(value.shape), value.dtype.name) for value in found]]
            broadcast_object_list(described, group.ranks[-1], group)
            if found is None:
                found = [_core.ops.full(shape, 0, dtype) for shape, dtype in described[0]]
            for value in found:
                broadcast(value, group.ranks[-1], group)
        return found[0] if len(found) == 1 else found

    def train_batch(
        self, data, optimizer, lr_scheduler=None, scaler=None, loss_fn_idx=0, return_micro_batch_loss=False
    ):
        """One step of training on a batch.

        Args:
            data: (inputs, labels), or an iterator that gives them for each micro-batch. Inputs count on the first stage, labels
                on the last. A tensor is cut along its first axis, a tuple entry by entry, a list has an entry a micro-batch.
            optimizer: What `fleet.distributed_optimizer` gave.
            lr_scheduler: An LRScheduler that steps too, or None.
            scaler: What `fleet.distributed_scaler` gave, or None.
            loss_fn_idx: Number of the loss whose gradients are taken.
            return_micro_batch_loss: Whether the losses of the micro-batches are returned, [accumulate_steps].

        Returns:
            The mean loss, on every stage; a list of them where the PipelineLayer has several losses.
        """
        self._prepare_training(data, optimizer, lr_scheduler)
        loss = self.forward_backward_pipeline(data, scaler, False, return_micro_batch_loss, loss_fn_idx)
        if scaler is not None:
            scaler.step(optimizer)
            scaler.update()
        else:
            optimizer.step()
        optimizer.clear_grad()
        if lr_scheduler is not None:
            lr_scheduler.step()
        return loss

    def eval_batch(self, data, compute_loss=False, loss_fn_idx=0, return_host_tensor=False):
        """Mean loss, or the outputs, of a batch (inputs, labels) without gradients.

        Args:
            data: As in `train_batch`.
            compute_loss: Whether the loss is wanted.
            loss_fn_idx: Number of the loss.
            return_host_tensor: Accepted: outputs are in host memory.

        Returns:
            The mean loss, on every stage; without `compute_loss` a list of the outputs of the last stage for each
            micro-batch, None on the others.
        """
        self._layers.eval()
        batch = MicroBatches(data, self.micro_batch_size, self.accumulate_steps)
        losses, outputs = [], []
        with no_grad():
            for _, part, micro in _schedules.forward_alone(self.num_model_chunks, self.accumulate_steps):
                _, output = self._forward(batch, part, micro)
                if self._place(part) == self._last_place:
                    outputs.append(output)
                    if compute_loss:
                        losses.append([self._losses(output, batch.labels(micro))[loss_fn_idx]])
            if compute_loss:
                return self._from_last_stage(losses)
        return outputs if self.is_pipeline_last_stage() else None


class PipelineParallelWithInterleave(PipelineParallel):
    """A PipelineLayer whose stages have several chunks of layers."""


class NoPipelineParallel(PipelineParallel):
    """A PipelineLayer that runs as one stage."""

    def __init__(self, layers, strategy, hcg=None):
        super().__init__(layers, hcg, strategy)
