# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`Adam` (Kingma and Ba 2015) and `AdamW` (Loshchilov and Hutter 2019)."""

from .. import _core
from ..framework.checked_numbers import check_real
from .optimizer import Optimizer

ops = _core.ops


def checked_settings(op, **values):
    """Raise an error that is a ValueError and an AssertionError unless every number is given, not negative, and below 1 where it is a beta."""
    for name, value in values.items():
        if value is not None:
            check_real(op, **{name: value})
        number = float(value.item()) if isinstance(value, _core.Tensor) else value
        if number is None or not 0 <= number or (name.startswith("beta") and number >= 1):
            limit = "in [0, 1)" if name.startswith("beta") else "at least 0"
            raise _core.ArgumentValueError(f"{op}: {name} has value {number}; it must be {limit}.")


class _Adam(Optimizer):
    """The state that Adam and AdamW share: means of the gradient and its square, and powers of their weights."""

    # Kinds of its state tensors.
    _moment1_acc_str = "moment1"
    _moment2_acc_str = "moment2"
    _beta1_pow_acc_str = "beta1_pow_acc"
    _beta2_pow_acc_str = "beta2_pow_acc"
    _moment2_acc_max_str = "moment2_max"

    def __init__(
        self,
        learning_rate,
        beta1,
        beta2,
        epsilon,
        parameters,
        weight_decay,
        grad_clip,
        lazy_mode,
        multi_precision,
        amsgrad,
        name,
    ):
        checked_settings(type(self).__name__, beta1=beta1, beta2=beta2, epsilon=epsilon)
        self._multi_precision = multi_precision
        self._beta1, self._beta2, self._epsilon = beta1, beta2, epsilon
        self._lazy_mode, self._amsgrad = lazy_mode, amsgrad
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name)

    def _state(self, param, beta1, beta2):
        name, tables = param.name, self._accumulators
        try:
            return (
                tables["moment1"][name],
                tables["moment2"][name],
                tables["moment2_max"][name] if self._amsgrad else None,
                tables["beta1_pow_acc"][name],
                tables["beta2_pow_acc"][name],
            )
        except KeyError:
            return self._make_state(param, beta1, beta2)

    def _make_state(self, param, beta1, beta2):
        dtype = _core.float32 if param.dtype.name in ("float16", "bfloat16") else param.dtype
        moment1 = self._accumulator("moment1", param, dtype=dtype)
        moment2 = self._accumulator("moment2", param, dtype=dtype)
        largest = None
        if self._amsgrad:
            largest = self._accumulator("moment2_max", param, dtype=dtype)
        power1 = self._accumulator("beta1_pow_acc", param, beta1, [1], dtype)
        power2 = self._accumulator("beta2_pow_acc", param, beta2, [1], dtype)
        return moment1, moment2, largest, power1, power2

    def _add_moments_pows(self, p):
        """Make the state of a parameter, or of its float32 copy."""
        self._state(p, self._setting({}, "beta1"), self._setting({}, "beta2"))

    def _create_accumulators(self, block, parameters):
        for p in parameters:
            if p.name not in self._already_create_accumulator:
                self._add_moments_pows(p)
                self._already_create_accumulator.add(p.name)

    def _setting(self, group, name):
        value = group.get(name, getattr(self, "_" + name))
        return float(value.item()) if isinstance(value, _core.Tensor) else value

    def _settings(self, group):
        return tuple(self._setting(group, name) for name in ("beta1", "beta2", "epsilon"))

    def _update_each(self, pairs, group):
        settings = self._settings(group)
        for param, grad in pairs:
            self._update(param, self._decayed(param, grad, group), group, settings)

    def _is_lazy(self, param):
        return self._lazy_mode and getattr(param, "_sparse_rows", False)


