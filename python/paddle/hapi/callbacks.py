# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""What runs at the events of `paddle.Model`: logging, checkpoints, learning rate, early stop."""

import functools
import os
import time
import warnings

from .progressbar import ProgressBar


class Callback:
    """Base: methods that a Model calls at its events; all do nothing here.

    Attributes:
        model: The Model.
        params: Dict with batch_size, epochs, steps, verbose and metrics.
    """

    def __init__(self):
        self.model = None
        self.params = {}

    def set_params(self, params):
        """Set `params`."""
        self.params = params

    def set_model(self, model):
        """Set `model`."""
        self.model = model

    def on_train_begin(self, logs=None):
        """Before training."""

    def on_train_end(self, logs=None):
        """After training."""

    def on_eval_begin(self, logs=None):
        """Before evaluation."""

    def on_eval_end(self, logs=None):
        """After evaluation."""

    def on_predict_begin(self, logs=None):
        """Before prediction."""

    def on_predict_end(self, logs=None):
        """After prediction."""

    def on_epoch_begin(self, epoch, logs=None):
        """Before an epoch."""

    def on_epoch_end(self, epoch, logs=None):
        """After an epoch."""

    def on_train_batch_begin(self, step, logs=None):
        """Before a training batch."""

    def on_train_batch_end(self, step, logs=None):
        """After a training batch."""

    def on_eval_batch_begin(self, step, logs=None):
        """Before a batch of evaluation."""

    def on_eval_batch_end(self, step, logs=None):
        """After a batch of evaluation."""

    def on_predict_batch_begin(self, step, logs=None):
        """Before a batch of prediction."""

    def on_predict_batch_end(self, step, logs=None):
        """After a batch of prediction."""


class CallbackList:
    """Calls every callback in turn."""

    def __init__(self, callbacks=None):
        self.callbacks = list(callbacks or [])
        self.params = {}

    def append(self, callback):
        """Add a callback at the end."""
        self.callbacks.append(callback)

    def __iter__(self):
        return iter(self.callbacks)

    def set_params(self, params):
        """Set the params of all."""
        for callback in self.callbacks:
            callback.set_params(params)

    def set_model(self, model):
        """Set the model of all."""
        for callback in self.callbacks:
            callback.set_model(model)

    def _call(self, event, *args):
        for callback in self.callbacks:
            getattr(callback, f"on_{event}")(*args)

    # Modes are "train", "eval" and "predict".
    def on_begin(self, mode, logs=None):
        """A loop begins."""
        self._call(f"{mode}_begin", logs)

    def on_end(self, mode, logs=None):
        """A loop has ended."""
        self._call(f"{mode}_end", logs)

    def on_epoch_begin(self, epoch=None, logs=None):
        """An epoch begins."""
        self._call("epoch_begin", epoch, logs)

    def on_epoch_end(self, epoch=None, logs=None):
        """An epoch has ended."""
        self._call("epoch_end", epoch, logs)

    def on_batch_begin(self, mode, step=None, logs=None):
        """A batch begins."""
        self._call(f"{mode}_batch_begin", step, logs)

    def on_batch_end(self, mode, step=None, logs=None):
        """A batch has ended."""
        self._call(f"{mode}_batch_end", step, logs)


def config_callbacks(
    callbacks=None,
    model=None,
    batch_size=None,
    epochs=None,
    steps=None,
    log_freq=2,
    verbose=2,
    save_freq=1,
    save_dir=None,
    metrics=None,
    mode="train",
):
    """The callbacks of a run: those given, and the default ones."""
    callbacks = list(callbacks) if isinstance(callbacks, (list, tuple)) else [callbacks] if callbacks else []
    if verbose and not any(isinstance(c, ProgBarLogger) for c in callbacks):
        callbacks = [ProgBarLogger(log_freq, verbose=verbose), *callbacks]
    if not any(isinstance(c, ModelCheckpoint) for c in callbacks):
        callbacks.append(ModelCheckpoint(save_freq, save_dir))
    for callback in callbacks:
        if isinstance(callback, EarlyStopping):
            callback.save_dir = save_dir
    if mode == "train" and not any(isinstance(c, LRScheduler) for c in callbacks):
        callbacks.append(LRScheduler())
    made = CallbackList(callbacks)
    made.set_model(model)
    metrics = (metrics or []) if mode != "test" else []
    made.set_params(
        {"batch_size": batch_size, "epochs": epochs, "steps": steps, "verbose": verbose, "metrics": metrics}
    )
    return made


