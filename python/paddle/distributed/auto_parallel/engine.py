# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`Engine`: training, evaluation and prediction of a layer over datasets; each step runs as a captured program."""

import itertools

from ... import _core
from ...framework.modes import no_grad
from .strategy import Strategy

_MODES = ("train", "eval", "predict")


def _listed(value):
    if value is None:
        return []
    return list(value) if isinstance(value, list | tuple) else [value]


def _tensors(values):
    return [v if isinstance(v, _core.Tensor) else _core.to_tensor(v) for v in _listed(values)]


class Engine:
    """A layer with its loss, optimizer and metrics, over datasets.

    Args:
        model: A Layer or function of inputs.
        loss: A Layer or function of outputs and labels, that gives one number.
        optimizer: The optimizer.
        metrics: `paddle.metric.Metric` objects.
        cluster: Accepted: the job has one process.
        strategy: A `Strategy`: `amp` and `gradient_merge` are read.

    Raises:
        TypeError: An argument is of another kind.

    Example:
        >>> import paddle
        >>> from paddle.distributed.fleet import auto
        >>> net = paddle.nn.Linear(2, 1)
        >>> optimizer = paddle.optimizer.SGD(0.1, parameters=net.parameters())
        >>> engine = auto.Engine(net, paddle.nn.MSELoss(), optimizer)
        >>> data = paddle.io.TensorDataset([paddle.ones([8, 2]), paddle.zeros([8, 1])])
        >>> history = engine.fit(data, batch_size=4, epochs=2, verbose=0)
        >>> bool(history.history["loss"][1] < history.history["loss"][0])
        True
    """

    def __init__(self, model=None, loss=None, optimizer=None, metrics=None, cluster=None, strategy=None):
        from ...metric import Metric
        from ...nn import Layer
        from ...optimizer import Optimizer

        self._check("model", model, model is None or isinstance(model, Layer) or callable(model), "a Layer or function")
        self._check("loss", loss, loss is None or isinstance(loss, Layer) or callable(loss), "a Layer or function")
        self._check("optimizer", optimizer, optimizer is None or isinstance(optimizer, Optimizer), "an Optimizer")
        self._check("strategy", strategy, strategy is None or isinstance(strategy, Strategy), "a Strategy")
        for metric in _listed(metrics):
            self._check("metrics", metric, isinstance(metric, Metric), "Metric objects")
        self._model, self._loss, self._optimizer = model, loss, optimizer
        self._metrics, self._strategy = _listed(metrics), strategy or Strategy()
        if self._strategy.qat.enable:
            raise NotImplementedError(
                "Engine: strategy.qat is enabled; quantise the model with paddle.quantization.QAT and pass that one."
            )
        self._inputs_spec, self._labels_spec = [], []
        self._mode, self._steps, self._given, self._seen = None, 0, None, []
        self.stop_training = False

    @staticmethod
    def _check(name, value, fits, what):
        if not fits:
            raise TypeError(f"Engine: argument {name} is a {type(value).__name__}; it must be {what}.")

    # -- what it is made of ----------------------------------------------------------------------
    @property
    def optimizer(self):
        """The optimizer."""
        return self._optimizer

    @property
    def inputs(self):
        """The InputSpecs of the inputs that `prepare` was given."""
        return self._inputs_spec

    @property
    def labels(self):
        """The InputSpecs of the labels that `prepare` was given."""
        return self._labels_spec

    def get_feed_name_list(self):
        """Names of the inputs and labels that `prepare` was given."""
        return [spec.name for spec in [*self._inputs_spec, *self._labels_spec]]

    def prepare(
        self,
        inputs_spec=None,
        labels_spec=None,
        inputs=None,
        labels=None,
        main_program=None,
        startup_program=None,
        mode=None,
        init_parameters=True,
    ):
        """Choose a mode before `run`.

        Args:
            inputs_spec: InputSpecs of the inputs.
            labels_spec: InputSpecs of the labels.
            inputs, labels, main_program, startup_program: None: the layer is captured.
            mode: 'train', 'eval' or 'predict'.
            init_parameters: Accepted: the parameters have their values.

        Raises:
            ValueError: A program or variables of one are given.
        """
        if any(part is not None for part in (inputs, labels, main_program, startup_program)):
            raise ValueError("Engine.prepare: programs are not taken; pass the layer to Engine and InputSpecs here.")
        self._inputs_spec, self._labels_spec = _listed(inputs_spec), _listed(labels_spec)
        if mode is not None:
            self.to_mode(mode)

    def to_mode(self, mode):
        """From now on `run` trains, evaluates or predicts.

        Args:
            mode: 'train', 'eval' or 'predict'.

        Raises:
            ValueError: The mode is another, or the loss or the optimizer that it needs is absent.
        """
        if mode not in _MODES:
            raise ValueError(f"Engine.to_mode: mode has value {mode!r}; it must be one of {', '.join(_MODES)}.")
        if mode != "predict" and self._loss is None:
            raise ValueError(f"Engine: mode {mode} needs a loss; pass one to Engine.")
        if mode == "train" and self._optimizer is None:
            raise ValueError("Engine: mode train needs an optimizer; pass one to Engine.")
        self._mode = mode
        if hasattr(self._model, "train"):
            self._model.train() if mode == "train" else self._model.eval()

    # -- one step --------------------------------------------------------------------------------
    def _captured(self):
        if self._given is None:
            from ...jit import to_static

            def outputs(inputs):
                return self._model(*inputs)

            def with_loss(inputs, labels):
                found = self._model(*inputs)
                return found, self._loss(*_listed(found), *labels)

            self._given = to_static(outputs, full_graph=False), to_static(with_loss, full_graph=False)
        return self._given

    def _precision(self):
        from ...amp import auto_cast

        amp = self._strategy.amp
        if not amp.enable:
            return auto_cast(False)
        return auto_cast(True, amp.custom_white_list, amp.custom_black_list, amp.level.upper(), amp.dtype)

    def _step(self, inputs, labels):
        """The results of one batch by name."""
        self._seen = inputs
        outputs_of, loss_of = self._captured()
        if self._mode == "predict":
            with no_grad(), self._precision():
                return {"outputs": [t.numpy() for t in _listed(outputs_of(inputs))]}
        if self._mode == "eval":
            with no_grad(), self._precision():
                outputs, loss = loss_of(inputs, labels)
        else:
            with self._precision():
                outputs, loss = loss_of(inputs, labels)
            self._train_on(loss)
        logs = {"loss": loss.detach().numpy()}
        for metric in self._metrics:
            with no_grad():
                metric.update(*_listed(metric.compute(*_listed(outputs), *labels)))
            names, values = _listed(metric.name()), _listed(metric.accumulate())
            logs.update(zip(names, values, strict=False))
        return logs

    def _train_on(self, loss):
        merge = self._strategy.gradient_merge
        every = merge.k_steps if merge.enable else 1
        (loss / every if every > 1 and merge.avg else loss).backward()
        self._steps += 1
        if self._steps % every == 0:
            self._optimizer.step()
            self._optimizer.clear_grad()

    def run(self, data=None, feed=None, fetch_list=None, mode=None):
        """One batch in the mode that `prepare` or `to_mode` chose.

        Args:
            data: Inputs and, behind them, labels; where there are several of each, a pair of lists.
            feed: Arrays by the names of the InputSpecs, in place of `data`.
            fetch_list: None: all results.
            mode: A mode for this and later calls.

        Returns:
            A dict: 'loss' and the metrics, or in the mode 'predict' 'outputs'.

        Raises:
            ValueError: There is no mode, neither data nor feed, or a fetch_list.
        """
        if mode is not None:
            self.to_mode(mode)
        if self._mode is None:
            raise ValueError("Engine.run: no mode is chosen; call prepare(mode=...) or to_mode before.")
        if fetch_list:
            raise ValueError("Engine.run: fetch_list is given; the results are the loss, the metrics and the outputs.")
        if data is None and feed is None:
            raise ValueError("Engine.run: neither data nor feed is given.")
        if data is None:
            data = [[feed[spec.name] for spec in specs] for specs in (self._inputs_spec, self._labels_spec)]
        return self._step(*self._split(data, len(self._inputs_spec) or None))

    def _split(self, batch, sample_split):
        parts = _listed(batch)
        if len(parts) == 2 and any(isinstance(part, list | tuple) for part in parts):
            return _tensors(parts[0]), _tensors(parts[1])
        if self._mode == "predict" and sample_split is None:
            sample_split = len(parts) if self._loss is None or len(parts) == 1 else len(parts) - 1
        at = sample_split if sample_split is not None else max(len(parts) - 1, 1)
        return _tensors(parts[:at]), _tensors(parts[at:])

    # -- datasets --------------------------------------------------------------------------------
    def dataloader(
        self,
        dataset,
        batch_size=1,
        shuffle=False,
        drop_last=True,
        collate_fn=None,
        num_workers=0,
        use_buffer_reader=True,
        use_shared_memory=True,
        timeout=0,
        worker_init_fn=None,
        epochs=1,
        steps_per_epoch=None,
        sample_split=1,
        mode=None,
        places=None,
    ):
        """A DataLoader over a dataset, for `run`.

        Args:
            dataset: A Dataset.
            batch_size, shuffle, drop_last, collate_fn, num_workers: As of `paddle.io.DataLoader`.
            use_buffer_reader, use_shared_memory, timeout, worker_init_fn, places: As of `paddle.io.DataLoader`.
            epochs, steps_per_epoch, sample_split: Accepted: the caller goes through the loader.
            mode: A mode for `run`.
        """
        from ...io import DataLoader

        if mode is not None:
            self.to_mode(mode)
        return DataLoader(
            dataset,
            places=places,
            batch_size=batch_size,
            shuffle=shuffle,
            drop_last=drop_last,
            collate_fn=collate_fn,
            num_workers=num_workers,
            use_buffer_reader=use_buffer_reader,
            use_shared_memory=use_shared_memory,
            timeout=timeout,
            worker_init_fn=worker_init_fn,
        )

    def _loader(self, data, batch_size, collate_fn, shuffle=False):
        from ...io import Dataset

        if isinstance(data, Dataset):
            return self.dataloader(data, batch_size, shuffle, drop_last=False, collate_fn=collate_fn)
        return data

    def _callbacks(self, callbacks, steps, batch_size, verbose, mode, **more):
        from ...hapi.callbacks import config_callbacks

        names = ["loss", *(n for metric in self._metrics for n in _listed(metric.name()))]
        return config_callbacks(
            callbacks, model=self, batch_size=batch_size, steps=steps, verbose=verbose, metrics=names, mode=mode, **more
        )

    def _pass(self, loader, split, steps, listeners, mode):
        """One pass over the data: the results of the last batch, and those of each where it predicts."""
        for metric in self._metrics:
            metric.reset()
        logs, all_outputs = {}, []
        for step, batch in enumerate(itertools.islice(loader, steps)):
            listeners.on_batch_begin(mode, step, logs)
            inputs, labels = self._split(batch, split)
            logs = self._step(inputs, labels)
            all_outputs += [logs["outputs"]] if mode == "predict" else []
            listeners.on_batch_end(mode, step, logs | {"step": step, "batch_size": inputs[0].shape[0]})
        return logs, all_outputs

    def fit(
        self,
        train_data,
        train_sample_split=None,
        batch_size=1,
        epochs=1,
        steps_per_epoch=None,
        log_freq=10,
        save_dir=None,
        save_freq=1,
        valid_data=None,
        valid_sample_split=None,
        valid_freq=1,
        valid_steps=None,
        collate_fn=None,
        callbacks=None,
        verbose=2,
        nvprof_range=[-1, -1],  # noqa: B006
    ):
        """Train over a dataset.

        Args:
            train_data: A Dataset whose samples are inputs and, behind them, labels; or an iterable of batches.
            train_sample_split: How many parts of a sample are inputs; by default all but the last.
            batch_size, collate_fn: Of the batches.
            epochs: Passes over the data.
            steps_per_epoch: Batches of a pass; None: all.
            log_freq, verbose: Of the progress that is printed.
            save_dir, save_freq: A folder in which the model is saved after every `save_freq` epochs.
            valid_data, valid_sample_split, valid_steps: What is evaluated after every `valid_freq` epochs.
            callbacks: `paddle.callbacks.Callback` objects.
            nvprof_range: Accepted: there is no GPU to trace.

        Returns:
            An object with `history`: name -> the value after each epoch.
        """
        self.to_mode("train")
        loader = self._loader(train_data, batch_size, collate_fn)
        steps = steps_per_epoch if steps_per_epoch is not None else _length(loader)
        listeners = self._callbacks(
            callbacks, steps, batch_size, verbose, "train", epochs=epochs, log_freq=log_freq,
            save_dir=save_dir, save_freq=save_freq,
        )  # fmt: skip
        history = History()
        listeners.on_begin("train")
        for epoch in range(epochs):
            listeners.on_epoch_begin(epoch)
            self.to_mode("train")
            logs, _ = self._pass(loader, train_sample_split, steps_per_epoch, listeners, "train")
            logs["lr"] = self._optimizer.get_lr()
            if valid_data is not None and (epoch + 1) % valid_freq == 0:
                valid = self.evaluate(
                    valid_data, valid_sample_split, batch_size, valid_steps, log_freq, collate_fn, None, verbose
                )
                logs.update({"val_" + name: value for name, value in valid.items()})
            history.add(epoch, logs)
            listeners.on_epoch_end(epoch, logs)
            if self.stop_training:
                break
        listeners.on_end("train")
        return history

    def evaluate(
        self,
        valid_data,
        valid_sample_split=None,
        batch_size=1,
        steps=None,
        log_freq=10,
        collate_fn=None,
        callbacks=None,
        verbose=2,
    ):
        """The loss of the last batch and the metrics over a dataset, as a dict.

        Args:
            valid_data, valid_sample_split, batch_size, steps, log_freq: As for `fit`.
            collate_fn, callbacks, verbose: As for `fit`.
        """
        self.to_mode("eval")
        loader = self._loader(valid_data, batch_size, collate_fn)
        listeners = self._callbacks(callbacks, steps, batch_size, verbose, "eval", log_freq=log_freq)
        listeners.on_begin("eval", {"steps": steps if steps is not None else _length(loader), "metrics": []})
        logs, _ = self._pass(loader, valid_sample_split, steps, listeners, "eval")
        listeners.on_end("eval", logs)
        return logs

    def predict(
        self, test_data, test_sample_split=None, batch_size=1, steps=None, collate_fn=None, callbacks=None, verbose=2
    ):
        """The outputs over a dataset: a list with one list of arrays for each batch.

        Args:
            test_data, test_sample_split, batch_size, steps: As for `fit`.
            collate_fn, callbacks, verbose: As for `fit`.
        """
        self.to_mode("predict")
        loader = self._loader(test_data, batch_size, collate_fn)
        listeners = self._callbacks(callbacks, steps, batch_size, verbose, "test")
        listeners.on_begin("predict", {"steps": steps if steps is not None else _length(loader), "metrics": []})
        _, outputs = self._pass(loader, test_sample_split, steps, listeners, "predict")
        listeners.on_end("predict")
        return outputs

    # -- files -----------------------------------------------------------------------------------
    def save(self, path, training=True):
        """Write `path`.pdparams and `path`.pdopt, or the program of the layer for inference.

        Args:
            path: Path without an ending.
            training: False: the program, by `paddle.jit.save`; its inputs are those that `prepare` named, else those
                of the last batch with any number of rows.
        """
        from ... import jit
        from ...framework.io import save

        if not training:
            seen = [jit.InputSpec([None, *t.shape[1:]], t.dtype) for t in self._seen]
            return jit.save(self._model, path, input_spec=self._inputs_spec or seen or None)
        save(self._model.state_dict(), path + ".pdparams")
        if self._optimizer is not None:
            save(self._optimizer.state_dict(), path + ".pdopt")

    def load(self, path, strict=True, load_optimizer=True):
        """Read what `save` wrote.

        Args:
            path: Path without an ending.
            strict: Raise where a parameter is absent from the file.
            load_optimizer: Whether the state of the optimizer is read too.

        Raises:
            ValueError: `strict`, and the file has other parameters.
        """
        from ...framework.io import load

        missing, unexpected = self._model.set_state_dict(load(path + ".pdparams"))
        if strict and (missing or unexpected):
            raise ValueError(f"Engine.load: {path}.pdparams lacks {missing} and has {unexpected} beside them.")
        if load_optimizer and self._optimizer is not None:
            self._optimizer.set_state_dict(load(path + ".pdopt"))


def _length(loader):
    try:
        return len(loader)
    except TypeError:
        return None


class History:
    """The results of the epochs of `Engine.fit`.

    Attributes:
        epoch: Numbers of the epochs.
        history: name -> the value after each epoch.
    """

    def __init__(self):
        self.epoch, self.history = [], {}

    def add(self, epoch, logs):
        """Keep the results of one epoch."""
        self.epoch.append(epoch)
        for name, value in logs.items():
            self.history.setdefault(name, []).append(value)
