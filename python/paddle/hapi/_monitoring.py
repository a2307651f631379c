# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Callbacks that watch an evaluated quantity: early stop, and a learning rate that falls on a plateau."""

import functools
import os
import warnings

from ._callback import Callback


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