def _is_first_process():
    return int(os.environ.get("PADDLE_TRAINER_ID", 0)) == 0


class ProgBarLogger(Callback):
    """Prints the progress of training, evaluation and prediction.

    Args:
        log_freq: Steps between two prints.
        verbose: 0 prints nothing, 1 a bar that is redrawn, 2 one line each time, 3 also the mean times of reading
            and computing a batch since the last line, and the samples per second.
    """

    def __init__(self, log_freq=1, verbose=2):
        super().__init__()
        self.epochs = self.steps = self.progbar = None
        self.verbose, self.log_freq = verbose, log_freq
        self._seen = 0

    def _enabled(self):
        return self.verbose and _is_first_process()

    def _start(self, steps):
        self.progbar = ProgressBar(num=steps, verbose=min(self.verbose, 2))
        self._seen, self._total = 0, steps
        self._restart_clock()

    def _restart_clock(self):
        self._batches = self._samples = self._reading = self._computing = 0
        self._moment = time.perf_counter()

    def _batch_begin(self):
        now = time.perf_counter()
        self._reading, self._moment = self._reading + now - self._moment, now

    def _speed(self):
        """What verbose=3 adds to a line."""
        spent, batches = self._reading + self._computing, max(self._batches, 1)
        values = [
            ("avg_reader_cost", f"{self._reading / batches:.5f} sec"),
            ("avg_batch_cost", f"{self._computing / batches:.5f} sec"),
            ("ips", f"{self._samples / spent if spent else 0.0:.5f} samples/sec"),
        ]
        self._restart_clock()
        return values

    def _update(self, step, logs):
        """Print the loss and the metrics."""
        names = ["loss", *self._metrics] if "loss" not in self._metrics else self._metrics
        values = [(name, logs[name]) for name in names if name in logs]
        self.progbar.update(step, values + (self._speed() if self.verbose > 2 else []))

    def _batch_end(self, step, logs):
        logs = logs or {}
        now = time.perf_counter()
        self._computing, self._moment = self._computing + now - self._moment, now
        self._seen += logs.get("batch_size", 0)
        self._samples, self._batches = self._samples + logs.get("batch_size", 0), self._batches + 1
        at_end = self._total is not None and step + 1 >= self._total
        if self._enabled() and ((step + 1) % self.log_freq == 0 or at_end):
            self._update(step + 1, logs)
        self._shown = step + 1 if (step + 1) % self.log_freq == 0 or at_end else None
        self._last = step + 1

    def _end(self, logs):
        """Print the last step of a loop whose length was not known."""
        if self._enabled() and self._total is None and getattr(self, "_shown", 1) is None:
            self._update(self._last, logs or {})

    @property
    def _metrics(self):
        return self.params.get("metrics") or []

    def on_train_begin(self, logs=None):
        self.epochs = self.params.get("epochs")
        if self._enabled():
            print(
                "The loss value printed in the log is the current step, and the metric is the average value of "
                "previous steps."
            )

    def on_epoch_begin(self, epoch=None, logs=None):
        self.steps = self.params.get("steps")
        if self._enabled() and self.epochs is not None:
            print(f"Epoch {epoch + 1}/{self.epochs}")
        self._start(self.steps)

    def on_train_batch_begin(self, step, logs=None):
        self._batch_begin()

    def on_train_batch_end(self, step, logs=None):
        self._batch_end(step, logs)

    def on_epoch_end(self, epoch, logs=None):
        self._end(logs)

    def on_eval_begin(self, logs=None):
        self._start((logs or {}).get("steps"))
        if self._enabled():
            print("Eval begin...")

    def on_eval_batch_begin(self, step, logs=None):
        self._batch_begin()

    def on_eval_batch_end(self, step, logs=None):
        self._batch_end(step, logs)

    def on_eval_end(self, logs=None):
        self._end(logs)
        if self._enabled():
            print(f"Eval samples: {self._seen}")

    def on_predict_begin(self, logs=None):
        self._start((logs or {}).get("steps"))
        if self._enabled():
            print("Predict begin...")

    def on_predict_batch_begin(self, step, logs=None):
        self._batch_begin()

    def on_predict_batch_end(self, step, logs=None):
        self._batch_end(step, logs)

    def on_predict_end(self, logs=None):
        self._end(logs)
        if self._enabled():
            print(f"Predict samples: {self._seen}")


