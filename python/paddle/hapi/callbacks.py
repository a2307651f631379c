# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""What runs at the events of `paddle.Model`: logging, checkpoints, learning rate, early stop."""

import os
import time

from ..framework.execution_context import own_rank
from ._callback import Callback, CallbackList
from ._monitoring import EarlyStopping, ReduceLROnPlateau  # noqa: F401
from ._tracking import VisualDL, WandbCallback  # noqa: F401
from .progressbar import ProgressBar


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
    return own_rank() == 0


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
