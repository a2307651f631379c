# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Optimizers with the arguments of PaddlePaddle 1: `parameter_list`, `regularization`, and learning rates that are variables
of a program or decays of `fluid.dygraph`."""

from .. import _core
from .. import optimizer as _present
from ..framework.memory import write
from ..framework.modes import recording_program
from ..incubate.optimizer import LookAhead
from ..incubate.optimizer import ModelAverage as _ModelAverage
from ..static import ExponentialMovingAverage as _ExponentialMovingAverage
from . import absent
from .dygraph.learning_rate_scheduler import LearningRateDecay

ops = _core.ops


class _Fluid:
    """What the optimizers share: where the learning rate comes from, and the arguments of `minimize`."""

    _rate_now = None  # what a decay gave for the step at hand

    def _begin(self, learning_rate, parent, *args, **kwargs):
        """Initialise the class of today with a number as learning rate, then take the given one."""
        plain = isinstance(learning_rate, (int, float)) or isinstance(learning_rate, _present.lr.LRScheduler)
        given = isinstance(learning_rate, (LearningRateDecay, _core.Tensor))
        if not plain and not given:
            raise TypeError(
                f"{type(self).__name__}: learning_rate has type {type(learning_rate).__name__}; pass a number, a variable or a "
                f"LearningRateDecay."
            )
        parent.__init__(self, learning_rate if plain else 0.0, *args, **kwargs)
        if isinstance(learning_rate, _core.Tensor) and not learning_rate._is_initialized():
            self._rate_variable = learning_rate
        if given:
            self._learning_rate = learning_rate

    def get_lr(self):
        """The current learning rate as a number."""
        rate = self._learning_rate
        if isinstance(rate, LearningRateDecay):
            return float(rate.step()) if self._rate_now is None else self._rate_now
        return float(rate) if isinstance(rate, _core.Tensor) else super().get_lr()

    current_step_lr = get_lr

    def set_lr(self, value):
        """Set the learning rate: a number or a tensor of one element."""
        value = float(value) if isinstance(value, _core.Tensor) else value
        if isinstance(self._learning_rate, _core.Tensor):
            self._learning_rate = float(value)
        super().set_lr(value)

    def _recorded_rate(self):
        if self._rate_variable is not None:
            return self._rate_variable
        return super()._recorded_rate()

    def minimize(self, loss, startup_program=None, parameter_list=None, no_grad_set=None):
        """Update the parameters by the gradients that `loss.backward()` left; of a program append gradients and updates.

        Args:
            loss: The loss.
            startup_program: The Program that makes the state; None: the default one.
            parameter_list: The parameters, or their names; None: those of the optimizer or of the program.
            no_grad_set: Parameters that stay as they are.

        Returns:
            (operators, (parameter, gradient) pairs).
        """
        if isinstance(self._learning_rate, LearningRateDecay) and recording_program() is None:
            self._rate_now = float(self._learning_rate())
        return super().minimize(loss, startup_program, parameter_list, no_grad_set)

    def backward(self, loss, startup_program=None, parameter_list=None, no_grad_set=None, callbacks=None):
        """The (parameter, gradient) pairs of a loss."""
        return super().backward(loss, startup_program, parameter_list, no_grad_set, callbacks)

    def apply_optimize(self, loss, startup_program, params_grads):
        """Update parameters with the given gradients."""
        return self.apply_gradients(params_grads)

    def state_dict(self):
        """The state by name; see `paddle.optimizer.Optimizer.state_dict`."""
        state = super().state_dict()
        if isinstance(self._learning_rate, LearningRateDecay):
            state["LR_Scheduler"] = self._learning_rate.state_dict()
        return state

    def set_state_dict(self, state_dict):
        """Take the state from what `state_dict` gave."""
        state = dict(state_dict)
        if isinstance(self._learning_rate, LearningRateDecay) and "LR_Scheduler" in state:
            self._learning_rate.set_dict(state.pop("LR_Scheduler"))
        super().set_state_dict(state)

    set_dict = set_state_dict


class SGDOptimizer(_Fluid, _present.SGD):
    """param -= learning_rate * grad."""

    def __init__(
        self,
        learning_rate,
        parameter_list=None,
        regularization=None,
        grad_clip=None,
        multi_precision=False,
        name=None,
    ):
        self._begin(learning_rate, _present.SGD, parameter_list, regularization, grad_clip, multi_precision, name)


class MomentumOptimizer(_Fluid, _present.Momentum):
    """velocity = momentum * velocity + grad; param -= learning_rate * velocity; see `paddle.optimizer.Momentum`."""

    def __init__(
        self,
        learning_rate,
        momentum,
        parameter_list=None,
        use_nesterov=False,
        regularization=None,
        grad_clip=None,
        name=None,
    ):
        common = (parameter_list, use_nesterov, regularization, grad_clip)
        self._begin(learning_rate, _present.Momentum, momentum, *common, name=name)


class AdagradOptimizer(_Fluid, _present.Adagrad):
    """See `paddle.optimizer.Adagrad`."""

    def __init__(
        self,
        learning_rate,
        epsilon=1e-6,
        parameter_list=None,
        regularization=None,
        grad_clip=None,
        name=None,
        initial_accumulator_value=0.0,
    ):
        common = (parameter_list, regularization, grad_clip, name, initial_accumulator_value)
        self._begin(learning_rate, _present.Adagrad, epsilon, *common)


class AdamOptimizer(_Fluid, _present.Adam):
    """See `paddle.optimizer.Adam`.

    Args:
        learning_rate: A number, a variable, or a LearningRateDecay.
        beta1: Weight of the old first moment.
        beta2: Weight of the old second moment.
        epsilon: Added to the root.
        parameter_list: The parameters; needed in dynamic mode.
        regularization: L1Decay or L2Decay.
        grad_clip: A GradientClipBy... object.
        name: Not read.
        lazy_mode: Whether only rows of tables that were looked up are updated.

    Example:
        >>> import paddle
        >>> from paddle import fluid
        >>> layer = fluid.dygraph.Linear(2, 1)
        >>> adam = fluid.optimizer.AdamOptimizer(0.1, parameter_list=layer.parameters())
        >>> loss = fluid.layers.mean(layer(paddle.ones([4, 2])))
        >>> loss.backward()
        >>> _ = adam.minimize(loss)
        >>> layer.clear_gradients()
    """

    def __init__(
        self,
        learning_rate=0.001,
        beta1=0.9,
        beta2=0.999,
        epsilon=1e-8,
        parameter_list=None,
        regularization=None,
        grad_clip=None,
        name=None,
        lazy_mode=False,
        use_global_beta_pow=False,
        flatten_param_grads=False,
        align_size=-1,
    ):
        common = (parameter_list, regularization, grad_clip, lazy_mode)
        self._begin(learning_rate, _present.Adam, beta1, beta2, epsilon, *common, name=name)


class AdamaxOptimizer(_Fluid, _present.Adamax):
    """See `paddle.optimizer.Adamax`."""

    def __init__(
        self,
        learning_rate=0.001,
        beta1=0.9,
        beta2=0.999,
        epsilon=1e-8,
        parameter_list=None,
        regularization=None,
        grad_clip=None,
        name=None,
    ):
        common = (parameter_list, regularization, grad_clip, name)
        self._begin(learning_rate, _present.Adamax, beta1, beta2, epsilon, *common)


class AdadeltaOptimizer(_Fluid, _present.Adadelta):
    """See `paddle.optimizer.Adadelta`."""

    def __init__(
        self,
        learning_rate,
        epsilon=1e-6,
        rho=0.95,
        parameter_list=None,
        regularization=None,
        grad_clip=None,
        name=None,
    ):
        common = (parameter_list, regularization, grad_clip, name)
        self._begin(learning_rate, _present.Adadelta, epsilon, rho, *common)


class RMSPropOptimizer(_Fluid, _present.RMSProp):
    """See `paddle.optimizer.RMSProp`."""

    def __init__(
        self,
        learning_rate,
        rho=0.95,
        epsilon=1e-6,
        momentum=0.0,
        centered=False,
        parameter_list=None,
        regularization=None,
        grad_clip=None,
        name=None,
    ):
        common = (parameter_list, regularization, grad_clip, name)
        self._begin(learning_rate, _present.RMSProp, rho, epsilon, momentum, centered, *common)


class LambOptimizer(_Fluid, _present.Lamb):
    """See `paddle.optimizer.Lamb`."""

    def __init__(
        self,
        learning_rate=0.001,
        lamb_weight_decay=0.01,
        beta1=0.9,
        beta2=0.999,
        epsilon=1e-6,
        parameter_list=None,
        regularization=None,
        grad_clip=None,
        exclude_from_weight_decay_fn=None,
        name=None,
    ):
        settings = (lamb_weight_decay, beta1, beta2, epsilon, parameter_list, grad_clip, exclude_from_weight_decay_fn)
        self._begin(learning_rate, _present.Lamb, *settings, name=name)
        self.regularization = regularization


class _OwnRule(_Fluid, _present.Optimizer):
    """Base of optimizers whose rule stands here: `_update` gives the parameter and its state new values."""

    def __init__(self, learning_rate, parameter_list, regularization, grad_clip, name):
        self._begin(learning_rate, _present.Optimizer, parameter_list, regularization, grad_clip, name)


class DecayedAdagradOptimizer(_OwnRule):
    """moment = decay * moment + (1 - decay) * grad ** 2; param -= learning_rate * grad / (sqrt(moment) + epsilon)."""

    def __init__(
        self,
        learning_rate,
        decay=0.95,
        epsilon=1e-6,
        parameter_list=None,
        regularization=None,
        grad_clip=None,
        name=None,
    ):
        self._decay, self._epsilon = decay, epsilon
        super().__init__(learning_rate, parameter_list, regularization, grad_clip, name)

    def _update(self, param, grad, group):
        moment = self._accumulator("moment", param)
        new = moment * self._decay + grad * grad * (1.0 - self._decay)
        write(param, param - self._lr_for(param) * grad / (ops.sqrt(new) + self._epsilon))
        write(moment, new)


class FtrlOptimizer(_OwnRule):
    """Follow the regularised leader (McMahan and others, 2013).

    Args:
        learning_rate: A number, a variable, or a LearningRateDecay.
        l1: Factor of the sum of absolute values.
        l2: Factor of the sum of squares.
        lr_power: Power of the sums of squared gradients.
    """

    def __init__(
        self,
        learning_rate,
        l1=0.0,
        l2=0.0,
        lr_power=-0.5,
        parameter_list=None,
        regularization=None,
        grad_clip=None,
        name=None,
    ):
        self._l1, self._l2, self._power = l1, l2, lr_power
        super().__init__(learning_rate, parameter_list, regularization, grad_clip, name)

    def _update(self, param, grad, group):
        squared, linear = self._accumulator("squared", param), self._accumulator("linear", param)
        rate = self._lr_for(param)
        new = squared + grad * grad
        after, before = new**-self._power, squared**-self._power
        score = linear + grad - (after - before) / rate * param
        divisor = after / rate + 2.0 * self._l2
        small = ops.abs(score) <= self._l1
        made = (self._l1 * ops.sign(score) - score) / divisor
        write(param, ops.where(small, ops.full_like(made, 0.0), made))
        write(squared, new)
        write(linear, score)


class LarsMomentumOptimizer(_OwnRule):
    """Momentum whose rate of each parameter is that of its length and of its gradient's (You and others, 2017)."""

    def __init__(
        self,
        learning_rate,
        momentum,
        lars_coeff=0.001,
        lars_weight_decay=0.0005,
        parameter_list=None,
        regularization=None,
        grad_clip=None,
        name=None,
        exclude_from_weight_decay=None,
        epsilon=0,
        multi_precision=False,
        rescale_grad=1.0,
    ):
        self._momentum, self._coeff, self._lars_decay = momentum, lars_coeff, lars_weight_decay
        self._excluded, self._epsilon, self._rescale = list(exclude_from_weight_decay or []), epsilon, rescale_grad
        super().__init__(learning_rate, parameter_list, regularization, grad_clip, name)

    def _update(self, param, grad, group):
        velocity = self._accumulator("velocity", param)
        decay = 0.0 if any(part in param.name for part in self._excluded) else self._lars_decay
        grad = grad * self._rescale
        size, slope = ops.sqrt((param * param).sum()), ops.sqrt((grad * grad).sum())
        rate = self._lr_for(param)
        local = rate * self._coeff * size / (slope + decay * size + self._epsilon)
        local = ops.where((size > 0.0) & (slope > 0.0), local, rate.reshape(local.shape)) if decay > 0 else rate
        new = velocity * self._momentum + local * (grad + param * decay)
        write(param, param - new)
        write(velocity, new)


