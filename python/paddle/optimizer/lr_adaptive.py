# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Schedules of cycles, and the one that follows a metric."""

import math

from ..framework.checked_numbers import check_real, shown
from .schedule import LRScheduler


class ReduceOnPlateau(LRScheduler):
    """Lowers the rate when a metric stops improving.

    Args:
        mode: 'min' when smaller is better, 'max' when larger is.
        factor: lr becomes lr * factor.
        patience: Epochs without improvement that are accepted.
        threshold: Smallest improvement that counts.
        threshold_mode: 'rel' or 'abs'.
        cooldown: Epochs after a change in which nothing is counted.
        min_lr: Lower bound.
        epsilon: Smaller changes are not made.

    Example:
        >>> rate = paddle.optimizer.lr.ReduceOnPlateau(1.0, factor=0.5, patience=1)
        >>> for loss in (3.0, 3.0, 3.0):
        ...     rate.step(loss)
        >>> rate()
        0.5
    """

    def __init__(
        self,
        learning_rate,
        mode="min",
        factor=0.1,
        patience=10,
        threshold=1e-4,
        threshold_mode="rel",
        cooldown=0,
        min_lr=0,
        epsilon=1e-8,
        verbose=False,
    ):
        if mode.lower() not in ("min", "max"):
            raise ValueError(f"ReduceOnPlateau: mode has value {mode!r}; use 'min' or 'max'.")
        if factor >= 1.0:
            raise ValueError(f"ReduceOnPlateau: factor has value {factor}; it must be below 1.")
        if threshold_mode.lower() not in ("rel", "abs"):
            raise ValueError(f"ReduceOnPlateau: threshold_mode has value {threshold_mode!r}; use 'rel' or 'abs'.")
        if not isinstance(learning_rate, (float, int)):
            raise TypeError("ReduceOnPlateau: learning_rate must be a number.")
        self.mode, self.factor, self.patience = mode.lower(), factor, patience
        self.threshold, self.threshold_mode = threshold, threshold_mode.lower()
        self.cooldown, self.min_lr, self.epsilon = cooldown, min_lr, epsilon
        self.cooldown_counter, self.best, self.num_bad_epochs = 0, None, 0
        self.base_lr = self.last_lr = float(learning_rate)
        self.last_epoch, self.verbose, self._var_name = 0, verbose, None

    def state_keys(self):
        self.keys = ["cooldown_counter", "best", "num_bad_epochs", "last_epoch", "last_lr"]

    def step(self, metrics, epoch=None):
        """Take the metric of the epoch in.

        Args:
            metrics: A number, or a tensor or array of one element.
        """
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        if not isinstance(metrics, (float, int)):
            size = getattr(metrics, "size", None)
            if size is None:
                raise TypeError(f"step: metrics has type {type(metrics).__name__}; pass a number, array or Tensor.")
            if size != 1:
                raise AssertionError(f"step: metrics has {size} elements; it must hold one, for example their mean.")
            metrics = float(metrics.item())
        if self.cooldown_counter > 0:
            self.cooldown_counter -= 1
            return
        if self.best is None or self._is_better(metrics, self.best):
            self.best, self.num_bad_epochs = metrics, 0
        else:
            self.num_bad_epochs += 1
        if self.num_bad_epochs > self.patience:
            self.cooldown_counter, self.num_bad_epochs = self.cooldown, 0
            rate = max(self.last_lr * self.factor, self.min_lr)
            if self.last_lr - rate > self.epsilon:
                self.last_lr = rate
                if self.verbose:
                    print(f"Epoch {self.last_epoch}: {type(self).__name__} set learning rate to {self.last_lr}.")

    def _is_better(self, current, best):
        gap = self.threshold * (best if self.threshold_mode == "rel" else 1)
        return current < best - gap if self.mode == "min" else current > best + gap