class ModelCheckpoint(Callback):
    """Saves model and optimizer every `save_freq` epochs as save_dir/<epoch>, and at the end as save_dir/final."""

    def __init__(self, save_freq=1, save_dir=None):
        super().__init__()
        self.save_freq, self.save_dir = save_freq, save_dir
        self.epoch = None

    def on_epoch_begin(self, epoch=None, logs=None):
        self.epoch = epoch

    def _save(self, name):
        if self.model is not None and self.save_dir and _is_first_process():
            path = os.path.join(self.save_dir, name)
            print(f"save checkpoint at {os.path.abspath(path)}")
            self.model.save(path)

    def on_epoch_end(self, epoch, logs=None):
        if self.epoch is not None and self.epoch % self.save_freq == 0:
            self._save(str(epoch))

    def on_train_end(self, logs=None):
        self._save("final")


class LRScheduler(Callback):
    """Steps the learning-rate scheduler of the optimizer, after each batch or after each epoch.

    Args:
        by_step: After each batch.
        by_epoch: After each epoch; by_step must be False then.

    Raises:
        ValueError: Both are True.
    """

    def __init__(self, by_step=True, by_epoch=False):
        super().__init__()
        if by_step and by_epoch:
            raise ValueError("LRScheduler: by_step and by_epoch are both True; only one may be.")
        self.by_step, self.by_epoch = by_step, by_epoch

    def _step(self):
        from ..optimizer.lr import LRScheduler as Schedule

        optimizer = getattr(self.model, "_optimizer", None)
        schedule = getattr(optimizer, "_learning_rate", None)
        if isinstance(schedule, Schedule):
            schedule.step()

    def on_epoch_end(self, epoch, logs=None):
        if self.by_epoch:
            self._step()

    def on_train_batch_end(self, step, logs=None):
        if self.by_step:
            self._step()


def _comparison(owner, mode, monitor, min_delta):
    """(is a better than b, worst value) for a monitored quantity."""
    if mode not in ("auto", "min", "max"):
        warnings.warn(
            f"{owner}: mode has value {mode!r}; 'auto', 'min' and 'max' are known; 'auto' is used.", stacklevel=3
        )
        mode = "auto"
    if mode == "max" or (mode == "auto" and "acc" in monitor):
        return functools.partial(_is_above, min_delta), -float("inf")
    return functools.partial(_is_below, min_delta), float("inf")


def _is_above(least, a, b):
    return a > b + least


def _is_below(least, a, b):
    return a < b - least


def _monitored(owner, monitor, logs):
    """The monitored number in `logs`, or None with a warning."""
    import numpy

    if not logs or monitor not in logs:
        warnings.warn(f"{owner}: evaluation gives no {monitor!r}; it gives {sorted(logs or {})}.", stacklevel=3)
        return None
    return float(numpy.asarray(logs[monitor], dtype="float64").reshape(-1)[0])


