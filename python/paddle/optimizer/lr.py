# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Learning-rate schedules; `step()` moves on, a call gives the rate."""

import math

from .. import _core, _lazy
from ..framework.checked_numbers import check_real, check_whole, shown
from .lr_adaptive import CyclicLR, OneCycleLR, ReduceOnPlateau
from .schedule import LRScheduler

__all__ = [
    "LRScheduler",
    "NoamDecay",
    "PiecewiseDecay",
    "NaturalExpDecay",
    "InverseTimeDecay",
    "PolynomialDecay",
    "LinearWarmup",
    "ExponentialDecay",
    "MultiStepDecay",
    "StepDecay",
    "LambdaDecay",
    "ReduceOnPlateau",
    "CosineAnnealingDecay",
    "MultiplicativeDecay",
    "OneCycleLR",
    "CyclicLR",
    "LinearLR",
    "CosineAnnealingWarmRestarts",
]
__dir__ = _lazy.listing(__name__)


def __getattr__(name):
    from . import lr_functions

    if name in lr_functions.NAMES:
        return getattr(lr_functions, name)
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")


class NoamDecay(LRScheduler):
    """lr * d_model^-0.5 * min(epoch^-0.5, epoch * warmup_steps^-1.5) (Vaswani et al. 2017).

    Args:
        d_model: Width of the model.
        warmup_steps: Epochs during which the rate rises.
        learning_rate: The factor lr.
        last_epoch: The epoch before the first; -1 to begin.
        verbose: Whether each change is printed.

    Example:
        >>> rate = paddle.optimizer.lr.NoamDecay(4, warmup_steps=4, learning_rate=8.0)
        >>> rates = []
        >>> for _ in range(6):
        ...     rates.append(round(rate(), 6))
        ...     rate.step()
        >>> rates
        [0.0, 0.5, 1.0, 1.5, 2.0, 1.788854]
    """

    def __init__(self, d_model, warmup_steps, learning_rate=1.0, last_epoch=-1, verbose=False):
        check_real("NoamDecay", d_model=d_model, warmup_steps=warmup_steps)
        if d_model <= 0:
            raise ValueError(f"NoamDecay: d_model has value {d_model}; it must be positive.")
        if warmup_steps <= 0:
            raise ValueError(f"NoamDecay: warmup_steps has value {warmup_steps}; it must be positive.")
        self.d_model, self.warmup_steps = d_model, warmup_steps
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self):
        rise = 1 if self.last_epoch == 0 else self.last_epoch**-0.5
        return self.base_lr * self.d_model**-0.5 * min(rise, self.warmup_steps**-1.5 * self.last_epoch)


class PiecewiseDecay(LRScheduler):
    """values[i] below boundaries[i], the last value beyond.

    Args:
        boundaries: Epochs at which the rate changes, in ascending order.
        values: Rates; one more than boundaries.
        last_epoch: The epoch before the first; -1 to begin.
        verbose: Whether each change is printed.

    Example:
        >>> rate = paddle.optimizer.lr.PiecewiseDecay([1, 3], [0.5, 0.25, 0.125])
        >>> rates = []
        >>> for _ in range(4):
        ...     rates.append(rate())
        ...     rate.step()
        >>> rates
        [0.5, 0.25, 0.25, 0.125]
    """

    def __init__(self, boundaries, values, last_epoch=-1, verbose=False):
        for name, given in (("boundaries", boundaries), ("values", values)):
            if not isinstance(given, (list, tuple)):
                raise _core.ArgumentTypeError(f"PiecewiseDecay: {name} {shown(given)}; it must be a list or tuple.")
        if len(boundaries) == 0:
            raise ValueError("PiecewiseDecay: boundaries is empty; give at least one.")
        if len(values) <= len(boundaries):
            raise ValueError(
                f"PiecewiseDecay: values has {len(values)} items and boundaries "
                f"{len(boundaries)}; there must be one value more."
            )
        self.boundaries, self.values = boundaries, values
        super().__init__(last_epoch=last_epoch, verbose=verbose)

    def get_lr(self):
        for bound, value in zip(self.boundaries, self.values, strict=False):
            if self.last_epoch < bound:
                return value
        return self.values[len(self.values) - 1]


