# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`GradScaler`: scales the loss so that float16 gradients do not vanish."""

import enum
import sys

from .. import _core
from ..framework.memory import write

ops = _core.ops


def _captures():
    capturing = sys.modules.get("paddle.jit.capturing")
    return capturing is not None and capturing.in_capture()


class _Kept:
    """A count or flag of a scaler; from its first use in a captured function on it is kept as a tensor, which programs
    read and write."""

    def __init__(self, dtype):
        self._dtype = dtype

    def __set_name__(self, owner, name):
        self._name = name

    def __get__(self, scaler, owner=None):
        if scaler is None:
            return self
        value = self._tensor(scaler) if _captures() else scaler.__dict__[self._name]
        return value if _captures() or not isinstance(value, _core.Tensor) else value.item()

    def __set__(self, scaler, value):
        kept = self._tensor(scaler) if _captures() else scaler.__dict__.get(self._name)
        if isinstance(kept, _core.Tensor):
            write(kept, value if isinstance(value, _core.Tensor) else ops.full([], value, self._dtype))
        else:
            scaler.__dict__[self._name] = value

    def _tensor(self, scaler):
        value = scaler.__dict__[self._name]
        if not isinstance(value, _core.Tensor):
            with _core.pir.Suspended():
                value = scaler.__dict__[self._name] = ops.full([], value, self._dtype)
        return value


def _converted(method):
    """A method whose branches are on tensors in a captured function."""
    method._paddle_converted = True
    return method


class OptimizerState(enum.Enum):
    """How far a step of an optimizer under a GradScaler has come."""

    INIT = 0
    UNSCALED = 1
    STEPPED = 2