class EarlyStopping(Callback):
    """Stops training when the evaluated quantity no longer improves.

    Args:
        monitor: Name of the quantity, such as 'loss' or 'acc'.
        mode: 'min', 'max' or 'auto' (max for accuracies).
        patience: Evaluations without improvement after which it stops; with 0 it stops after the first one.
        verbose: 0 prints nothing.
        min_delta: What counts as an improvement.
        baseline: The value to beat at first.
        save_best_model: Save the best model as save_dir/best_model.
    """

    def __init__(
        self, monitor="loss", mode="auto", patience=0, verbose=1, min_delta=0, baseline=None, save_best_model=True
    ):
        super().__init__()
        self.monitor, self.patience, self.verbose = monitor, patience, verbose
        self.baseline, self.min_delta = baseline, abs(min_delta)
        self.wait_epoch, self.best_weights, self.stopped_epoch = 0, None, 0
        self.save_best_model, self.save_dir = save_best_model, None
        self.monitor_op, self._worst = _comparison("EarlyStopping", mode, monitor, self.min_delta)
        self.best_value = self._worst if baseline is None else baseline

    def on_train_begin(self, logs=None):
        self.wait_epoch = 0
        self.best_value = self._worst if self.baseline is None else self.baseline

    def on_eval_end(self, logs=None):
        current = _monitored("EarlyStopping", self.monitor, logs)
        if current is None:
            return
        if self.monitor_op(current, self.best_value):
            self.best_value = current
            self.wait_epoch = 0
            if self.save_best_model and self.save_dir is not None:
                self.model.save(os.path.join(self.save_dir, "best_model"))
        else:
            self.wait_epoch += 1
        if self.wait_epoch >= self.patience:
            self.model.stop_training = True
            if self.verbose > 0:
                print(f"Epoch {self.stopped_epoch + 1}: Early stopping.")
                if self.save_best_model and self.save_dir is not None:
                    print(f"Best checkpoint has been saved at {os.path.join(self.save_dir, 'best_model')}")
        self.stopped_epoch += 1


class ReduceLROnPlateau(Callback):
    """Multiplies the learning rate by `factor` when the evaluated quantity no longer improves.

    Args:
        monitor: Name of the quantity.
        factor: Factor < 1 of the learning rate.
        patience: Evaluations without improvement that are let pass.
        verbose: 0 prints nothing.
        mode: 'min', 'max' or 'auto' (max for accuracies).
        min_delta: What counts as an improvement.
        cooldown: Evaluations after a reduction that do not count.
        min_lr: The smallest learning rate.
    """

    def __init__(
        self, monitor="loss", factor=0.1, patience=10, verbose=1, mode="auto", min_delta=1e-4, cooldown=0, min_lr=0
    ):
        super().__init__()
        if factor >= 1.0:
            raise ValueError(f"ReduceLROnPlateau: factor has value {factor}; it must be less than 1.")
        self.monitor, self.factor, self.patience, self.verbose = monitor, factor, patience, verbose
        self.min_delta, self.cooldown, self.min_lr, self.mode = min_delta, cooldown, min_lr, mode
        self.cooldown_counter, self.wait, self.best, self.epoch = 0, 0, 0, 0
        self.monitor_op = None
        self._reset()

    def _reset(self):
        self.monitor_op, self.best = _comparison("ReduceLROnPlateau", self.mode, self.monitor, self.min_delta)
        self.cooldown_counter = self.wait = 0

    def on_train_begin(self, logs=None):
        self._reset()

    def in_cooldown(self):
        """Whether evaluations do not count yet."""
        return self.cooldown_counter > 0

    def on_eval_end(self, logs=None):
        current = _monitored("ReduceLROnPlateau", self.monitor, logs)
        if current is None:
            return
        if self.in_cooldown():
            self.cooldown_counter -= 1
            self.wait = 0
        if self.monitor_op(current, self.best):
            self.best, self.wait = current, 0
        elif not self.in_cooldown():
            self.wait += 1
            if self.wait >= self.patience:
                self._reduce()
        self.epoch += 1

    def _reduce(self):
        optimizer = self.model._optimizer
        try:
            old = float(optimizer.get_lr())
            if old > self.min_lr:
                new = max(old * self.factor, self.min_lr)
                optimizer.set_lr(new)
                if self.verbose > 0:
                    print(f"\nEpoch {self.epoch + 1}: ReduceLROnPlateau reducing learning rate to {new}.")
                self.cooldown_counter, self.wait = self.cooldown, 0
        except RuntimeError as error:  # the optimizer has a scheduler
            warnings.warn(f"ReduceLROnPlateau: the learning rate cannot be set: {error}", stacklevel=3)