class NaturalExpDecay(LRScheduler):
    """lr * exp(-gamma * epoch).

    Args:
        learning_rate: The first rate.
        gamma: How fast the rate falls, positive.
        last_epoch: The epoch before the first; -1 to begin.
        verbose: Whether each change is printed.

    Example:
        >>> rate = paddle.optimizer.lr.NaturalExpDecay(1.0, gamma=0.5)
        >>> rates = []
        >>> for _ in range(3):
        ...     rates.append(round(rate(), 6))
        ...     rate.step()
        >>> rates
        [1.0, 0.606531, 0.367879]
    """

    def __init__(self, learning_rate, gamma, last_epoch=-1, verbose=False):
        if not gamma > 0.0:
            raise AssertionError(f"NaturalExpDecay: gamma has value {gamma}; it must be positive.")
        self.gamma = gamma
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self):
        return self.base_lr * math.exp(-1 * self.gamma * self.last_epoch)


class InverseTimeDecay(LRScheduler):
    """lr / (1 + gamma * epoch).

    Args:
        learning_rate: The first rate.
        gamma: How fast the rate falls.
        last_epoch: The epoch before the first; -1 to begin.
        verbose: Whether each change is printed.

    Example:
        >>> rate = paddle.optimizer.lr.InverseTimeDecay(1.0, gamma=1.0)
        >>> rates = []
        >>> for _ in range(3):
        ...     rates.append(round(rate(), 6))
        ...     rate.step()
        >>> rates
        [1.0, 0.5, 0.333333]
    """

    def __init__(self, learning_rate, gamma, last_epoch=-1, verbose=False):
        self.gamma = gamma
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self):
        return self.base_lr / (1 + self.gamma * self.last_epoch)


class PolynomialDecay(LRScheduler):
    """(lr - end_lr) * (1 - epoch / decay_steps)**power + end_lr.

    Args:
        cycle: Start again with more steps instead of staying at `end_lr`.
    """

    def __init__(
        self,
        learning_rate,
        decay_steps,
        end_lr=0.0001,
        power=1.0,
        cycle=False,
        last_epoch=-1,
        verbose=False,
    ):
        if not (isinstance(decay_steps, int) and decay_steps > 0):
            raise AssertionError(
                f"PolynomialDecay: decay_steps has value {decay_steps!r}; it must be a positive integer."
            )
        if not power > 0.0:
            raise AssertionError(f"PolynomialDecay: power has value {power}; it must be positive.")
        self.decay_steps, self.end_lr, self.power, self.cycle = decay_steps, end_lr, power, cycle
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self):
        epoch, steps = self.last_epoch, self.decay_steps
        if self.cycle:
            steps *= 1 if epoch == 0 else math.ceil(float(epoch) / steps)
        else:
            epoch = min(epoch, steps)
        return (self.base_lr - self.end_lr) * ((1 - float(epoch) / float(steps)) ** self.power) + self.end_lr


class LinearWarmup(LRScheduler):
    """From start_lr to end_lr in warmup_steps, then `learning_rate`.

    Args:
        learning_rate: What follows: a number or another scheduler.
        warmup_steps: Steps of the warm-up.
        start_lr: The first rate.
        end_lr: The rate at the end of the warm-up; above start_lr.
        last_epoch: The step before the first; -1 to begin.
        verbose: Whether each change is printed.

    Raises:
        TypeError: learning_rate is neither a number nor a scheduler.

    Example:
        >>> rate = paddle.optimizer.lr.LinearWarmup(0.5, warmup_steps=2, start_lr=0.0, end_lr=0.5)
        >>> rates = []
        >>> for _ in range(3):
        ...     rates.append(rate())
        ...     rate.step()
        >>> rates
        [0.0, 0.25, 0.5]
    """

    def __init__(self, learning_rate, warmup_steps, start_lr, end_lr, last_epoch=-1, verbose=False):
        if not isinstance(learning_rate, (float, int, LRScheduler)):
            raise TypeError(
                f"LinearWarmup: learning_rate has type {type(learning_rate).__name__}; it must be "
                f"a number or an LRScheduler."
            )
        if not (isinstance(warmup_steps, int) and warmup_steps > 0):
            raise AssertionError(
                f"LinearWarmup: warmup_steps has value {warmup_steps!r}; it must be a positive integer."
            )
        check_real("LinearWarmup", start_lr=start_lr, end_lr=end_lr)
        if not end_lr > start_lr:
            raise AssertionError(
                f"LinearWarmup: start_lr has value {start_lr} and end_lr {end_lr}; end_lr must be larger."
            )
        self.learning_rate = learning_rate
        self.warmup_steps, self.start_lr, self.end_lr = warmup_steps, start_lr, end_lr
        super().__init__(start_lr, last_epoch, verbose)

    def state_dict(self):
        state = super().state_dict()
        if isinstance(self.learning_rate, LRScheduler):
            state["LinearWarmup_LR"] = self.learning_rate.state_dict()
        return state

    def set_state_dict(self, state_dict):
        super().set_state_dict(state_dict)
        if isinstance(self.learning_rate, LRScheduler):
            self.learning_rate.set_state_dict(state_dict["LinearWarmup_LR"])

    set_dict = set_state_dict

    def get_lr(self):
        if self.last_epoch < self.warmup_steps:
            return (self.end_lr - self.start_lr) * float(self.last_epoch) / float(self.warmup_steps) + self.start_lr
        if isinstance(self.learning_rate, LRScheduler):
            self.learning_rate.step(self.last_epoch - self.warmup_steps)
            return self.learning_rate()
        return self.learning_rate


