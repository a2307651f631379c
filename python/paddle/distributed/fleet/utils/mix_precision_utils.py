# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Mixed precision with float32 gradients beside low-precision parameters."""

from ....nn.layer.layers import Layer


class MixPrecisionLayer(Layer):
    """A low-precision model whose parameters accumulate `main_grad` in float32.

    Args:
        layers: The model.
        dtype: 'float16' or 'bfloat16'.
    """

    def __init__(self, layers, dtype="float16"):
        super().__init__(layers.full_name() + "_mp")
        if dtype not in ("float16", "bfloat16"):
            raise ValueError(f"MixPrecisionLayer: dtype has value {dtype!r}; it must be 'float16' or 'bfloat16'.")
        self._layers = layers
        self._dtype = dtype
        for parameter in layers.parameters():
            if parameter.stop_gradient:
                continue
            parameter.main_grad = None
            parameter.register_hook(_accumulate_into(parameter))

    def forward(self, *inputs, **kwargs):
        """Call the model."""
        return self._layers(*inputs, **kwargs)

    def state_dict(self, *args, **kwargs):
        """State of the model."""
        return self._layers.state_dict(*args, **kwargs)

    def set_state_dict(self, *args, **kwargs):
        """Load a state of the model."""
        return self._layers.set_state_dict(*args, **kwargs)


def _accumulate_into(parameter):
    def hook(gradient):
        fresh = gradient.detach().astype("float32")
        parameter.main_grad = fresh if parameter.main_grad is None else parameter.main_grad + fresh
        return gradient

    return hook


class MixPrecisionOptimizer:
    """An optimizer that steps with `main_grad`.

    Args:
        optimizer: The optimizer; it should be multi-precision.
    """

    def __init__(self, optimizer):
        self._inner_opt = optimizer

    def step(self):
        """Update the parameters from their float32 gradients."""
        for parameter in self._inner_opt._parameter_list:
            if getattr(parameter, "main_grad", None) is not None:
                parameter.grad = parameter.main_grad.astype(parameter.dtype)
        self._inner_opt.step()

    def clear_grad(self, set_to_zero=True):
        """Forget both gradients."""
        for parameter in self._inner_opt._parameter_list:
            if hasattr(parameter, "main_grad"):
                parameter.main_grad = None
        self._inner_opt.clear_grad()

    def __getattr__(self, name):
        return getattr(self._inner_opt, name)


class MixPrecisionScaler:
    """A GradScaler beside a `MixPrecisionOptimizer`; it has the scaler's methods.

    Args:
        scaler: The scaler.
    """

    def __init__(self, scaler):
        self._inner_scaler = scaler

    def __getattr__(self, name):
        return getattr(self._inner_scaler, name)
