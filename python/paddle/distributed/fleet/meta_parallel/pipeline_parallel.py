# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Training of a PipelineLayer in micro-batches; with one stage they run one after the other."""

from ...._core import Tensor
from ....framework.modes import no_grad
from .parallel_layers import PipelineLayer
from .wrappers import MetaParallelBase


class PipelineParallel(MetaParallelBase):
    """A PipelineLayer with its schedule.

    Args:
        layers: The PipelineLayer.
        hcg: The HybridCommunicateGroup.
        strategy: The DistributedStrategy; `pipeline_configs` has `micro_batch_size` and
            `accumulate_steps`.
    """

    def __init__(self, layers, hcg, strategy):
        if not isinstance(layers, PipelineLayer):
            raise TypeError(
                f"{type(self).__name__}: layers has type {type(layers).__name__}; it must be a PipelineLayer."
            )
        super().__init__(layers, hcg, strategy)
        self.micro_batch_size = strategy.pipeline_configs["micro_batch_size"]
        self.accumulate_steps = strategy.pipeline_configs["accumulate_steps"]
        self.total_loss = None

    def _micro_batches(self, data):
        """The batch as `accumulate_steps` tuples (inputs, labels)."""
        parts = [self._split(entry) for entry in data]
        return list(zip(*parts, strict=False))

    def _split(self, value):
        if isinstance(value, (list, tuple)):
            return [tuple(v) for v in zip(*(self._split(v) for v in value), strict=False)] or [
                () for _ in range(self.accumulate_steps)
            ]
        if not isinstance(value, Tensor):
            return [value] * self.accumulate_steps
        size = self.micro_batch_size
        if value.shape[0] != size * self.accumulate_steps:
            raise ValueError(
                f"train_batch: the batch has {value.shape[0]} rows; micro_batch_size {size} times accumulate_steps "
                f"{self.accumulate_steps} is {size * self.accumulate_steps}."
            )
        return [value[i * size : (i + 1) * size] for i in range(self.accumulate_steps)]

    def forward_backward_pipeline(self, data, scaler=None, static_scheduler=False, return_micro_batch_loss=False):
        """Losses and gradients of a batch (inputs, labels); returns the mean loss."""
        losses = []
        for inputs, labels in self._micro_batches(data):
            loss = self._loss(inputs, labels) / self.accumulate_steps
            (scaler.scale(loss) if scaler is not None else loss).backward()
            losses.append(loss.detach())
        self.total_loss = sum(losses[1:], losses[0])
        if return_micro_batch_loss:
            return [loss * self.accumulate_steps for loss in losses]
        return self.total_loss

    def is_pipeline_first_stage(self, ignore_virtual=False):
        """Whether this process runs the first stage: it does."""
        return True

    def is_pipeline_last_stage(self, ignore_virtual=False):
        """Whether this process runs the last stage: it does."""
        return True

    def _loss(self, inputs, labels):
        if self._layers._loss_fn is None:
            raise ValueError("PipelineParallel: the PipelineLayer has no loss_fn; pass one to it.")
        output = self._layers(inputs)
        labels = labels if isinstance(labels, tuple) else (labels,)
        return self._layers._loss_fn(output, *labels)

    def train_batch(
        self, data, optimizer, lr_scheduler=None, scaler=None, loss_fn_idx=0, return_micro_batch_loss=False
    ):
        """One step of training on a batch (inputs, labels); returns the mean loss."""
        self._layers.train()
        loss = self.forward_backward_pipeline(data, scaler, return_micro_batch_loss=return_micro_batch_loss)
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
            data: (inputs, labels).
            compute_loss: Whether the loss is wanted.
            loss_fn_idx: Kept for layers with several losses.
            return_host_tensor: Accepted: outputs are in host memory.
        """
        self._layers.eval()
        with no_grad():
            batches = self._micro_batches(data)
            if compute_loss:
                losses = [self._loss(inputs, labels) / self.accumulate_steps for inputs, labels in batches]
                return sum(losses[1:], losses[0])
            return [self._layers(inputs) for inputs, _ in batches]


class PipelineParallelWithInterleave(PipelineParallel):
    """A PipelineLayer whose stages have several parts."""


class NoPipelineParallel(PipelineParallel):
    """A PipelineLayer that runs as one stage."""

    def __init__(self, layers, strategy, hcg=None):
        super().__init__(layers, hcg, strategy)