class ExponentialDecay(LRScheduler):
    """lr * gamma ** epoch.

    Args:
        learning_rate: The first rate, lr.
        gamma: Factor between 0 and 1.
        last_epoch: The epoch before the first; -1 to begin.
        verbose: Whether each change is printed.

    Example:
        >>> rate = paddle.optimizer.lr.ExponentialDecay(1.0, gamma=0.5)
        >>> rate.step()
        >>> rate.step()
        >>> rate()
        0.25
    """

    def __init__(self, learning_rate, gamma, last_epoch=-1, verbose=False):
        check_real("ExponentialDecay", gamma=gamma)
        if not 0.0 < gamma < 1.0:
            raise AssertionError(f"ExponentialDecay: gamma has value {gamma}; it must be in (0, 1).")
        self.gamma = gamma
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self):
        return self.base_lr * self.gamma**self.last_epoch


class MultiStepDecay(LRScheduler):
    """lr times gamma for every milestone reached.

    Args:
        learning_rate: The first rate, lr.
        milestones: Epochs, in ascending order.
        gamma: Factor below 1.
        last_epoch: The epoch before the first; -1 to begin.
        verbose: Whether each change is printed.

    Raises:
        ValueError: milestones do not increase.

    Example:
        >>> rate = paddle.optimizer.lr.MultiStepDecay(1.0, milestones=[1, 2], gamma=0.5)
        >>> rates = []
        >>> for _ in range(3):
        ...     rates.append(rate())
        ...     rate.step()
        >>> rates
        [1.0, 0.5, 0.25]
    """

    def __init__(self, learning_rate, milestones, gamma=0.1, last_epoch=-1, verbose=False):
        if not isinstance(milestones, (tuple, list)):
            raise TypeError(
                f"MultiStepDecay: milestones has type {type(milestones).__name__}; it must be a list or tuple."
            )
        check_whole("MultiStepDecay", **{f"milestones[{i}]": milestone for i, milestone in enumerate(milestones)})
        if any(a >= b for a, b in zip(milestones[:-1], milestones[1:], strict=False)):
            raise ValueError(f"MultiStepDecay: milestones {milestones} must increase.")
        _below_one("MultiStepDecay", gamma)
        self.milestones, self.gamma = milestones, gamma
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self):
        for i, milestone in enumerate(self.milestones):
            if self.last_epoch < milestone:
                return self.base_lr * (self.gamma**i)
        return self.base_lr * (self.gamma ** len(self.milestones))


def _below_one(name, gamma):
    check_real(name, gamma=gamma)
    if gamma >= 1.0:
        raise ValueError(f"{name}: gamma has value {gamma}; it must be below 1.")


