# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Learning rates that change with every `minimize` of an optimizer in dynamic mode."""

import math


class LearningRateDecay:
    """Base: a call gives the rate of the step at hand and goes on to the next one.

    Args:
        begin: Number of the first step.
        step: What is added for each step.
        dtype: Kept.

    A subclass defines `step()`, which gives the rate of step `self.step_num`.
    """

    def __init__(self, begin=0, step=1, dtype="float32"):
        self.step_num, self.step_size, self.dtype = begin, step, dtype

    def __call__(self):
        rate = self.step()
        self.step_num += self.step_size
        return float(rate)

    def step(self):
        """The rate of step `self.step_num`."""
        raise NotImplementedError(f"{type(self).__name__}: step is not defined; define it in the subclass.")

    def state_dict(self):
        """The number of the step."""
        return {"step_num": self.step_num}

    def set_dict(self, state_dict):
        """Go on from the step of a dict that `state_dict` gave."""
        self.step_num = state_dict["step_num"]

    set_state_dict = set_dict


class PiecewiseDecay(LearningRateDecay):
    """values[i] before step boundaries[i], the last value behind the last of them.

    Example:
        >>> from paddle.fluid.dygraph import PiecewiseDecay
        >>> rate = PiecewiseDecay([2], [1.0, 0.1], begin=0)
        >>> [rate() for _ in range(3)]
        [1.0, 1.0, 0.1]
    """

    def __init__(self, boundaries, values, begin=0, step=1, dtype="float32"):
        super().__init__(begin, step, dtype)
        self.boundaries, self.values = list(boundaries), list(values)

    def step(self):
        for boundary, value in zip(self.boundaries, self.values, strict=False):
            if self.step_num < boundary:
                return value
        return self.values[-1]


class _Decay(LearningRateDecay):
    """Base of decays by a rate per number of steps."""

    def __init__(self, learning_rate, decay_steps, decay_rate, staircase=False, begin=0, step=1, dtype="float32"):
        super().__init__(begin, step, dtype)
        self.learning_rate, self.decay_steps, self.decay_rate = learning_rate, decay_steps, decay_rate
        self.staircase = staircase

    def _parts(self):
        parts = self.step_num / self.decay_steps
        return math.floor(parts) if self.staircase else parts


class NaturalExpDecay(_Decay):
    """learning_rate * exp(-decay_rate * step / decay_steps)."""

    def step(self):
        return self.learning_rate * math.exp(-self.decay_rate * self._parts())


class ExponentialDecay(_Decay):
    """learning_rate * decay_rate ** (step / decay_steps)."""

    def step(self):
        return self.learning_rate * self.decay_rate ** self._parts()


class InverseTimeDecay(_Decay):
    """learning_rate / (1 + decay_rate * step / decay_steps)."""

    def step(self):
        return self.learning_rate / (1 + self.decay_rate * self._parts())


class PolynomialDecay(LearningRateDecay):
    """(learning_rate - end) * (1 - step / decay_steps) ** power + end."""

    def __init__(
        self,
        learning_rate,
        decay_steps,
        end_learning_rate=0.0001,
        power=1.0,
        cycle=False,
        begin=0,
        step=1,
        dtype="float32",
    ):
        super().__init__(begin, step, dtype)
        self.learning_rate, self.decay_steps, self.end_learning_rate = learning_rate, decay_steps, end_learning_rate
        self.power, self.cycle = power, cycle

    def step(self):
        steps, at = self.decay_steps, self.step_num
        if self.cycle:
            steps *= max(math.ceil(at / steps), 1)
        else:
            at = min(at, steps)
        return (self.learning_rate - self.end_learning_rate) * (1 - at / steps) ** self.power + self.end_learning_rate


class CosineDecay(LearningRateDecay):
    """learning_rate * (cos(epoch * pi / epochs) + 1) / 2, where epoch is step // step_each_epoch."""

    def __init__(self, learning_rate, step_each_epoch, epochs, begin=0, step=1, dtype="float32"):
        super().__init__(begin, step, dtype)
        self.learning_rate, self.step_each_epoch, self.epochs = learning_rate, step_each_epoch, epochs

    def step(self):
        epoch = math.floor(self.step_num / self.step_each_epoch)
        return self.learning_rate * 0.5 * (math.cos(epoch * math.pi / self.epochs) + 1)


class NoamDecay(LearningRateDecay):
    """learning_rate * d_model ** -0.5 * min(step ** -0.5, step * warmup_steps ** -1.5)."""

    def __init__(self, d_model, warmup_steps, begin=1, step=1, dtype="float32", learning_rate=1.0):
        super().__init__(begin, step, dtype)
        self.learning_rate, self.d_model, self.warmup_steps = learning_rate, d_model, warmup_steps

    def step(self):
        grows = self.warmup_steps**-1.5 * self.step_num
        falls = self.step_num**-0.5 if self.step_num else math.inf
        return self.learning_rate * self.d_model**-0.5 * min(falls, grows)