class AmpScaler:
    """Scales losses, unscales gradients, and skips steps whose gradients are not finite.

    Args:
        enable: False passes everything through.
        init_loss_scaling: The first factor.
        incr_ratio: Factor on the scale after enough good steps.
        decr_ratio: Factor on the scale after bad steps.
        incr_every_n_steps: Good steps until the scale grows.
        decr_every_n_nan_or_inf: Bad steps until the scale shrinks.
        use_dynamic_loss_scaling: False keeps the scale.
    """

    _incr_count, _decr_count = _Kept(_core.int64), _Kept(_core.int64)
    _found_inf, _cache_founf_inf = (
        _Kept(_core.bool),
        _Kept(_core.bool),
    )  # the second, as trainers spell it: in the last step
    _agreed = None  # In a job of several processes: from what this one found to what any of them did.

    def __init__(
        self,
        enable=True,
        init_loss_scaling=32768.0,
        incr_ratio=2.0,
        decr_ratio=0.5,
        incr_every_n_steps=1000,
        decr_every_n_nan_or_inf=1,
        use_dynamic_loss_scaling=True,
    ):
        if incr_ratio <= 1.0:
            raise _core.ArgumentValueError(
                f"{type(self).__name__}: incr_ratio has value {incr_ratio}; it must exceed 1."
            )
        if not decr_ratio < 1.0:
            raise _core.ArgumentValueError(
                f"{type(self).__name__}: decr_ratio has value {decr_ratio}; it must be below 1."
            )
        self._enable = enable
        self._init_loss_scaling = float(init_loss_scaling) if enable else 1.0
        self._scale = ops.full([], self._init_loss_scaling, _core.float32)
        self._incr_ratio, self._decr_ratio = incr_ratio, decr_ratio
        self._incr_every_n_steps = incr_every_n_steps
        self._decr_every_n_nan_or_inf = decr_every_n_nan_or_inf
        self._use_dynamic_loss_scaling = use_dynamic_loss_scaling and enable
        self._incr_count = self._decr_count = 0
        self._found_inf = self._cache_founf_inf = False
        self._states = {}  # id of an optimizer -> OptimizerState

    def scale(self, var):
        """The loss times the scale; its gradients are then large enough for float16.

        Args:
            var: The loss.

        Returns:
            A Tensor; `var` itself when the scaler is not enabled.
        """
        if not self._enable:
            return var
        if var.dtype == _core.float32:
            return var * self._scale
        return ops.cast(ops.cast(var, _core.float32) * self._scale, var.dtype)

    def unscale_(self, optimizer):
        """Divide the gradients of an optimizer by the scale, once per step: to clip them before it.

        Args:
            optimizer: The Optimizer of the parameters.

        Raises:
            RuntimeError: They were unscaled since the last `update`.
        """
        if not self._enable:
            return
        if self._states.get(id(optimizer)) is OptimizerState.UNSCALED:
            raise RuntimeError("unscale_: the gradients of this optimizer are unscaled already; call update() first.")
        if _captures():
            sys.modules["paddle.jit.capturing"].watch_scaler(self)
        self._states[id(optimizer)] = OptimizerState.UNSCALED
        previous = _core.set_grad_enabled(False)
        try:
            finite, factor = [], 1.0 / self._scale
            for p in optimizer._parameter_list:
                grad = None if p.stop_gradient else p.grad
                if grad is not None:
                    write(grad, ops.cast(grad, _core.float32) * factor)
                    finite.append(ops.all(ops.isfinite(grad)))
            if finite and _captures():
                self._found_inf = ops.logical_or(self._found_inf, ops.logical_not(ops.all(ops.stack(finite, 0))))
            elif finite and not bool(ops.all(ops.stack(finite, 0))):
                self._found_inf = True
            if self._agreed is not None:
                self._found_inf = self._agreed(self._found_inf)
        finally:
            _core.set_grad_enabled(previous)

    @_converted
    def step(self, optimizer):
        """Take the scale out of the gradients, and let the optimizer step unless one of them is not finite.

        Args:
            optimizer: The Optimizer of the parameters.
        """
        if not self._enable:
            return optimizer.step()
        if id(optimizer) not in self._states:
            self.unscale_(optimizer)
        self._cache_founf_inf = self._found_inf
        if not self._found_inf:
            optimizer.step()

    @_converted
    def update(self):
        """Adapt the scale to the steps since the last update."""
        if not self._enable:
            return
        if self._use_dynamic_loss_scaling:
            if self._found_inf:
                self._incr_count, self._decr_count = 0, self._decr_count + 1
                if self._decr_count == self._decr_every_n_nan_or_inf:
                    write(self._scale, ops.clip(self._scale * self._decr_ratio, 1.0, float("inf")))
                    self._decr_count = 0
            else:
                self._decr_count, self._incr_count = 0, self._incr_count + 1
                if self._incr_count == self._incr_every_n_steps:
                    write(self._scale, self._scale * self._incr_ratio)
                    self._incr_count = 0
        self._found_inf = False
        self._states.clear()

    @_converted
    def minimize(self, optimizer, *args, **kwargs):
        """`step` and `update`."""
        if not self._enable:
            return optimizer.minimize(*args, **kwargs)
        result = (None, None)
        if id(optimizer) not in self._states:
            self.unscale_(optimizer)
        if not self._found_inf:
            result = optimizer.minimize(*args, **kwargs)
        self.update()
        return result

    def is_enable(self):
        """Whether losses are scaled."""
        return self._enable

    def is_use_dynamic_loss_scaling(self):
        """Whether the scale adapts."""
        return self._use_dynamic_loss_scaling

    def get_incr_ratio(self):
        """The factor by which the scale grows."""
        return self._incr_ratio

    def set_incr_ratio(self, new_incr_ratio):
        """Set the factor by which the scale grows, above 1."""
        if new_incr_ratio <= 1.0:
            raise _core.ArgumentValueError(
                f"set_incr_ratio: new_incr_ratio has value {new_incr_ratio}; it must exceed 1."
            )
        self._incr_ratio = new_incr_ratio

    def get_decr_ratio(self):
        """The factor by which the scale shrinks."""
        return self._decr_ratio

    def set_decr_ratio(self, new_decr_ratio):
        """Set the factor by which the scale shrinks, below 1."""
        if not new_decr_ratio < 1.0:
            raise _core.ArgumentValueError(
                f"set_decr_ratio: new_decr_ratio has value {new_decr_ratio}; it must be below 1."
            )
        self._decr_ratio = new_decr_ratio

    def get_incr_every_n_steps(self):
        """Good steps until the scale grows."""
        return self._incr_every_n_steps

    def set_incr_every_n_steps(self, new_incr_every_n_steps):
        """Set the number of good steps until the scale grows."""
        self._incr_every_n_steps = new_incr_every_n_steps

    def get_decr_every_n_nan_or_inf(self):
        """Bad steps until the scale shrinks."""
        return self._decr_every_n_nan_or_inf

    def set_decr_every_n_nan_or_inf(self, new_decr_every_n_nan_or_inf):
        """Set the number of bad steps until the scale shrinks."""
        self._decr_every_n_nan_or_inf = new_decr_every_n_nan_or_inf

    def get_init_loss_scaling(self):
        """The first scale."""
        return self._init_loss_scaling

    def set_init_loss_scaling(self, new_init_loss_scaling):
        """Set the scale."""
        self._init_loss_scaling = float(new_init_loss_scaling)
        write(self._scale, ops.full([], self._init_loss_scaling, _core.float32))

    def state_dict(self):
        """The state as a dict; empty when not enabled."""
        if not self._enable:
            return {}
        import numpy

        return {
            "scale": numpy.array([self._scale.item()], dtype="float32"),
            "incr_ratio": self._incr_ratio,
            "decr_ratio": self._decr_ratio,
            "incr_every_n_steps": self._incr_every_n_steps,
            "decr_every_n_nan_or_inf": self._decr_every_n_nan_or_inf,
            "incr_count": self._incr_count,
            "decr_count": self._decr_count,
            "use_dynamic_loss_scaling": self._use_dynamic_loss_scaling,
        }

    def load_state_dict(self, state_dict):
        """Take the state from a dict."""
        if not self._enable:
            return
        if not state_dict:
            raise RuntimeError("load_state_dict: the state is empty; it may come from a disabled GradScaler.")
        scale = state_dict["scale"]
        self.set_init_loss_scaling(scale.reshape([-1])[0] if hasattr(scale, "reshape") else scale)
        for key in (
            "incr_ratio",
            "decr_ratio",
            "incr_every_n_steps",
            "decr_every_n_nan_or_inf",
            "incr_count",
            "decr_count",
            "use_dynamic_loss_scaling",
        ):
            setattr(self, "_" + key, state_dict[key])

    set_state_dict = load_state_dict


