# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Transforms of random variables, with inverses and Jacobian determinants."""

import enum
import math

from .. import _core, _lazy, tensor
from ..nn import functional as F
from . import constraint, variable
from .distribution import Distribution

__all__ = [
    "AbsTransform",
    "AffineTransform",
    "ChainTransform",
    "ExpTransform",
    "IndependentTransform",
    "PowerTransform",
    "ReshapeTransform",
    "SigmoidTransform",
    "SoftmaxTransform",
    "StackTransform",
    "StickBreakingTransform",
    "TanhTransform",
    "Transform",
]
__dir__ = _lazy.listing(__name__)


class Type(enum.Enum):
    """How a transform maps values."""

    BIJECTION = "bijection"
    INJECTION = "injection"
    SURJECTION = "surjection"
    OTHER = "other"

    @classmethod
    def is_injective(cls, type):
        """Whether different values of such a transform come from different values."""
        return type in (cls.BIJECTION, cls.INJECTION)


class Transform:
    """Base: a subclass defines `_forward`, `_inverse` and `_forward_log_det_jacobian`."""

    _type = Type.INJECTION
    _domain = variable.real
    _codomain = variable.real

    def __init__(self):
        pass

    @classmethod
    def _is_injective(cls):
        return Type.is_injective(cls._type)

    def __call__(self, input):
        """Transform a Tensor, a distribution, or another transform."""
        from .transformed_distribution import TransformedDistribution

        if isinstance(input, Distribution):
            return TransformedDistribution(input, [self])
        if isinstance(input, Transform):
            return ChainTransform([self, input])
        return self.forward(input)

    def _check(self, method, value, rank):
        if not isinstance(value, _core.Tensor):
            raise TypeError(f"{type(self).__name__}.{method}: the argument has type {type(value).__name__}, no Tensor.")
        if value.ndim < rank:
            raise ValueError(
                f"{type(self).__name__}.{method}: the argument has shape {list(value.shape)}; it must have at least "
                f"{rank} axes."
            )
        return value

    def forward(self, x):
        """The transform of a Tensor."""
        return self._forward(self._check("forward", x, self._domain.event_rank))

    def inverse(self, y):
        """The inverse of a Tensor."""
        return self._inverse(self._check("inverse", y, self._codomain.event_rank))

    def forward_log_det_jacobian(self, x):
        """Logarithm of the absolute value of the Jacobian's determinant at x."""
        self._check("forward_log_det_jacobian", x, self._domain.event_rank)
        if not self._is_injective():
            raise NotImplementedError(f"{type(self).__name__}: it has no Jacobian determinant, as it is not injective.")
        return self._forward_log_det_jacobian(x)

    def inverse_log_det_jacobian(self, y):
        """The same of the inverse at y."""
        self._check("inverse_log_det_jacobian", y, self._codomain.event_rank)
        return self._inverse_log_det_jacobian(y)

    def forward_shape(self, shape):
        """Shape of the transform of a Tensor of the given shape."""
        given = self._checked_shape("forward_shape", shape)
        made = self._forward_shape(given)
        return shape if made is given else made

    def inverse_shape(self, shape):
        """Shape of the inverse of a Tensor of the given shape."""
        given = self._checked_shape("inverse_shape", shape)
        made = self._inverse_shape(given)
        return shape if made is given else made

    def _checked_shape(self, method, shape):
        if not isinstance(shape, (list, tuple)):
            raise TypeError(
                f"{type(self).__name__}.{method}: shape has type {type(shape).__name__}; it must be a tuple."
            )
        return tuple(shape)

    def _forward(self, x):
        raise NotImplementedError(f"{type(self).__name__}: _forward is not defined; define it in the subclass.")

    def _inverse(self, y):
        raise NotImplementedError(f"{type(self).__name__}: _inverse is not defined; define it in the subclass.")

    def _forward_log_det_jacobian(self, x):
        raise NotImplementedError(
            f"{type(self).__name__}: _forward_log_det_jacobian is not defined; define it in the subclass."
        )

    def _inverse_log_det_jacobian(self, y):
        return -self._forward_log_det_jacobian(self._inverse(y))

    def _forward_shape(self, shape):
        return shape

    def _inverse_shape(self, shape):
        return shape