class Adam(_Adam):
    """Adam (Kingma and Ba 2015): steps by running means of the gradient and of its square.

    m = beta1 m + (1 - beta1) g, v = beta2 v + (1 - beta2) g^2; with t the number of the step, the parameter moves by
    -learning_rate sqrt(1 - beta2^t) / (1 - beta1^t) m / (sqrt(v) + epsilon sqrt(1 - beta2^t)).

    Args:
        learning_rate: A number or an LRScheduler.
        beta1: Weight of the old mean of the gradient.
        beta2: Weight of the old mean of the square.
        epsilon: Added to the root of the second mean.
        parameters: The parameters, or groups of them as dicts with settings of their own.
        weight_decay: A number or an L2Decay whose term is added to the gradient, or an L1Decay.
        grad_clip: A ClipGradByGlobalNorm, ClipGradByNorm or ClipGradByValue.
        lazy_mode: Leave rows of a table that the step did not look up as they are; for tables of
            `Embedding(sparse=True)`.
        multi_precision: Update half-precision parameters through float32 copies.
        amsgrad: Divide by the largest second mean so far.

    Example:
        >>> model = paddle.nn.Linear(2, 1)
        >>> optimizer = paddle.optimizer.Adam(1e-2, parameters=model.parameters())
        >>> model(paddle.ones([4, 2])).mean().backward()
        >>> optimizer.step()
        >>> optimizer.clear_grad()
    """

    def __init__(
        self,
        learning_rate=0.001,
        beta1=0.9,
        beta2=0.999,
        epsilon=1e-08,
        parameters=None,
        weight_decay=None,
        grad_clip=None,
        lazy_mode=False,
        multi_precision=False,
        use_multi_tensor=False,
        amsgrad=False,
        name=None,
    ):
        super().__init__(
            learning_rate,
            beta1,
            beta2,
            epsilon,
            parameters,
            weight_decay,
            grad_clip,
            lazy_mode,
            multi_precision,
            amsgrad,
            name,
        )

    def _update(self, param, grad, group, settings=None):
        master = self._master(param)
        beta1, beta2, epsilon = settings or self._settings(group)
        moment1, moment2, largest, power1, power2 = self._state(param, beta1, beta2)
        ops.adam_(
            param,
            grad,
            self._lr_for(param),
            moment1,
            moment2,
            largest,
            power1,
            power2,
            master,
            None,
            beta1,
            beta2,
            epsilon,
            lazy_mode=self._is_lazy(param),
            multi_precision=master is not None,
            amsgrad=self._amsgrad,
        )


class AdamW(_Adam):
    """Adam with decay applied to the parameters themselves (Loshchilov and Hutter 2019).

    Args:
        learning_rate, beta1, beta2, epsilon, parameters, grad_clip, lazy_mode, multi_precision, amsgrad: As for `Adam`.
        weight_decay: The factor; param -= lr * weight_decay * param before each step.
        lr_ratio: A function of a parameter that gives a factor on its learning rate.
        apply_decay_param_fun: A function of a name; False leaves the parameter undecayed.

    Example:
        >>> model = paddle.nn.Linear(2, 1)
        >>> optimizer = paddle.optimizer.AdamW(
        ...     1e-2, parameters=model.parameters(), weight_decay=0.1, apply_decay_param_fun=lambda name: "b_0" not in name
        ... )
        >>> model(paddle.ones([4, 2])).mean().backward()
        >>> optimizer.step()
    """

    def __init__(
        self,
        learning_rate=0.001,
        beta1=0.9,
        beta2=0.999,
        epsilon=1e-08,
        parameters=None,
        weight_decay=0.01,
        use_lowprecision_moment=False,
        lr_ratio=None,
        apply_decay_param_fun=None,
        grad_clip=None,
        lazy_mode=False,
        multi_precision=False,
        amsgrad=False,
        name=None,
    ):
        if not isinstance(weight_decay, (float, int, _core.Tensor)):
            raise TypeError(f"AdamW: weight_decay has type {type(weight_decay).__name__}; it must be a number.")
        self._coeff = weight_decay
        self._lr_ratio, self._apply_decay_param_fun = lr_ratio, apply_decay_param_fun
        super().__init__(
            learning_rate,
            beta1,
            beta2,
            epsilon,
            parameters,
            None,
            grad_clip,
            lazy_mode,
            multi_precision,
            amsgrad,
            name,
        )

    def _decayed(self, param, grad, group):
        return super()._decayed(param, grad, {})

    def _update(self, param, grad, group, settings=None):
        master = self._master(param)
        beta1, beta2, epsilon = settings or self._settings(group)
        moment1, moment2, largest, power1, power2 = self._state(param, beta1, beta2)
        coeff = group.get("weight_decay", self._coeff)
        coeff = float(coeff.item()) if isinstance(coeff, _core.Tensor) else float(coeff)
        wanted = self._apply_decay_param_fun
        decays = wanted is None or bool(wanted(param.name))
        ratio = 1.0 if self._lr_ratio is None else float(self._lr_ratio(param))
        ops.adamw_(
            param,
            grad,
            self._lr_for(param),
            moment1,
            moment2,
            largest,
            power1,
            power2,
            master,
            None,
            beta1,
            beta2,
            epsilon,
            lr_ratio=ratio,
            coeff=coeff,
            with_decay=decays and coeff != 0.0,
            lazy_mode=self._is_lazy(param),
            multi_precision=master is not None,
            amsgrad=self._amsgrad,
        )

    def sharded_state_dict(self, model_sharded_state_dict):
        """The state as `ShardedWeight`s, named after the parameters of the model: 'linear.weight.moment1_0'.

        Args:
            model_sharded_state_dict: What `Layer.sharded_state_dict` of the model gives.

        Returns:
            name -> ShardedWeight; float32 copies of parameters are '<parameter>.w_0'.

        Raises:
            KeyError: The state belongs to a parameter that the model does not have.
        """
        from ..distributed.flex_checkpoint.dcp.sharded_weight import shard_optimizer_state

        return shard_optimizer_state(self._accumulators, self._master_weights, model_sharded_state_dict)