class LinearLrWarmup(LearningRateDecay):
    """From start_lr to end_lr in `warmup_steps` steps along a line, then `learning_rate`, a number or another decay."""

    def __init__(self, learning_rate, warmup_steps, start_lr, end_lr, begin=1, step=1, dtype="float32"):
        super().__init__(begin, step, dtype)
        if not isinstance(learning_rate, (int, float, LearningRateDecay)):
            raise TypeError(
                f"LinearLrWarmup: learning_rate has type {type(learning_rate).__name__}; pass a number or a LearningRateDecay."
            )
        if start_lr > end_lr:
            raise AssertionError(f"LinearLrWarmup: start_lr {start_lr} is above end_lr {end_lr}.")
        self.learning_rate, self.warmup_steps, self.start_lr = learning_rate, warmup_steps, start_lr
        self._slope = (end_lr - start_lr) / warmup_steps

    def step(self):
        later = self.learning_rate
        if isinstance(later, LearningRateDecay):
            later = later()
        return self._slope * self.step_num + self.start_lr if self.step_num < self.warmup_steps else later


class _EpochDecay(LearningRateDecay):
    """Base of decays that go on when `epoch()` is called."""

    def __init__(self, learning_rate, dtype="float32"):
        super().__init__(0, 1, dtype)
        self.base_lr, self.epoch_num = float(learning_rate), -1
        self.epoch()

    def __call__(self):
        return self.last_lr

    def step(self):
        return self.last_lr

    def epoch(self, epoch=None):
        """Go on to the next epoch, or to the one of a number."""
        self.epoch_num = self.epoch_num + 1 if epoch is None else epoch
        self.last_lr = self.get_lr()

    def state_dict(self):
        """The number of the epoch and the rate."""
        return {"epoch_num": self.epoch_num, "last_lr": self.last_lr}

    def set_dict(self, state_dict):
        """Go on from a dict that `state_dict` gave."""
        self.epoch_num, self.last_lr = state_dict["epoch_num"], state_dict["last_lr"]

    set_state_dict = set_dict


class StepDecay(_EpochDecay):
    """learning_rate * decay_rate ** (epoch // step_size)."""

    def __init__(self, learning_rate, step_size, decay_rate=0.1):
        self.step_size_of_epochs, self.decay_rate = step_size, decay_rate
        super().__init__(learning_rate)

    def get_lr(self):
        """The rate of the epoch."""
        return self.base_lr * self.decay_rate ** (self.epoch_num // self.step_size_of_epochs)


class MultiStepDecay(_EpochDecay):
    """learning_rate * decay_rate ** (number of milestones that are over)."""

    def __init__(self, learning_rate, milestones, decay_rate=0.1):
        self.milestones, self.decay_rate = list(milestones), decay_rate
        super().__init__(learning_rate)

    def get_lr(self):
        """The rate of the epoch."""
        return self.base_lr * self.decay_rate ** sum(self.epoch_num >= m for m in self.milestones)


class LambdaDecay(_EpochDecay):
    """learning_rate * lr_lambda(epoch)."""

    def __init__(self, learning_rate, lr_lambda):
        self.lr_lambda = lr_lambda
        super().__init__(learning_rate)

    def get_lr(self):
        """The rate of the epoch."""
        return self.base_lr * self.lr_lambda(self.epoch_num)


class ReduceLROnPlateau(LearningRateDecay):
    """The rate falls when a loss, which `step(loss)` is given, does not; see `paddle.optimizer.lr.ReduceOnPlateau`."""

    def __init__(
        self,
        learning_rate,
        mode="min",
        decay_rate=0.1,
        patience=10,
        verbose=False,
        threshold=1e-4,
        threshold_mode="rel",
        cooldown=0,
        min_lr=0,
        eps=1e-8,
        dtype="float32",
    ):
        super().__init__(0, 1, dtype)
        from ...optimizer.lr import ReduceOnPlateau

        settings = (decay_rate, patience, threshold, threshold_mode, cooldown, min_lr, eps, verbose)
        self._rule = ReduceOnPlateau(learning_rate, mode, *settings)

    def __call__(self):
        return self._rule()

    def step(self, loss=None):
        """Tell the loss of an epoch; without one the rate."""
        if loss is not None:
            self._rule.step(loss)
        return self._rule()

    def state_dict(self):
        """The state of the rule."""
        return self._rule.state_dict()

    def set_dict(self, state_dict):
        """Go on from a dict that `state_dict` gave."""
        self._rule.set_state_dict(state_dict)

    set_state_dict = set_dict


__all__ = [
    "CosineDecay",
    "ExponentialDecay",
    "InverseTimeDecay",
    "LambdaDecay",
    "LearningRateDecay",
    "LinearLrWarmup",
    "MultiStepDecay",
    "NaturalExpDecay",
    "NoamDecay",
    "PiecewiseDecay",
    "PolynomialDecay",
    "ReduceLROnPlateau",
    "StepDecay",
]