class AbsTransform(Transform):
    """y = |x|; its inverse is the pair (-y, y)."""

    _type = Type.SURJECTION
    _codomain = variable.positive

    def _forward(self, x):
        return tensor.abs(x)

    def _inverse(self, y):
        return -y, y

    def _inverse_log_det_jacobian(self, y):
        zero = tensor.zeros([], dtype=y.dtype)
        return zero, zero


class AffineTransform(Transform):
    """y = loc + scale x."""

    _type = Type.BIJECTION

    def __init__(self, loc, scale):
        super().__init__()
        for name, value in (("loc", loc), ("scale", scale)):
            if not isinstance(value, _core.Tensor):
                raise TypeError(f"AffineTransform: {name} has type {type(value).__name__}; it must be a Tensor.")
        self._loc, self._scale = loc, scale

    @property
    def loc(self):
        """Shift."""
        return self._loc

    @property
    def scale(self):
        """Factor."""
        return self._scale

    def _forward(self, x):
        return self._loc + self._scale * x

    def _inverse(self, y):
        return (y - self._loc) / self._scale

    def _forward_log_det_jacobian(self, x):
        return tensor.log(tensor.abs(self._scale))

    def _forward_shape(self, shape):
        return tuple(tensor.broadcast_shape(tensor.broadcast_shape(shape, self._loc.shape), self._scale.shape))

    _inverse_shape = _forward_shape


class ExpTransform(Transform):
    """y = exp(x)."""

    _type = Type.BIJECTION
    _codomain = variable.positive

    def __init__(self):
        super().__init__()

    def _forward(self, x):
        return tensor.exp(x)

    def _inverse(self, y):
        return tensor.log(y)

    def _forward_log_det_jacobian(self, x):
        return x


class PowerTransform(Transform):
    """y = x ** power, for positive x."""

    _type = Type.BIJECTION
    _codomain = variable.positive

    def __init__(self, power):
        super().__init__()
        if not isinstance(power, _core.Tensor):
            raise TypeError(f"PowerTransform: power has type {type(power).__name__}; it must be a Tensor.")
        self._power = power

    @property
    def power(self):
        """The exponent."""
        return self._power

    def _forward(self, x):
        return tensor.pow(x, self._power)

    def _inverse(self, y):
        return tensor.pow(y, 1 / self._power)

    def _forward_log_det_jacobian(self, x):
        return tensor.log(tensor.abs(self._power * tensor.pow(x, self._power - 1)))

    def _forward_shape(self, shape):
        return tuple(tensor.broadcast_shape(shape, self._power.shape))

    _inverse_shape = _forward_shape


class SigmoidTransform(Transform):
    """y = 1 / (1 + exp(-x))."""

    _type = Type.BIJECTION
    _codomain = variable.Variable(False, 0, constraint.Range(0.0, 1.0))

    def _forward(self, x):
        return F.sigmoid(x)

    def _inverse(self, y):
        return tensor.log(y) - tensor.log1p(-y)

    def _forward_log_det_jacobian(self, x):
        return -F.softplus(-x) - F.softplus(x)


class TanhTransform(Transform):
    """y = tanh(x)."""

    _type = Type.BIJECTION
    _codomain = variable.Variable(False, 0, constraint.Range(-1.0, 1.0))

    def _forward(self, x):
        return tensor.tanh(x)

    def _inverse(self, y):
        return 0.5 * (tensor.log1p(y) - tensor.log1p(-y))

    def _forward_log_det_jacobian(self, x):
        return 2.0 * (math.log(2.0) - x - F.softplus(-2.0 * x))


def _of_rows(shape, transform):
    if len(shape) < 1:
        raise ValueError(f"{transform.__name__}: shape has no axes; it must have at least one.")
    return shape


class SoftmaxTransform(Transform):
    """y = softmax(x) along the last axis; the inverse is one of those possible."""

    _type = Type.OTHER
    _domain = variable.Independent(variable.real, 1)
    _codomain = variable.Variable(False, 1, constraint.simplex)

    def _forward(self, x):
        return F.softmax(x, -1)

    def _inverse(self, y):
        return tensor.log(y)

    def _forward_shape(self, shape):
        return _of_rows(shape, type(self))

    _inverse_shape = _forward_shape


