# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Optimizers with a step size per element: `Adagrad`, `Adadelta`, `RMSProp`, `Adamax`, `Lamb`,
`NAdam`, `RAdam`, `ASGD`, `Rprop`."""

from .. import _core
from ..framework.memory import write
from .adam import checked_settings
from .optimizer import Optimizer, captures

ops = _core.ops


class Adagrad(Optimizer):
    """Steps by the root of the sum of squares (Duchi et al. 2011).

    Args:
        epsilon: Added to the root.
        initial_accumulator_value: What the sum starts from.
    """

    # Kinds of its state tensors.
    _moment_acc_str = "moment"

    def __init__(
        self,
        learning_rate,
        epsilon=1e-06,
        parameters=None,
        weight_decay=None,
        grad_clip=None,
        name=None,
        initial_accumulator_value=0.0,
    ):
        checked_settings("Adagrad", epsilon=epsilon, initial_accumulator_value=initial_accumulator_value)
        self._epsilon, self._initial = epsilon, initial_accumulator_value
        self.initial_accumulator_value = initial_accumulator_value
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name)

    def _update(self, param, grad, group):
        moment = self._accumulator("moment", param, self._initial)
        master = self._master(param)
        ops.adagrad_(
            param, grad, moment, self._lr_for(param), master, group.get("epsilon", self._epsilon), master is not None
        )


class Adadelta(Optimizer):
    """Steps by the ratio of the running root mean squares of updates and gradients (Zeiler 2012).

    Args:
        epsilon: Added below both roots.
        rho: Weight of the old means.
    """

    # Kinds of its state tensors.
    _avg_squared_grad_acc_str = "_avg_squared_grad"
    _avg_squared_update_acc_str = "_avg_squared_update"

    def __init__(
        self,
        learning_rate=0.001,
        epsilon=1e-06,
        rho=0.95,
        parameters=None,
        weight_decay=None,
        grad_clip=None,
        name=None,
    ):
        checked_settings("Adadelta", epsilon=epsilon, rho=rho)
        self._epsilon, self._rho = epsilon, rho
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name)

    def _update(self, param, grad, group):
        grads = self._accumulator("_avg_squared_grad", param)
        updates = self._accumulator("_avg_squared_update", param)
        master = self._master(param)
        ops.adadelta_(
            param,
            grad,
            grads,
            updates,
            self._lr_for(param),
            master,
            group.get("rho", self._rho),
            group.get("epsilon", self._epsilon),
            master is not None,
        )


class RMSProp(Optimizer):
    """Steps by the root of a running mean of squares (Tieleman and Hinton 2012).

    Args:
        rho: Weight of the old mean.
        epsilon: Added below the root.
        momentum: Factor on the previous step.
        centered: Take the square of the running mean off.
    """

    # Kinds of its state tensors.
    _momentum_acc_str = "momentum"
    _mean_square_acc_str = "mean_square"
    _mean_grad_acc_str = "mean_grad"

    def __init__(
        self,
        learning_rate,
        rho=0.95,
        epsilon=1e-06,
        momentum=0.0,
        centered=False,
        parameters=None,
        weight_decay=None,
        grad_clip=None,
        name=None,
    ):
        checked_settings("RMSProp", rho=rho, epsilon=epsilon, momentum=momentum)
        self._rho, self._epsilon, self._momentum = rho, epsilon, momentum
        self._centered = centered
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name)

    def _update(self, param, grad, group):
        step = self._accumulator("momentum", param)
        square = self._accumulator("mean_square", param)
        mean = self._accumulator("mean_grad", param)
        master = self._master(param)
        ops.rmsprop_(
            param,
            square,
            grad,
            step,
            self._lr_for(param),
            mean,
            master,
            group.get("epsilon", self._epsilon),
            group.get("rho", self._rho),
            group.get("momentum", self._momentum),
            group.get("centered", self._centered),
            master is not None,
        )


class Adamax(Optimizer):
    """Adam with the infinity norm (Kingma and Ba 2015).

    Args:
        beta1: Weight of the old mean of the gradient.
        beta2: Decay of the norm.
        epsilon: Added to the decayed norm.
    """

    # Kinds of its state tensors.
    _moment_acc_str = "moment"
    _inf_norm_acc_str = "inf_norm"
    _beta1_pow_acc_str = "beta1_pow_acc"

    def __init__(
        self,
        learning_rate=0.001,
        beta1=0.9,
        beta2=0.999,
        epsilon=1e-08,
        parameters=None,
        weight_decay=None,
        grad_clip=None,
        name=None,
    ):
        checked_settings("Adamax", beta1=beta1, beta2=beta2, epsilon=epsilon)
        self._beta1, self._beta2, self._epsilon = beta1, beta2, epsilon
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name)

    def _update(self, param, grad, group):
        beta1 = group.get("beta1", self._beta1)
        moment = self._accumulator("moment", param)
        norm = self._accumulator("inf_norm", param)
        power = self._accumulator("beta1_pow_acc", param, beta1, [1])
        master = self._master(param)
        ops.adamax_(
            param,
            grad,
            self._lr_for(param),
            moment,
            norm,
            power,
            master,
            beta1,
            group.get("beta2", self._beta2),
            group.get("epsilon", self._epsilon),
            master is not None,
        )
        power.scale_(beta1)


class Lamb(Optimizer):
    """Adam's direction scaled to the norm of each parameter (You et al. 2020).

    Args:
        lamb_weight_decay: Factor of the decay that is added to the direction.
        beta1: Weight of the old mean of the gradient.
        beta2: Weight of the old mean of the square.
        epsilon: Added to the root of the second mean.
        exclude_from_weight_decay_fn: A function of a parameter; True leaves it undecayed.
        multi_precision: Update half-precision parameters through float32 copies.
        always_adapt: Scale to the norm without decay too.
    """

    # Kinds of its state tensors.
    _moment1_acc_str = "moment1"
    _moment2_acc_str = "moment2"
    _beta1_pow_acc_str = "beta1_pow_acc"
    _beta2_pow_acc_str = "beta2_pow_acc"

    def __init__(
        self,
        learning_rate=0.001,
        lamb_weight_decay=0.01,
        beta1=0.9,
        beta2=0.999,
        epsilon=1e-06,
        parameters=None,
        grad_clip=None,
        exclude_from_weight_decay_fn=None,
        multi_precision=False,
        always_adapt=False,
        name=None,
    ):
        checked_settings("Lamb", beta1=beta1, beta2=beta2, epsilon=epsilon)
        self._multi_precision = multi_precision
        self._lamb_weight_decay, self.always_adapt = lamb_weight_decay, always_adapt
        self._beta1, self._beta2, self._epsilon = beta1, beta2, epsilon
        self._exclude_from_weight_decay_fn = exclude_from_weight_decay_fn
        super().__init__(learning_rate, parameters, None, grad_clip, name)

    def _update(self, param, grad, group):
        beta1, beta2 = group.get("beta1", self._beta1), group.get("beta2", self._beta2)
        moment1 = self._accumulator("moment1", param)
        moment2 = self._accumulator("moment2", param)
        wide = _core.float64 if param.dtype == _core.float64 else _core.float32
        power1 = self._accumulator("beta1_pow_acc", param, beta1, [1], wide)
        power2 = self._accumulator("beta2_pow_acc", param, beta2, [1], wide)
        excluded = self._exclude_from_weight_decay_fn
        decay = group.get("lamb_weight_decay", self._lamb_weight_decay)
        if excluded is not None and excluded(param):
            decay = 0.0
        master = self._master(param)
        ops.lamb_(
            param,
            grad,
            self._lr_for(param),
            moment1,
            moment2,
            power1,
            power2,
            master,
            None,
            decay,
            beta1,
            beta2,
            group.get("epsilon", self._epsilon),
            self.always_adapt,
            master is not None,
        )


class NAdam(Optimizer):
    """Adam with Nesterov momentum (Dozat 2016).

    Args:
        beta1: Weight of the old mean of the gradient.
        beta2: Weight of the old mean of the square.
        epsilon: Added to the root of the second mean.
        momentum_decay: Exponent of the momentum's schedule.
    """

    # Kinds of its state tensors.
    _moment1_acc_str = "moment1"
    _moment2_acc_str = "moment2"
    _beta2_pow_acc_str = "beta2_pow"
    _momentum_decay_pow_acc_str = "momentum_decay_pow"
    _mu_product_acc_str = "mu_product"

    def __init__(
        self,
        learning_rate=0.002,
        beta1=0.9,
        beta2=0.999,
        epsilon=1e-08,
        momentum_decay=0.004,
        parameters=None,
        weight_decay=None,
        grad_clip=None,
        name=None,
    ):
        checked_settings("NAdam", beta1=beta1, beta2=beta2, epsilon=epsilon)
        self._beta1, self._beta2, self._epsilon = beta1, beta2, epsilon
        if not 0 <= momentum_decay:
            raise ValueError(f"NAdam: momentum_decay has value {momentum_decay}; it must be at least 0.")
        self._momentum_decay = momentum_decay
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name)

    def _update(self, param, grad, group):
        master = self._master(param)
        ops.nadam_(
            param,
            grad,
            self._lr_for(param),
            self._accumulator("momentum_decay_pow", param, 1.0),
            self._accumulator("beta2_pow", param, 1.0),
            self._accumulator("mu_product", param, 1.0),
            self._accumulator("moment1", param),
            self._accumulator("moment2", param),
            master,
            group.get("beta1", self._beta1),
            group.get("beta2", self._beta2),
            group.get("epsilon", self._epsilon),
            group.get("momentum_decay", self._momentum_decay),
            master is not None,
        )


class RAdam(Optimizer):
    """Adam with a rectified variance (Liu et al. 2020).

    Args:
        beta1: Weight of the old mean of the gradient.
        beta2: Weight of the old mean of the square.
        epsilon: Added to the root of the second mean.
    """

    # Kinds of its state tensors.
    _moment1_acc_str = "moment1"
    _moment2_acc_str = "moment2"
    _beta1_pow_acc_str = "beta1_pow"
    _beta2_pow_acc_str = "beta2_pow"
    _rho_acc_str = "rho"

    def __init__(
        self,
        learning_rate=0.001,
        beta1=0.9,
        beta2=0.999,
        epsilon=1e-08,
        parameters=None,
        weight_decay=None,
        grad_clip=None,
        name=None,
    ):
        checked_settings("RAdam", beta1=beta1, beta2=beta2, epsilon=epsilon)
        self._beta1, self._beta2, self._epsilon = beta1, beta2, epsilon
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name)

    def _update(self, param, grad, group):
        master = self._master(param)
        ops.radam_(
            param,
            grad,
            self._lr_for(param),
            self._accumulator("beta1_pow", param, 1.0),
            self._accumulator("beta2_pow", param, 1.0),
            self._accumulator("rho", param, 0.0),
            self._accumulator("moment1", param),
            self._accumulator("moment2", param),
            master,
            group.get("beta1", self._beta1),
            group.get("beta2", self._beta2),
            group.get("epsilon", self._epsilon),
            master is not None,
        )


class ASGD(Optimizer):
    """Steps by the mean of the latest gradient of each batch (Le Roux et al. 2012).

    Args:
        batch_num: Number of batches that the data is cut into.
        multi_precision: Update half-precision parameters through float32 copies.
    """

    # Kinds of its state tensors.
    _d_acc_str = "d"
    _y_acc_str = "y"
    _m_acc_str = "m"

    def __init__(
        self,
        learning_rate=0.001,
        batch_num=1,
        parameters=None,
        weight_decay=None,
        grad_clip=None,
        multi_precision=False,
        name=None,
    ):
        if batch_num is None or batch_num <= 0:
            raise ValueError(f"ASGD: batch_num has value {batch_num}; it must be at least 1.")
        self._multi_precision, self._batches = multi_precision, int(batch_num)
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name)

    def _update(self, param, grad, group):
        total = self._accumulator("d", param)
        latest = self._accumulator("y", param, shape=[self._batches, *param.shape])
        count = self._accumulator("m", param, shape=[1], dtype="int64")
        if captures() and self._batches > 1:
            place = ops.remainder(count, ops.full([1], self._batches, count.dtype, count.place))
            row = ops.reshape(ops.gather(latest, place), param.shape)
            used = ops.clip(ops.cast(count, total.dtype) + 1.0, 1.0, float(self._batches))
        else:
            place = None
            seen = int(count.item()) if self._batches > 1 else 0
            row = latest[seen % self._batches]
            used = ops.full([1], float(min(seen + 1, self._batches)), total.dtype, total.place)
        master = self._master(param)
        ops.asgd_(param, grad, self._lr_for(param), total, row, used, master, master is not None)
        if place is not None:
            write(latest, ops.scatter(latest, place, ops.reshape(row, [1, *param.shape])))
        count.add_(ops.full([1], 1, count.dtype, count.place))


class Rprop(Optimizer):
    """Steps by the sign of the gradient, with rates that grow while it keeps (Riedmiller and Braun
    1993).

    Args:
        learning_rate: What the rates start from.
        learning_rate_range: The smallest and the largest rate.
        etas: Factors on a rate when the sign changes and when it keeps.
        multi_precision: Update half-precision parameters through float32 copies.
    """

    # Kinds of its state tensors.
    _prevs_acc_str = "prevs"
    _learning_rates_acc_str = "learning_rates"

    def __init__(
        self,
        learning_rate=0.001,
        learning_rate_range=(1e-05, 50),
        parameters=None,
        etas=(0.5, 1.2),
        grad_clip=None,
        multi_precision=False,
        name=None,
    ):
        low, high = learning_rate_range
        first = learning_rate if isinstance(learning_rate, float) else low
        if not 0.0 < low <= first <= high:
            raise ValueError(
                f"Rprop: learning_rate_range has value {learning_rate_range} and learning_rate {first}; it must be "
                f"0 < low <= learning_rate <= high."
            )
        if not 0.0 < etas[0] < 1.0 < etas[1]:
            raise ValueError(f"Rprop: etas has value {etas}; it must be 0 < etas[0] < 1 < etas[1].")
        self._multi_precision = multi_precision
        self._range, self._etas = [float(low), float(high)], [float(e) for e in etas]
        self._first_rate = learning_rate if isinstance(learning_rate, float) else None
        super().__init__(learning_rate, parameters, None, grad_clip, name)

    def _update(self, param, grad, group):
        previous = self._accumulator("prevs", param)
        first = self.get_lr() if self._first_rate is None else self._first_rate
        rates = self._accumulator("learning_rates", param, first)
        master = self._master(param)
        ops.rprop_(
            param,
            grad,
            previous,
            rates,
            master,
            _core.to_tensor(self._range, dtype=rates.dtype, place=rates.place),
            _core.to_tensor(self._etas, dtype=rates.dtype, place=rates.place),
            master is not None,
        )
