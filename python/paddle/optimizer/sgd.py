# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`SGD` and `Momentum`."""

from .. import _core
from ..framework.checked_numbers import real
from ..regularizer import L2Decay
from .optimizer import Optimizer

ops = _core.ops


class SGD(Optimizer):
    """Stochastic gradient descent: param -= lr * grad.

    Args:
        learning_rate: A number or an LRScheduler.
        parameters: The parameters, or dicts of groups with settings of their own; None only in static programs.
        weight_decay: A number for L2 decay, or a regularizer.
        grad_clip: A ClipGradBy... object, or None.
        multi_precision: Whether 16-bit parameters have a float32 copy.
        name: Unused.

    Example:
        >>> weight = paddle.create_parameter([1], "float32")
        >>> weight.set_value(paddle.ones([1]))
        >>> sgd = paddle.optimizer.SGD(0.25, parameters=[weight])
        >>> (weight * 2).sum().backward()
        >>> sgd.step()
        >>> weight.tolist()
        [0.5]
    """

    def __init__(
        self,
        learning_rate=0.001,
        parameters=None,
        weight_decay=None,
        grad_clip=None,
        multi_precision=False,
        name=None,
    ):
        self._multi_precision = multi_precision
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name)

    def _update(self, param, grad, group):
        master = self._master(param)
        ops.sgd_(param, self._lr_for(param), grad, master, master is not None)


class Momentum(Optimizer):
    """velocity = momentum * velocity + grad; param -= lr * velocity.

    Args:
        momentum: The factor.
        use_nesterov: param -= lr * (grad + momentum * velocity).
        rescale_grad: A factor on the gradients.

    Example:
        >>> weight = paddle.create_parameter([1], "float32")
        >>> weight.set_value(paddle.ones([1]))
        >>> optimizer = paddle.optimizer.Momentum(0.25, momentum=0.5, parameters=[weight])
        >>> for _ in range(2):
        ...     (weight * 2).sum().backward()
        ...     optimizer.step()
        ...     optimizer.clear_grad()
        >>> weight.tolist()  # 1 - 0.25 * 2 - 0.25 * (0.5 * 2 + 2)
        [-0.25]
    """

    # Kinds of its state tensors.
    _velocity_acc_str = "velocity"

    def __init__(
        self,
        learning_rate=0.001,
        momentum=0.9,
        parameters=None,
        use_nesterov=False,
        weight_decay=None,
        grad_clip=None,
        multi_precision=False,
        rescale_grad=1.0,
        use_multi_tensor=False,
        name=None,
    ):
        if momentum is None:
            raise ValueError("Momentum: momentum is None; pass a number.")
        self._multi_precision = multi_precision
        self._momentum, self._use_nesterov = real("Momentum", "momentum", momentum), bool(use_nesterov)
        self._rescale_grad = real("Momentum", "rescale_grad", rescale_grad)
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name)

    def _own_l2(self, param, group):
        """The L2 factor that the operator applies itself."""
        if getattr(param, "regularizer", None) is not None:
            return None
        rule = group.get("_regularizer", self.regularization)
        return rule._coeff if isinstance(rule, L2Decay) else None

    def _decayed(self, param, grad, group):
        if self._own_l2(param, group) is not None:
            return grad
        return super()._decayed(param, grad, group)

    def _update(self, param, grad, group):
        master = self._master(param)
        coeff = self._own_l2(param, group)
        ops.momentum_(
            param,
            grad,
            self._accumulator("velocity", param),
            self._lr_for(param),
            master,
            group.get("momentum", self._momentum),
            group.get("use_nesterov", self._use_nesterov),
            "" if coeff is None else "l2_decay",
            0.0 if coeff is None else coeff,
            master is not None,
            self._rescale_grad,
        )