class StickBreakingTransform(Transform):
    """From [..., n] numbers to [..., n + 1] positive numbers that add up to 1."""

    _type = Type.BIJECTION
    _domain = variable.Independent(variable.real, 1)
    _codomain = variable.Variable(False, 1, constraint.simplex)

    @staticmethod
    def _offset(x):
        size = x.shape[-1]
        return tensor.log(tensor.arange(size, 0, -1, dtype=x.dtype))

    def _forward(self, x):
        z = F.sigmoid(x - self._offset(x))
        rest = tensor.cumprod(1 - z, dim=-1)
        one = tensor.ones_like(z[..., :1])
        return tensor.concat([z, one], -1) * tensor.concat([one, rest], -1)

    def _inverse(self, y):
        part = y[..., :-1]
        rest = 1 - tensor.cumsum(part, -1)
        return tensor.log(part) - tensor.log(rest) + self._offset(part)

    def _forward_log_det_jacobian(self, x):
        y = self._forward(x)
        x = x - self._offset(x)
        return (-x + F.log_sigmoid(x) + tensor.log(y[..., :-1])).sum(-1)

    def _forward_shape(self, shape):
        return (*_of_rows(shape, type(self))[:-1], shape[-1] + 1)

    def _inverse_shape(self, shape):
        return (*_of_rows(shape, type(self))[:-1], shape[-1] - 1)


class ReshapeTransform(Transform):
    """Changes the shape of events.

    Args:
        in_event_shape: Shape before.
        out_event_shape: Shape after, of the same size.
    """

    _type = Type.BIJECTION

    def __init__(self, in_event_shape, out_event_shape):
        super().__init__()
        if math.prod(in_event_shape) != math.prod(out_event_shape):
            raise ValueError(
                f"ReshapeTransform: in_event_shape {tuple(in_event_shape)} and out_event_shape "
                f"{tuple(out_event_shape)} must have the same size."
            )
        self._in, self._out = tuple(in_event_shape), tuple(out_event_shape)
        self._domain = variable.Independent(variable.real, len(self._in))
        self._codomain = variable.Independent(variable.real, len(self._out))

    @property
    def in_event_shape(self):
        """Shape before."""
        return self._in

    @property
    def out_event_shape(self):
        """Shape after."""
        return self._out

    def _forward(self, x):
        return x.reshape(list(self._forward_shape(tuple(x.shape))))

    def _inverse(self, y):
        return y.reshape(list(self._inverse_shape(tuple(y.shape))))

    @staticmethod
    def _replaced(shape, old, new):
        rank = len(shape) - len(old)
        if rank < 0 or tuple(shape[rank:]) != old:
            raise ValueError(f"ReshapeTransform: the shape {tuple(shape)} does not end with {old}.")
        return tuple(shape[:rank]) + new

    def _forward_shape(self, shape):
        return self._replaced(shape, self._in, self._out)

    def _inverse_shape(self, shape):
        return self._replaced(shape, self._out, self._in)

    def _forward_log_det_jacobian(self, x):
        return tensor.zeros(x.shape[: x.ndim - len(self._in)], dtype=x.dtype)


class IndependentTransform(Transform):
    """Takes the last batch axes of a transform as event axes.

    Args:
        base: The transform.
        reinterpreted_batch_rank: How many axes, at least 1.
    """

    def __init__(self, base, reinterpreted_batch_rank):
        super().__init__()
        if not isinstance(base, Transform):
            raise TypeError(f"IndependentTransform: base has type {type(base).__name__}; it must be a Transform.")
        if reinterpreted_batch_rank <= 0:
            raise ValueError("IndependentTransform: reinterpreted_batch_rank must be positive.")
        self._base, self._rank = base, reinterpreted_batch_rank
        self._domain = variable.Independent(base._domain, self._rank)
        self._codomain = variable.Independent(base._codomain, self._rank)

    def _is_injective(self):
        return self._base._is_injective()

    def _forward(self, x):
        return self._base.forward(x)

    def _inverse(self, y):
        return self._base.inverse(y)

    def _forward_log_det_jacobian(self, x):
        return self._base.forward_log_det_jacobian(x).sum(list(range(-self._rank, 0)))

    def _forward_shape(self, shape):
        return self._base.forward_shape(shape)

    def _inverse_shape(self, shape):
        return self._base.inverse_shape(shape)