class ModelAverage(_ModelAverage):
    """Means of parameters over the last steps; see `paddle.incubate.optimizer.ModelAverage`."""

    def __init__(
        self,
        average_window_rate,
        min_average_window=10000,
        max_average_window=10000,
        regularization=None,
        name=None,
    ):
        program = recording_program()
        parameters = None if program is not None else []
        super().__init__(average_window_rate, parameters, min_average_window, max_average_window, name)


class ExponentialMovingAverage(_ExponentialMovingAverage):
    """Means of parameters whose older steps count less and less; see `paddle.static.ExponentialMovingAverage`."""


class LookaheadOptimizer(LookAhead):
    """Slow weights behind those of another optimizer; see `paddle.incubate.optimizer.LookAhead`."""

    def __init__(self, inner_optimizer, alpha=0.5, k=5):
        super().__init__(inner_optimizer, alpha, k)


class RecomputeOptimizer:
    """Another optimizer: memory of programs is planned by the compiler, which computes again what it need not keep.

    Args:
        optimizer: The optimizer.
    """

    def __init__(self, optimizer):
        self._optimizer, self._checkpoints = optimizer, None

    def _set_checkpoints(self, checkpoints):
        """Keep what the program names as worth keeping."""
        self._checkpoints = checkpoints

    def __getattr__(self, name):
        return getattr(self._optimizer, name)


SGD, Momentum, Adagrad, Adam, Adamax = SGDOptimizer, MomentumOptimizer, AdagradOptimizer, AdamOptimizer, AdamaxOptimizer
Adadelta, RMSProp, Lamb = AdadeltaOptimizer, RMSPropOptimizer, LambOptimizer
DecayedAdagrad, Ftrl, LarsMomentum = DecayedAdagradOptimizer, FtrlOptimizer, LarsMomentumOptimizer
Optimizer = _present.Optimizer


def __getattr__(name):
    raise absent.error(__name__, name)


__all__ = sorted(n for n, v in list(globals().items()) if isinstance(v, type) and n[0] != "_" and n != "LookAhead")
