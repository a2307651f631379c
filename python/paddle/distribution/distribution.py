# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The base of probability distributions, and how their parameters become Tensors."""

import numbers
import warnings

from .. import _core, tensor
from ..framework.dtypes import finfo, get_default_dtype, is_floating
from ..framework.modes import in_dynamic_mode, no_grad


def parameters(owner, *values):
    """Parameters as Tensors of one floating-point dtype and one shape.

    float64 and complex Tensors and arrays keep their dtype; numbers and integers become the default dtype.
    """
    made = [_tensor(owner, value) for value in values]
    names = [t.dtype for v, t in zip(values, made, strict=True) if not isinstance(v, (numbers.Number, list, tuple))]
    order = [_core.complex128, _core.complex64, _core.float64, _core.float32, _core.float16, _core.bfloat16]
    found = next((dtype for dtype in order if dtype in names), None)
    if found is None:
        found = next((dtype for dtype in order[:2] if any(t.dtype == dtype for t in made)), get_default_dtype())
    made = [t if t.dtype == found else t.astype(found) for t in made]
    if any(list(t.shape) != list(made[0].shape) for t in made):
        made = broadcast(made)
    return made[0] if len(made) == 1 else made


def broadcast(tensors):
    """Tensors expanded to their common shape."""
    shape = list(tensors[0].shape)
    for other in tensors[1:]:
        shape = tensor.broadcast_shape(shape, list(other.shape))
    return [t if list(t.shape) == list(shape) else tensor.expand(t, shape) for t in tensors]


def _tensor(owner, value):
    import numpy

    if isinstance(value, _core.Tensor):
        return value
    if not isinstance(value, (numbers.Number, list, tuple, numpy.ndarray)):
        raise TypeError(
            f"{owner}: a parameter is of type {type(value).__name__}; it must be a number, list, tuple, array or Tensor."
        )
    of_numbers, value = not isinstance(value, numpy.ndarray), numpy.asarray(value)
    if of_numbers and value.dtype.kind == "c" and get_default_dtype() != "float64":
        value = value.astype("complex64")
    return _core.to_tensor(value.astype("float32") if value.dtype.kind in "biu" else value)


def as_value(value, like):
    """An argument of log_prob and others as a Tensor of the dtype of the parameter `like`; in a static program it must
    be a variable."""
    if not isinstance(value, _core.Tensor) and not in_dynamic_mode():
        raise TypeError(f"distribution: value has type {type(value).__name__}; in static mode it must be a variable.")
    value = _tensor("distribution", value)
    if value.dtype != like.dtype and is_floating(value.dtype):
        warnings.warn(
            f"distribution: value has dtype {value.dtype.name} and the parameters {like.dtype.name}; value is cast.",
            stacklevel=3,
        )
    return value if value.dtype == like.dtype else value.astype(like.dtype)


class Distribution:
    """Base of distributions.

    Args:
        batch_shape: Shape of a set of independent distributions.
        event_shape: Shape of one draw.
    """

    def __init__(self, batch_shape=(), event_shape=()):
        self._batch_shape, self._event_shape = tuple(batch_shape), tuple(event_shape)
        super().__init__()

    @property
    def batch_shape(self):
        """Shape of the set of distributions."""
        return self._batch_shape

    @property
    def event_shape(self):
        """Shape of one draw."""
        return self._event_shape

    @property
    def mean(self):
        """Mean."""
        raise NotImplementedError(
            f"{type(self).__name__}: mean is not defined; the distribution has none, or its class must define it."
        )

    @property
    def variance(self):
        """Variance."""
        raise NotImplementedError(
            f"{type(self).__name__}: variance is not defined; the distribution has none, or its class must define it."
        )

    def sample(self, shape=[]):
        """Draws of shape `shape + batch_shape + event_shape`, without gradient."""
        with no_grad():
            return self.rsample(shape)

    def rsample(self, shape=[]):
        """Draws that have a gradient with respect to the parameters."""
        raise NotImplementedError(
            f"{type(self).__name__}: rsample is not defined; use sample(), through which no gradient flows."
        )

    def entropy(self):
        """Entropy, in nats."""
        raise NotImplementedError(f"{type(self).__name__}: entropy is not defined; the class must define it.")

    _only_of_its_kind = False  # whether kl_divergence takes distributions of the same class alone

    def kl_divergence(self, other):
        """Kullback-Leibler divergence of this distribution from `other`."""
        from .kl import kl_divergence

        if self._only_of_its_kind and not isinstance(other, type(self)):
            raise TypeError(
                f"{type(self).__name__}.kl_divergence: other has type {type(other).__name__}; it must be of this class."
            )

        return kl_divergence(self, other)

    def prob(self, value):
        """Density or probability of a value."""
        return tensor.exp(self.log_prob(value))

    def log_prob(self, value):
        """Logarithm of `prob`."""
        raise NotImplementedError(f"{type(self).__name__}: log_prob is not defined; the class must define it.")

    def probs(self, value):
        """The same as `prob`."""
        return self.prob(value)

    def _extend_shape(self, sample_shape):
        """Shape of the draws for a given `shape`."""
        return [*_shape(sample_shape), *self._batch_shape, *self._event_shape]


def _shape(shape):
    if isinstance(shape, _core.Tensor):
        return [int(n) for n in shape.reshape([-1]).tolist()]
    if isinstance(shape, str) or not hasattr(shape, "__iter__"):
        raise TypeError(f"sample: shape has value {shape!r}; it must be a list, tuple or Tensor of integers.")
    return [int(n) for n in shape]


def check_seed(seed):
    """Raises TypeError unless a seed is an integer; draws come from the state that `paddle.seed` sets."""
    if not isinstance(seed, int):
        raise TypeError(f"sample: seed has type {type(seed).__name__}; it must be an int.")


def check_positive(owner, **values):
    """Raises ValueError unless all elements of the parameters are positive, where their values are known."""
    for name, value in values.items():
        if in_dynamic_mode() and not bool((value > 0).all()):
            raise ValueError(f"{owner}: {name} holds {float(value.min())}; all its elements must be positive.")


def uniform_like(shape, dtype):
    """Uniform numbers above 0 and below 1."""
    info = finfo(dtype)
    return tensor.uniform(shape, dtype=dtype, min=float(info.tiny), max=1.0 - float(info.eps) / 2)
