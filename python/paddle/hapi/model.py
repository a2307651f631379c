# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`paddle.Model`: training, evaluation, prediction and saving of a network in a few calls."""

import inspect
import os

from .. import _core
from ..framework.modes import dynamically, in_dynamic_mode, no_grad
from ..metric import Metric
from ._batches import (  # noqa: F401
    _all_gather,
    _list,
    _rows,
    _tensors,
    flatten_list,
    restore_flatten_list,
    to_list,
    to_numpy,
)
from .callbacks import config_callbacks


def _named(specs, argument):
    """The specifications as a list; each must have a name."""
    specs = _list(specs)
    for i, spec in enumerate(specs):
        if getattr(spec, "name", None) is None:
            raise ValueError(f"Model: {argument}[{i}] is {spec!r}; it must be an InputSpec with a name.")
    return specs


def prepare_distributed_context(place=None):
    """Start communication where the program runs in several processes.

    Args:
        place: Kept for programs that name a device; the current one counts.

    Returns:
        The environment: `nranks`, `local_rank`, `trainer_endpoints` and `current_endpoint`.
    """
    from .. import distributed

    environment = distributed.ParallelEnv()
    if environment.nranks > 1:
        distributed.init_parallel_env()
    return environment


class Model:
    """A network with training, evaluation and prediction.

    Args:
        network: The Layer.
        inputs: InputSpec with a name, or list or dict of them; needed for `save(training=False)`, in static
            mode, and for telling inputs from labels when a batch has neither loss nor label specs.
        labels: InputSpec or list of them.

    Example:
        >>> import numpy, paddle
        >>> class Data(paddle.io.Dataset):
        ...     def __len__(self):
        ...         return 8
        ...     def __getitem__(self, i):
        ...         return numpy.full([4], i / 8, "float32"), numpy.array([i % 2])
        >>> model = paddle.Model(paddle.nn.Linear(4, 2))
        >>> model.prepare(paddle.optimizer.Adam(parameters=model.parameters()),
        ...               paddle.nn.CrossEntropyLoss(), paddle.metric.Accuracy())
        >>> model.fit(Data(), batch_size=4, epochs=1, verbose=0)
    """

    def __init__(self, network, inputs=None, labels=None):
        from ..nn import Layer

        if not isinstance(network, Layer):
            raise TypeError(f"Model: network has type {type(network).__name__}; it must be a paddle.nn.Layer.")
        if isinstance(inputs, dict):
            order = [name for name in inspect.signature(network.forward).parameters if name in inputs]
            inputs = [inputs[name] for name in order]
        if inputs is None and not in_dynamic_mode():
            raise TypeError("Model: inputs is None; in static mode give the InputSpecs of the inputs.")
        if not in_dynamic_mode():
            from ..static.state import start

            start([*network.parameters(), *network.buffers()])
        self.network = self._runs = network  # `_runs` averages gradients where the job has several processes.
        self._merged = None  # Samples that metrics of all processes have seen, and how many there are.
        self.mode = "train"
        self._inputs, self._labels = _named(inputs, "inputs"), _named(labels, "labels")
        self._seen = ()  # shape and dtype of each input of the last batch
        self._optimizer = self._loss = None
        self._metrics = []
        self._scaler, self._amp_level, self._amp_lists = None, "O0", {}
        self.stop_training = False

    # -- set-up

    @dynamically
    def prepare(self, optimizer=None, loss=None, metrics=None, amp_configs=None):
        """Set what training and evaluation use.

        Args:
            optimizer: Optimizer of the network's parameters.
            loss: Layer or function of (outputs..., labels...).
            metrics: Metric or list of Metrics.
            amp_configs: Level 'O0', 'O1' or 'O2' of automatic mixed precision, or a dict with
                'level', 'custom_white_list', 'custom_black_list', 'use_fp16_guard' and options
                of GradScaler.

        Raises:
            TypeError: loss is not callable.
            AssertionError: metrics holds something else than Metrics.
        """
        if loss is not None and not callable(loss):
            raise TypeError(f"Model.prepare: loss has type {type(loss).__name__}; it must be a Layer or a function.")
        for metric in _list(metrics):
            if not isinstance(metric, Metric):
                raise AssertionError(f"Model.prepare: metrics holds a {type(metric).__name__}; it must be a Metric.")
        self._optimizer, self._loss, self._metrics = optimizer, loss, _list(metrics)
        self._prepare_amp(amp_configs)
        self._runs = self.network
        if prepare_distributed_context().nranks > 1:
            from ..distributed import DataParallel

            self._runs = DataParallel(self.network)

    def _prepare_amp(self, configs):
        if configs is None:
            return
        configs = {"level": configs} if isinstance(configs, str) else dict(configs)
        level = configs.pop("level", "O1")
        if level not in ("O0", "O1", "O2"):
            raise ValueError(f"Model.prepare: amp_configs has level {level!r}; it must be 'O0', 'O1' or 'O2'.")
        self._amp_level = level
        if level == "O0":
            return
        from .. import amp

        names = ("custom_white_list", "custom_black_list")
        self._amp_lists = {name: configs.pop(name) for name in names if name in configs}
        configs.pop("use_fp16_guard", None)
        unknown = set(configs) - set(inspect.signature(amp.GradScaler).parameters)
        if unknown:
            raise ValueError(
                f"Model.prepare: amp_configs has {sorted(unknown)}; these are no settings of mixed precision."
            )
        self._scaler = amp.GradScaler(**configs)
        if level == "O2":
            self.network, self._optimizer = amp.decorate(self.network, self._optimizer, level="O2")

    def parameters(self, *args, **kwargs):
        """The parameters of the network."""
        return self.network.parameters(*args, **kwargs)

    @dynamically
    def summary(self, input_size=None, dtype=None):
        """Print the layers of the network; see `paddle.summary`.

        Returns:
            Dict with total_params and trainable_params.
        """
        from .model_summary import summary

        if input_size is None and not self._inputs:
            raise AssertionError("Model.summary: there is no size of the inputs; pass input_size, or inputs to Model.")
        return summary(self.network, self._inputs if input_size is None else input_size, dtype)

    # -- one batch

    def _forward(self, inputs):
        tensors = _tensors(inputs)
        self._seen = tuple((t.shape, t.dtype) for t in tensors)
        if self._amp_level == "O0":
            return _list(self._runs(*tensors))
        from ..amp import auto_cast

        with auto_cast(enable=True, level=self._amp_level, **self._amp_lists):
            return _list(self._runs(*tensors))

    def _losses(self, outputs, labels):
        if self._loss is None:
            return []
        if self._amp_level != "O0":
            outputs = [o.astype("float32") if o.is_floating_point() else o for o in outputs]
        return _list(self._loss(*outputs, *labels))

    def _of_all_processes(self, tensors):
        """The samples of a batch of every process, without those that fill up the last batch."""
        seen, count = self._merged
        return [_all_gather(tensor)[: count - seen] for tensor in tensors]

    def _update_metrics(self, outputs, labels):
        values = []
        if self._merged is not None and self._metrics and self.mode == "eval":
            outputs, labels = self._of_all_processes(outputs), self._of_all_processes(labels)
            self._merged = self._merged[0] + len(outputs[0]), self._merged[1]
        for metric in self._metrics:
            computed = _list(metric.compute(*outputs, *labels))
            values.append(metric.update(*(c.numpy() if isinstance(c, _core.Tensor) else c for c in computed)))
        return values

    @staticmethod
    def _result(losses, metrics):
        losses = [loss.numpy() for loss in losses]
        if losses and metrics:
            return losses, metrics
        return losses or metrics

    @dynamically
    def train_batch(self, inputs, labels=None, update=True):
        """Run one training step.

        Args:
            inputs: Array or Tensor, or list of them.
            labels: The same, for the loss.
            update: Whether the optimizer steps; False only adds up gradients.

        Returns:
            List of losses, or (losses, metrics) with metrics.
        """
        if self._optimizer is None:
            raise AssertionError("Model.train_batch: the model is not ready; call prepare with an optimizer first.")
        return self._result(*self._train_step(inputs, labels, update))

    def _train_step(self, inputs, labels, update):
        """One step; without `update` its gradients stay for the next one."""
        self.network.train()
        self.mode = "train"
        labels = _tensors(labels)
        outputs = self._forward(inputs)
        losses = self._losses(outputs, labels)
        if not losses:
            raise AssertionError("Model.train_batch: the model has no loss; call prepare with a loss first.")
        total = sum(losses[1:], losses[0])
        if self._scaler is not None:
            self._scaler.scale(total).backward()
        else:
            total.backward()
        if update:
            if self._scaler is not None:
                self._scaler.step(self._optimizer)
                self._scaler.update()
            else:
                self._optimizer.step()
            self._optimizer.clear_grad()
        with no_grad():
            return losses, self._update_metrics(outputs, labels)

    @dynamically
    def eval_batch(self, inputs, labels=None):
        """Loss and metrics of one batch; returns as `train_batch` does."""
        self.network.eval()
        self.mode = "eval"
        with no_grad():
            labels = _tensors(labels)
            outputs = self._forward(inputs)
            return self._result(self._losses(outputs, labels), self._update_metrics(outputs, labels))

    @dynamically
    def predict_batch(self, inputs):
        """Outputs for one batch, as a list of arrays."""
        self.network.eval()
        self.mode = "test"
        with no_grad():
            return [out.numpy() for out in self._forward(inputs)]

    # -- loops

    @dynamically
    def fit(
        self,
        train_data=None,
        eval_data=None,
        batch_size=1,
        epochs=1,
        eval_freq=1,
        log_freq=10,
        save_dir=None,
        save_freq=1,
        verbose=2,
        drop_last=False,
        shuffle=True,
        num_workers=0,
        callbacks=None,
        accumulate_grad_batches=1,
        num_iters=None,
    ):
        """Train.

        Args:
            train_data: Dataset, or iterable of batches such as a DataLoader.
            eval_data: The same, for an evaluation every `eval_freq` epochs.
            batch_size: Samples per batch, or a pair for training and evaluation.
            epochs: Times that the data are gone through.
            eval_freq: Epochs between evaluations.
            log_freq: Steps between two printed lines.
            save_dir: Folder of checkpoints, which are written every `save_freq` epochs.
            save_freq: Epochs between checkpoints.
            verbose: 0 prints nothing, 1 a progress bar, 2 lines.
            drop_last: Leave out a smaller batch at the end.
            shuffle: Random order.
            num_workers: Worker processes of the data loader.
            callbacks: Callback or list of Callbacks.
            accumulate_grad_batches: Batches per step of the optimizer; their gradients are added up.
            num_iters: The number of batches, whatever `epochs` says.
        """
        if train_data is None:
            raise AssertionError("Model.fit: train_data is None; pass a Dataset or a DataLoader.")
        sizes = batch_size if isinstance(batch_size, (list, tuple)) else (batch_size, batch_size)
        if len(sizes) != 2:
            raise ValueError(f"Model.fit: batch_size has {len(sizes)} items; pass an integer or a pair.")
        loader = self._loader(train_data, sizes[0], shuffle, drop_last, num_workers)
        eval_loader = None
        if eval_data is not None:
            eval_loader = self._loader(eval_data, sizes[1], False, False, num_workers)
        self._share = accumulate_grad_batches
        self._left = num_iters
        self.stop_training = False
        steps = self._steps(loader)
        if num_iters is not None and steps:
            epochs = num_iters // self._length(loader) + 1
        cbks = config_callbacks(
            callbacks, model=self, batch_size=sizes[0], epochs=epochs, steps=steps, log_freq=log_freq,
            save_freq=save_freq, save_dir=save_dir, verbose=verbose, metrics=self._metric_names(),
        )  # fmt: skip
        cbks.on_begin("train")
        logs = {}
        for epoch in range(epochs):
            cbks.on_epoch_begin(epoch)
            logs = self._run_epoch(loader, cbks, "train", logs)
            cbks.on_epoch_end(epoch, logs)
            if eval_loader is not None and epoch % eval_freq == 0:
                left, self._left = self._left, None  # evaluation takes all of its data
                logs = self._evaluate(eval_loader, cbks, logs)
                self._left = left
            if self.stop_training or self._left == 0:
                break
        cbks.on_end("train", logs)

    def _steps(self, loader):
        """How many batches of a loader are run; None where it does not know its length."""
        steps = self._length(loader)
        return steps if steps is None or self._left is None else min(steps, self._left)

    def _evaluate(self, loader, cbks, logs):
        begin = {"steps": self._steps(loader), "metrics": self._metric_names()}
        cbks.on_begin("eval", begin)
        sampler = getattr(loader, "batch_sampler", None)
        if getattr(sampler, "nranks", 1) > 1:
            self._merged = 0, len(sampler.dataset)
        try:
            logs = self._run_epoch(loader, cbks, "eval", logs)
        finally:
            self._merged = None
        cbks.on_end("eval", logs)
        return logs

    @dynamically
    def evaluate(self, eval_data, batch_size=1, log_freq=10, verbose=2, num_workers=0, callbacks=None, num_iters=None):
        """Loss and metrics over data.

        Args:
            eval_data: Dataset, or iterable of batches.
            batch_size, log_freq, verbose, num_workers, callbacks: As for `fit`.
            num_iters: The largest number of batches.

        Returns:
            Dict of the loss and of the metrics by name.
        """
        loader = self._loader(eval_data, batch_size, False, False, num_workers)
        self._left = num_iters
        names = self._metric_names()
        cbks = config_callbacks(
            callbacks, model=self, log_freq=log_freq, verbose=verbose, metrics=names, batch_size=batch_size, mode="eval"
        )
        logs = self._evaluate(loader, cbks, {})
        return {name: logs[name] for name in names if name in logs}

    @dynamically
    def predict(self, test_data, batch_size=1, num_workers=0, stack_outputs=False, verbose=1, callbacks=None):
        """Outputs over data.

        Args:
            test_data: Dataset, or iterable of batches.
            stack_outputs: Join the batches of each output to one array.
            batch_size, num_workers, verbose, callbacks: As for `fit`.

        Returns:
            One item for each output: a tuple of arrays, one a batch, or an array.
        """
        import numpy

        loader = self._loader(test_data, batch_size, False, False, num_workers)
        cbks = config_callbacks(callbacks, model=self, verbose=verbose, batch_size=batch_size, mode="test")
        cbks.on_begin("predict", {"steps": self._length(loader)})
        batches, logs = [], {}
        for step, batch in enumerate(loader):
            cbks.on_batch_begin("predict", step, logs)
            inputs, _ = self._split(batch, predict=True)
            batches.append(self.predict_batch(inputs))
            logs = {"step": step, "batch_size": _rows(inputs)}
            cbks.on_batch_end("predict", step, logs)
        cbks.on_end("predict", logs)
        outputs = list(zip(*batches, strict=True))
        return [numpy.concatenate(out) for out in outputs] if stack_outputs else outputs

    def _run_epoch(self, loader, cbks, mode, logs):
        for metric in self._metrics:
            metric.reset()
        steps, share = self._length(loader), getattr(self, "_share", 1)
        for step, batch in enumerate(loader):
            if self._left == 0:
                break
            cbks.on_batch_begin(mode, step, logs)
            inputs, labels = self._split(batch)
            if mode == "train":
                if self._optimizer is None:
                    raise AssertionError("Model.fit: the model is not ready; call prepare with an optimizer first.")
                last = (step + 1) % share == 0 or step + 1 == steps
                losses, _ = self._train_step(inputs, labels, last)
                losses = [loss.numpy() for loss in losses]
            else:
                result = self.eval_batch(inputs, labels)
                losses = [] if self._loss is None else (result[0] if self._metrics else result)
            logs = self._logs(losses)
            logs.update(step=step, batch_size=_rows(inputs))
            cbks.on_batch_end(mode, step, logs)
            if self._left is not None:
                self._left -= 1
            if self.stop_training and mode == "train":
                break
        return logs

    def _logs(self, losses):
        logs = {"loss": [float(loss.reshape(-1)[0]) for loss in losses]} if losses else {}
        for metric in self._metrics:
            names, values = _list(metric.name()), _list(metric.accumulate())
            logs.update(zip(names, values, strict=False))
        return logs

    def _metric_names(self):
        names = ["loss"] if self._loss is not None else []
        for metric in self._metrics:
            names.extend(_list(metric.name()))
        return names

    def _split(self, batch, predict=False):
        """(inputs, labels) of a batch."""
        if isinstance(batch, dict):
            batch = list(batch.values())
        batch = _list(batch)
        if self._inputs:
            count = len(self._inputs)
        elif self._labels:
            count = len(batch) - len(self._labels)
        elif predict:
            count = self._forward_arity(len(batch))
        else:
            count = len(batch) - 1 if len(batch) > 1 and (self._loss is not None or self._metrics) else len(batch)
            if self._loss is None and not self._metrics:
                count = self._forward_arity(len(batch))
        return batch[:count], batch[count:]

    def _forward_arity(self, available):
        """How many of `available` values the network's forward takes."""
        import inspect

        parameters = inspect.signature(self.network.forward).parameters.values()
        if any(p.kind is p.VAR_POSITIONAL for p in parameters):
            return max(available - 1, 1) if self._loss is not None else available
        positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
        required = sum(p.default is p.empty for p in positional)
        return min(available, max(required, 1))

    @staticmethod
    def _loader(data, batch_size, shuffle, drop_last, num_workers):
        from ..io import DataLoader, Dataset, DistributedBatchSampler, IterableDataset

        if isinstance(data, IterableDataset):
            return DataLoader(data, batch_size=batch_size, drop_last=drop_last, num_workers=num_workers)
        if isinstance(data, Dataset):
            sampler = DistributedBatchSampler(data, batch_size=batch_size, shuffle=shuffle, drop_last=drop_last)
            return DataLoader(data, batch_sampler=sampler, num_workers=num_workers)
        return data

    @staticmethod
    def _length(loader):
        try:
            return len(loader)
        except (TypeError, ValueError, RuntimeError):
            return None

    # -- files

    @dynamically
    def save(self, path, training=True):
        """Write path.pdparams and path.pdopt, or for inference the files of `paddle.jit.save`.

        Of a job of several processes the first one writes.

        Args:
            path: Prefix of the files.
            training: False saves a program for inference, which needs `inputs`.
        """
        if os.path.basename(path) == "":
            error = AssertionError if training else ValueError
            raise error(f"Model.save: path has value {path!r}; it must end with a file name.")
        from ..distributed import get_rank

        if get_rank() > 0:
            return
        if not training:
            return self._save_inference(path)
        from ..framework.io import save

        folder = os.path.dirname(path)
        if folder:
            os.makedirs(folder, exist_ok=True)
        save(self.network.state_dict(), path + ".pdparams")
        state = self._optimizer.state_dict() if self._optimizer is not None else None
        if state:
            save(state, path + ".pdopt")

    def _save_inference(self, path):
        from .. import jit
        from ..jit.spec import InputSpec

        inputs = self._inputs or [InputSpec([None, *shape[1:]], dtype) for shape, dtype in self._seen]
        if not inputs:
            raise RuntimeError(
                "Model.save: training=False needs the shapes of the inputs; pass inputs to Model or run a batch first."
            )
        mode = self.network.training
        self.network.eval()
        jit.save(self.network, path, input_spec=inputs)
        if mode:
            self.network.train()

    @dynamically
    def load(self, path, skip_mismatch=False, reset_optimizer=False):
        """Read path.pdparams, and path.pdopt when there is one.

        Args:
            path: Prefix of the files (or the name of the .pdparams file).
            skip_mismatch: Leave out parameters that are missing or have another shape.
            reset_optimizer: Leave out the state of the optimizer.

        Raises:
            ValueError: There is no such file (an AssertionError too), or a parameter is missing or has another shape.
        """
        import warnings

        from ..framework.io import load

        path = path.removesuffix(".pdparams")
        if not os.path.exists(path + ".pdparams"):
            raise _core.ArgumentValueError(f"Model.load: there is no file {path}.pdparams.")
        saved = load(path + ".pdparams")
        state = {}
        for name, param in self.network.state_dict().items():
            problem = None
            if name not in saved:
                problem = f"{name} is missing in {path}.pdparams"
            elif list(saved[name].shape) != list(param.shape):
                problem = f"{name} has shape {list(param.shape)} and {list(saved[name].shape)} in {path}.pdparams"
            if problem is None:
                state[name] = saved[name]
            elif skip_mismatch:
                warnings.warn(f"Model.load: {problem}; it is skipped.", stacklevel=2)
            else:
                raise ValueError(f"Model.load: {problem}; pass skip_mismatch=True to keep the present value.")
        self.network.set_state_dict(state)
        if self._optimizer is not None and not reset_optimizer and os.path.exists(path + ".pdopt"):
            self._optimizer.set_state_dict(load(path + ".pdopt"))