def _widened(transforms, end, rank):
    """Where a chain maps from (end 0) or to (end -1), with `rank` event axes."""
    if not transforms:
        return variable.real
    edge = transforms[0]._domain if end == 0 else transforms[-1]._codomain
    return variable.Independent(edge, rank - edge.event_rank)


class ChainTransform(Transform):
    """Transforms one after the other.

    Args:
        transforms: List; the first is applied first.
    """

    def __init__(self, transforms):
        super().__init__()
        if not isinstance(transforms, (list, tuple)) or not all(isinstance(t, Transform) for t in transforms):
            raise TypeError("ChainTransform: transforms must be a list of Transforms.")
        self.transforms = transforms
        rank = change = 0
        for t in reversed(transforms):
            rank = max(rank + t._domain.event_rank - t._codomain.event_rank, t._domain.event_rank)
        for t in transforms:
            change += t._codomain.event_rank - t._domain.event_rank
        self._domain, self._codomain = _widened(transforms, 0, rank), _widened(transforms, -1, rank + change)

    def _is_injective(self):
        return all(t._is_injective() for t in self.transforms)

    def _forward(self, x):
        for t in self.transforms:
            x = t.forward(x)
        return x

    def _inverse(self, y):
        for t in reversed(self.transforms):
            y = t.inverse(y)
        return y

    def _forward_log_det_jacobian(self, x):
        total, rank = 0.0, self._domain.event_rank
        for t in self.transforms:
            part = t.forward_log_det_jacobian(x)
            extra = rank - t._domain.event_rank
            total = total + (part.sum(list(range(-extra, 0))) if extra > 0 and part.ndim >= extra else part)
            x = t.forward(x)
            rank += t._codomain.event_rank - t._domain.event_rank
        return total

    def _forward_shape(self, shape):
        for t in self.transforms:
            shape = t.forward_shape(shape)
        return shape

    def _inverse_shape(self, shape):
        for t in reversed(self.transforms):
            shape = t.inverse_shape(shape)
        return shape


class StackTransform(Transform):
    """One transform for each index of an axis.

    Args:
        transforms: List of transforms.
        axis: The axis.
    """

    def __init__(self, transforms, axis=0):
        super().__init__()
        if not transforms or not all(isinstance(t, Transform) for t in transforms):
            raise TypeError("StackTransform: transforms must be a list of Transforms, not empty.")
        if not isinstance(axis, int):
            raise TypeError(f"StackTransform: axis has value {axis!r}; it must be an integer.")
        self._transforms, self._axis = transforms, axis
        self._domain = variable.Stack([t._domain for t in transforms], axis)
        self._codomain = variable.Stack([t._codomain for t in transforms], axis)

    @property
    def transforms(self):
        """The transforms."""
        return self._transforms

    @property
    def axis(self):
        """The axis."""
        return self._axis

    def _is_injective(self):
        return all(t._is_injective() for t in self._transforms)

    def _each(self, method, x):
        if not -x.ndim <= self._axis < x.ndim:
            raise ValueError(f"StackTransform: the input has {x.ndim} axes; axis {self._axis} must be one of them.")
        if x.shape[self._axis] != len(self._transforms):
            raise ValueError(
                f"StackTransform: axis {self._axis} has size {x.shape[self._axis]}; there are "
                f"{len(self._transforms)} transforms."
            )
        parts = tensor.unstack(x, self._axis)
        results = [getattr(t, method)(p) for t, p in zip(self._transforms, parts, strict=True)]
        return tensor.stack(results, self._axis)

    def _forward(self, x):
        return self._each("forward", x)

    def _inverse(self, y):
        return self._each("inverse", y)

    def _forward_log_det_jacobian(self, x):
        return self._each("forward_log_det_jacobian", x)