class OneCycleLR(LRScheduler):
    """One rise to the largest rate and one fall (Smith and Topin 2019).

    Args:
        divide_factor: The first rate is max_learning_rate / divide_factor.
        end_learning_rate: The last rate.
        phase_pct: Part of the steps that rises.
        anneal_strategy: 'cos' or 'linear'.
        three_phase: Fall back to the first rate, then to the last one.
    """

    def __init__(
        self,
        max_learning_rate,
        total_steps,
        divide_factor=25.0,
        end_learning_rate=0.0001,
        phase_pct=0.3,
        anneal_strategy="cos",
        three_phase=False,
        last_epoch=-1,
        verbose=False,
    ):
        check_real("OneCycleLR", max_learning_rate=max_learning_rate, end_learning_rate=end_learning_rate)
        if max_learning_rate < 0 or end_learning_rate < 0:
            raise ValueError("OneCycleLR: the learning rates must not be negative.")
        if not isinstance(total_steps, int):
            raise TypeError(f"OneCycleLR: total_steps {shown(total_steps)}; it must be an int.")
        if total_steps <= 0:
            raise ValueError(f"OneCycleLR: total_steps has value {total_steps}; it must be positive.")
        if not 0 <= phase_pct <= 1:
            raise ValueError(f"OneCycleLR: phase_pct has value {phase_pct}; it must be in [0, 1].")
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"OneCycleLR: anneal_strategy has value {anneal_strategy!r}; use 'cos' or 'linear'.")
        first = max_learning_rate / float(divide_factor)
        rise = phase_pct * total_steps - 1
        if three_phase:
            if phase_pct >= 0.5:
                raise ValueError(f"OneCycleLR: phase_pct has value {phase_pct}; with three_phase it must be below 0.5.")
            ends = [0, rise, 2 * rise, total_steps - 1]
            rates = [first, max_learning_rate, first, end_learning_rate]
        else:
            ends = [0, rise, total_steps - 1]
            rates = [first, max_learning_rate, end_learning_rate]
        self.total_steps = total_steps
        self._ends, self._rates = ends, rates
        self.anneal_func = self._cos_annealing if anneal_strategy == "cos" else self._linear_annealing
        super().__init__(first, last_epoch, verbose)

    def get_lr(self):
        now = self.last_epoch
        if now > self.total_steps:
            raise ValueError(f"step: the schedule has {self.total_steps} steps and step {now} is asked for.")
        for i in range(len(self._ends) - 1):
            start, end = self._ends[i], self._ends[i + 1]
            if now <= end or i == len(self._ends) - 2:
                part = (now - start) / (end - start) if end != start else 1.0
                a, b = self._rates[i], self._rates[i + 1]
                return self.anneal_func(a, b, part)
        return self._rates[-1]

    def _cos_annealing(self, start_lr, end_lr, pct):
        return end_lr + (start_lr - end_lr) / 2.0 * (math.cos(math.pi * pct) + 1)

    def _linear_annealing(self, start_lr, end_lr, pct):
        return start_lr + (end_lr - start_lr) * pct


class CyclicLR(LRScheduler):
    """Rises and falls between two rates (Smith 2017).

    Args:
        step_size_up: Steps of a rise.
        step_size_down: Steps of a fall; as many by default.
        mode: 'triangular', 'triangular2' (half the height each cycle) or 'exp_range'.
        exp_gamma: Base of the height in 'exp_range'.
        scale_fn: A function of the height instead of a mode.
        scale_mode: Whether it takes the number of the 'cycle' or of the 'iterations'.
    """

    def __init__(
        self,
        base_learning_rate,
        max_learning_rate,
        step_size_up,
        step_size_down=None,
        mode="triangular",
        exp_gamma=1.0,
        scale_fn=None,
        scale_mode="cycle",
        last_epoch=-1,
        verbose=False,
    ):
        if base_learning_rate < 0 or max_learning_rate < 0:
            raise ValueError("CyclicLR: the learning rates must not be negative.")
        if mode not in ("triangular", "triangular2", "exp_range") and scale_fn is None:
            raise ValueError(
                f"CyclicLR: mode has value {mode!r}; it must be 'triangular', 'triangular2' or 'exp_range' unless scale_fn is given."
            )
        if scale_mode not in ("cycle", "iterations"):
            raise ValueError(f"CyclicLR: scale_mode has value {scale_mode!r}; use 'cycle' or 'iterations'.")
        if step_size_up <= 0 or (step_size_down is not None and step_size_down <= 0):
            raise ValueError("CyclicLR: the step sizes must be positive.")
        step_size_down = step_size_up if step_size_down is None else step_size_down
        self.cycle_size = float(step_size_up + step_size_down)
        self.step_up_pct = step_size_up / self.cycle_size
        self.max_lr = float(max_learning_rate)
        self.amplitude = self.max_lr - base_learning_rate
        self.mode, self.exp_gamma, self.gamma, self.scale_fn = mode, exp_gamma, exp_gamma, scale_fn
        if scale_fn is None:
            scale_mode = "iterations" if mode == "exp_range" else "cycle"
        self.scale_mode = scale_mode
        super().__init__(base_learning_rate, last_epoch, verbose)

    def _height(self, x):
        if self.scale_fn is not None:
            return self.scale_fn(x)
        if self.mode == "triangular2":
            return 1 / (2.0 ** (x - 1))
        return self.exp_gamma**x if self.mode == "exp_range" else 1.0

    def get_lr(self):
        cycle = 1 + self.last_epoch // self.cycle_size
        place = 1.0 + self.last_epoch / self.cycle_size - cycle
        if place <= self.step_up_pct:
            part = place / self.step_up_pct
        else:
            part = (1 - place) / (1 - self.step_up_pct)
        x = cycle if self.scale_mode == "cycle" else self.last_epoch
        return self.base_lr + self.amplitude * part * self._height(x)