class _Tracker(Callback):
    """Sends scalars of training (by step) and evaluation to a service."""

    def __init__(self):
        super().__init__()
        self.epochs = self.steps = None
        self.epoch = 0
        self._train_step = 0

    def _scalars(self, logs):
        import numpy

        names = self.params.get("metrics") or []
        for name in names:
            if logs and name in logs:
                yield name, float(numpy.asarray(logs[name], dtype="float64").reshape(-1)[0])

    def _write(self, tag, value, step):
        raise NotImplementedError

    def _close(self):
        """End the connection to the service."""

    def on_train_begin(self, logs=None):
        self.epochs = self.params.get("epochs")
        self._train_step = 0

    def on_epoch_begin(self, epoch=None, logs=None):
        self.steps = self.params.get("steps")
        self.epoch = epoch

    def on_train_batch_end(self, step, logs=None):
        self._train_step += 1
        for name, value in self._scalars(logs):
            self._write(f"train/{name}", value, self._train_step)

    def on_eval_begin(self, logs=None):
        pass

    def on_eval_end(self, logs=None):
        for name, value in self._scalars(logs):
            self._write(f"eval/{name}", value, self.epoch)

    def on_train_end(self, logs=None):
        self._close()


class VisualDL(_Tracker):
    """Writes losses and metrics for VisualDL.

    Args:
        log_dir: Folder of the log.

    Raises:
        ImportError: At the first value, when the package visualdl is not installed.
    """

    def __init__(self, log_dir):
        super().__init__()
        self.log_dir = log_dir
        self._writer = None

    def _write(self, tag, value, step):
        if self._writer is None:
            from ..utils import try_import

            visualdl = try_import("visualdl", "VisualDL: the package visualdl is not installed; pip install visualdl.")
            self._writer = visualdl.LogWriter(self.log_dir)
        self._writer.add_scalar(tag=tag, value=value, step=step)

    def _close(self):
        if self._writer is not None:
            self._writer.close()
            self._writer = None


class WandbCallback(_Tracker):
    """Sends losses and metrics to Weights & Biases.

    Args:
        project, entity, name, dir, mode, job_type, kwargs: Passed to `wandb.init`.

    Raises:
        ImportError: The package wandb is not installed.
    """

    def __init__(self, project=None, entity=None, name=None, dir=None, mode=None, job_type=None, **kwargs):
        super().__init__()
        from ..utils import try_import

        self.wandb = try_import("wandb", "WandbCallback: the package wandb is not installed; pip install wandb.")
        options = {
            "project": project, "name": name, "entity": entity, "dir": dir, "mode": mode, "job_type": job_type,
        }  # fmt: skip
        self.wandb_args = {**options, **kwargs}
        self._run = None

    @property
    def run(self):
        """The run of wandb, started on first use."""
        if self._run is None:
            self._run = self.wandb.run or self.wandb.init(**self.wandb_args)
        return self._run

    def _write(self, tag, value, step):
        self.run.log({tag: value})

    def _close(self):
        if self._run is not None:
            self._run.finish()
            self._run = None