class StepDecay(LRScheduler):
    """lr * gamma ** (epoch // step_size).

    Args:
        learning_rate: The first rate, lr.
        step_size: Epochs for which a rate holds; a positive int.
        gamma: Factor below 1 at the end of each step.
        last_epoch: The epoch before the first; -1 to begin.
        verbose: Whether each change is printed.

    Raises:
        TypeError: step_size is no int.

    Example:
        >>> rate = paddle.optimizer.lr.StepDecay(1.0, step_size=2, gamma=0.5)
        >>> rates = []
        >>> for _ in range(4):
        ...     rates.append(rate())
        ...     rate.step()
        >>> rates
        [1.0, 1.0, 0.5, 0.5]
    """

    def __init__(self, learning_rate, step_size, gamma=0.1, last_epoch=-1, verbose=False):
        if not isinstance(step_size, int):
            raise TypeError(f"StepDecay: step_size has type {type(step_size).__name__}; it must be an int.")
        if step_size <= 0:
            raise AssertionError(f"StepDecay: step_size has value {step_size}; it must be positive.")
        _below_one("StepDecay", gamma)
        self.step_size, self.gamma = step_size, gamma
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self):
        return self.base_lr * (self.gamma ** (self.last_epoch // self.step_size))


class LambdaDecay(LRScheduler):
    """lr * lr_lambda(epoch).

    Args:
        learning_rate: The rate that is scaled, lr.
        lr_lambda: A function from the number of an epoch to a factor.
        last_epoch: The epoch before the first; -1 to begin.
        verbose: Whether each change is printed.

    Example:
        >>> rate = paddle.optimizer.lr.LambdaDecay(0.5, lambda epoch: 2**epoch)
        >>> rate.step()
        >>> rate()
        1.0
    """

    def __init__(self, learning_rate, lr_lambda, last_epoch=-1, verbose=False):
        if not callable(lr_lambda):
            raise TypeError("LambdaDecay: lr_lambda must be callable.")
        self.lr_lambda = lr_lambda
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self):
        return self.base_lr * self.lr_lambda(self.last_epoch)


class MultiplicativeDecay(LRScheduler):
    """lr times lr_lambda(1) * ... * lr_lambda(epoch).

    Args:
        learning_rate: The first rate.
        lr_lambda: The factor of an epoch, a function of its number.
        last_epoch: The epoch before the first; -1 to begin.
        verbose: Whether each change is printed.

    Example:
        >>> rate = paddle.optimizer.lr.MultiplicativeDecay(1.0, lambda epoch: 0.5)
        >>> rates = []
        >>> for _ in range(3):
        ...     rates.append(round(rate(), 6))
        ...     rate.step()
        >>> rates
        [1.0, 0.5, 0.25]
    """

    def __init__(self, learning_rate, lr_lambda, last_epoch=-1, verbose=False):
        if not callable(lr_lambda):
            raise TypeError("MultiplicativeDecay: lr_lambda must be callable.")
        self.lr_lambda = lr_lambda
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self):
        rate = self.base_lr
        for epoch in range(1, self.last_epoch + 1):
            rate = rate * self.lr_lambda(epoch)
        return rate


class CosineAnnealingDecay(LRScheduler):
    """From lr to eta_min along half a cosine of T_max epochs, and back (Loshchilov and Hutter 2017, without restarts).

    Args:
        learning_rate: The first and greatest rate.
        T_max: Epochs until eta_min; a positive number.
        eta_min: The least rate.
        last_epoch: The epoch before the first; -1 to begin.
        verbose: Whether each change is printed.

    Example:
        >>> rate = paddle.optimizer.lr.CosineAnnealingDecay(1.0, T_max=2)
        >>> rate.step()
        >>> round(rate(), 6)
        0.5
    """

    def __init__(self, learning_rate, T_max, eta_min=0, last_epoch=-1, verbose=False):
        if not isinstance(T_max, int):
            raise TypeError(f"CosineAnnealingDecay: T_max has type {type(T_max).__name__}; it must be an int.")
        if not isinstance(eta_min, (float, int)):
            raise TypeError(f"CosineAnnealingDecay: eta_min has type {type(eta_min).__name__}; it must be a number.")
        if T_max <= 0:
            raise AssertionError(f"CosineAnnealingDecay: T_max has value {T_max}; it must be positive.")
        self.T_max, self.eta_min = T_max, float(eta_min)
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self):
        if self.last_epoch == 0:
            return self.base_lr
        if (self.last_epoch - 1 - self.T_max) % (2 * self.T_max) == 0:
            return self.last_lr + (self.base_lr - self.eta_min) * (1 - math.cos(math.pi / self.T_max)) / 2
        now = 1 + math.cos(math.pi * self.last_epoch / self.T_max)
        before = 1 + math.cos(math.pi * (self.last_epoch - 1) / self.T_max)
        return now / before * (self.last_lr - self.eta_min) + self.eta_min

    def _get_closed_form_lr(self):
        return self.eta_min + (self.base_lr - self.eta_min) * (1 + math.cos(math.pi * self.last_epoch / self.T_max)) / 2


