# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""In-place initialisation of tensors, in the spelling of `torch.nn.init`."""

from . import initializer as _initializer
from .initializer import calculate_gain

__all__ = [
    "calculate_gain",
    "constant_",
    "dirac_",
    "eye_",
    "kaiming_normal_",
    "kaiming_uniform_",
    "normal_",
    "ones_",
    "orthogonal_",
    "trunc_normal_",
    "uniform_",
    "xavier_normal_",
    "xavier_uniform_",
    "zeros_",
]


def _write(initializer, tensor):
    initializer(tensor)
    return tensor


def constant_(tensor, val):
    """Set every element to `val`."""
    return _write(_initializer.Constant(val), tensor)


def zeros_(tensor):
    """Set every element to 0."""
    return _write(_initializer.Constant(0.0), tensor)


def ones_(tensor):
    """Set every element to 1."""
    return _write(_initializer.Constant(1.0), tensor)


def normal_(tensor, mean=0.0, std=1.0):
    """Draw every element from the normal distribution.

    Args:
        tensor: A Tensor, written in place.
        mean: Of the distribution.
        std: Its standard deviation.

    Returns:
        The tensor.
    """
    return _write(_initializer.Normal(mean, std), tensor)


def uniform_(tensor, a=0.0, b=1.0):
    """Draw every element from the uniform distribution on [a, b).

    Args:
        tensor: A Tensor, written in place.
        a: The least value.
        b: The end of the range.

    Returns:
        The tensor.
    """
    return _write(_initializer.Uniform(a, b), tensor)


def trunc_normal_(tensor, mean=0.0, std=1.0, a=-2.0, b=2.0):
    """Draw every element from the normal distribution, cut off at `a` and `b`.

    Args:
        tensor: A Tensor, written in place.
        mean: Of the distribution.
        std: Its standard deviation.
        a: The least value.
        b: The greatest value.

    Returns:
        The tensor.
    """
    return _write(_initializer.TruncatedNormal(mean, std, a, b), tensor)


def orthogonal_(tensor, gain=1):
    """Make the rows (or columns, of which there are fewer) orthonormal, times `gain`.

    Args:
        tensor: A Tensor, written in place, of at least two axes; those behind the first count as one.
        gain: A factor.

    Returns:
        The tensor.
    """
    return _write(_initializer.Orthogonal(gain), tensor)


def xavier_uniform_(tensor, gain=1.0, fan_in=None, fan_out=None):
    """Draw uniformly so that variances stay equal through the layer (Glorot and Bengio 2010).

    Args:
        tensor: A Tensor, written in place.
        gain: A factor.
        fan_in: Inputs of a unit; None: as the shape says.
        fan_out: Outputs of a unit; None: as the shape says.

    Returns:
        The tensor.
    """
    return _write(_initializer.XavierUniform(fan_in, fan_out, gain), tensor)


def xavier_normal_(tensor, gain=1.0, fan_in=None, fan_out=None):
    """Draw normally so that variances stay equal through the layer (Glorot and Bengio 2010).

    Args:
        tensor: A Tensor, written in place.
        gain: A factor.
        fan_in: Inputs of a unit; None: as the shape says.
        fan_out: Outputs of a unit; None: as the shape says.

    Returns:
        The tensor.
    """
    return _write(_initializer.XavierNormal(fan_in, fan_out, gain), tensor)


def kaiming_uniform_(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu"):
    """Draw uniformly with the variance that a rectifier needs (He et al. 2015)."""
    return _write(_kaiming(_initializer.KaimingUniform, a, mode, nonlinearity), tensor)


def kaiming_normal_(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu"):
    """Draw normally with the variance that a rectifier needs (He et al. 2015)."""
    return _write(_kaiming(_initializer.KaimingNormal, a, mode, nonlinearity), tensor)


def _kaiming(kind, a, mode, nonlinearity):
    if mode not in ("fan_in", "fan_out"):
        raise ValueError(f"kaiming: mode has value {mode!r}; it must be 'fan_in' or 'fan_out'.")
    return kind(negative_slope=a, nonlinearity=nonlinearity, mode=mode)


def eye_(tensor):
    """Make a matrix the identity."""
    from ..tensor import eye

    if tensor.ndim != 2:
        raise ValueError(f"eye_: tensor has {tensor.ndim} dimensions; it must have 2.")
    return _write(_initializer.Assign(eye(*tensor.shape, dtype=tensor.dtype)), tensor)


def dirac_(tensor, groups=1):
    """Make a convolution with the weight copy its first channels, in each of `groups` groups."""
    return _write(_initializer.Dirac(groups), tensor)