class GradScaler(AmpScaler):
    """`AmpScaler` with other defaults: scales losses, unscales gradients, and skips steps whose gradients are not finite.

    Args:
        enable: False passes everything through.
        init_loss_scaling: The first factor.
        incr_ratio: Factor on the scale after enough good steps.
        decr_ratio: Factor on the scale after bad steps.
        incr_every_n_steps: Good steps until the scale grows.
        decr_every_n_nan_or_inf: Bad steps until the scale shrinks.
        use_dynamic_loss_scaling: False keeps the scale.

    Example:
        >>> layer = paddle.nn.Linear(2, 1)
        >>> optimizer = paddle.optimizer.SGD(0.1, parameters=layer.parameters())
        >>> scaler = paddle.amp.GradScaler(init_loss_scaling=1024.0)
        >>> with paddle.amp.auto_cast(dtype="float16"):
        ...     loss = layer(paddle.ones([4, 2])).mean()
        >>> scaler.scale(loss).backward()
        >>> scaler.step(optimizer)
        >>> scaler.update()
        >>> optimizer.clear_grad()
    """

    def __init__(
        self,
        enable=True,
        init_loss_scaling=65536.0,
        incr_ratio=2.0,
        decr_ratio=0.5,
        incr_every_n_steps=2000,
        decr_every_n_nan_or_inf=1,
        use_dynamic_loss_scaling=True,
    ):
        super().__init__(
            enable,
            init_loss_scaling,
            incr_ratio,
            decr_ratio,
            incr_every_n_steps,
            decr_every_n_nan_or_inf,
            use_dynamic_loss_scaling,
        )