class CosineAnnealingWarmRestarts(LRScheduler):
    """Cosine decays that start again after T_0, T_0 * T_mult, ... epochs (Loshchilov and Hutter 2017).

    Args:
        learning_rate: The first and greatest rate.
        T_0: Epochs of the first decay.
        T_mult: How much longer each decay is than the one before it.
        eta_min: The least rate.
        last_epoch: The epoch before the first; -1 to begin.
        verbose: Whether each change is printed.

    Example:
        >>> rate = paddle.optimizer.lr.CosineAnnealingWarmRestarts(1.0, T_0=2)
        >>> rates = []
        >>> for _ in range(4):
        ...     rates.append(round(rate(), 6))
        ...     rate.step()
        >>> rates
        [1.0, 0.5, 1.0, 0.5]
    """

    def __init__(self, learning_rate, T_0, T_mult=1, eta_min=0.0, last_epoch=-1, verbose=False):
        if not isinstance(T_0, int) or T_0 <= 0:
            raise ValueError(f"CosineAnnealingWarmRestarts: T_0 has value {T_0}; it must be a positive integer.")
        if not isinstance(T_mult, int) or T_mult < 1:
            raise ValueError(
                f"CosineAnnealingWarmRestarts: T_mult has value {T_mult}; it must be an integer of at least 1."
            )
        self.T_0, self.T_i, self.T_mult = T_0, T_0, T_mult
        self.eta_min, self.T_cur = eta_min, last_epoch
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self):
        return self.eta_min + (self.base_lr - self.eta_min) * (1 + math.cos(math.pi * self.T_cur / self.T_i)) / 2

    def step(self, epoch=None):
        """Go to the next epoch, or to a given one (a float is allowed)."""
        if epoch is None and self.last_epoch < 0:
            epoch = 0
        if epoch is None:
            epoch = self.last_epoch + 1
            self.T_cur += 1
            if self.T_cur >= self.T_i:
                self.T_cur -= self.T_i
                self.T_i *= self.T_mult
        else:
            if epoch < 0:
                raise ValueError(f"step: epoch has value {epoch}; it must not be negative.")
            self.T_i, self.T_cur = self.T_0, epoch
            if epoch >= self.T_0 and self.T_mult == 1:
                self.T_cur = epoch % self.T_0
            elif epoch >= self.T_0:
                n = int(math.log(epoch / self.T_0 * (self.T_mult - 1) + 1, self.T_mult))
                self.T_cur = epoch - self.T_0 * (self.T_mult**n - 1) / (self.T_mult - 1)
                self.T_i = self.T_0 * self.T_mult**n
        self.last_epoch = math.floor(epoch)
        self.last_lr = self.get_lr()
        if self.verbose:
            print(f"Epoch {self.last_epoch}: {type(self).__name__} set learning rate to {self.last_lr}.")


class LinearLR(LRScheduler):
    """lr times a factor that goes from start_factor to end_factor in total_steps.

    Args:
        learning_rate: What the factor is applied to.
        total_steps: Epochs until end_factor.
        start_factor: In (0, 1].
        end_factor: In [0, 1].
        last_epoch: The epoch before the first; -1 to begin.
        verbose: Whether each change is printed.

    Example:
        >>> rate = paddle.optimizer.lr.LinearLR(1.0, total_steps=2, start_factor=0.5)
        >>> rates = []
        >>> for _ in range(4):
        ...     rates.append(round(rate(), 6))
        ...     rate.step()
        >>> rates
        [0.5, 0.75, 1.0, 1.0]
    """

    def __init__(
        self,
        learning_rate,
        total_steps,
        start_factor=1.0 / 3,
        end_factor=1.0,
        last_epoch=-1,
        verbose=False,
    ):
        if not 0 < start_factor <= 1.0:
            raise ValueError(f"LinearLR: start_factor has value {start_factor}; it must be in (0, 1].")
        if not 0 <= end_factor <= 1.0:
            raise ValueError(f"LinearLR: end_factor has value {end_factor}; it must be in [0, 1].")
        if total_steps <= 0:
            raise ValueError(f"LinearLR: total_steps has value {total_steps}; it must be positive.")
        self.total_steps, self.start_factor, self.end_factor = (total_steps, start_factor, end_factor)
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self):
        part = min(self.last_epoch, self.total_steps) / self.total_steps
        return self.base_lr * (self.start_factor + (self.end_factor - self.start_factor) * part)
