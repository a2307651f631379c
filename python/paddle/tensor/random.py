# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Random tensors over the operators gaussian, uniform, randint and randperm."""

from .. import _core
from ..framework.checked_numbers import check_whole, real, whole
from ..framework.devices import honours_device
from ._args import Tensor, aliases, check_tensor, convert, finish, is_later, ops, packed, shape_arg, writes_out

__all__ = [
    "rand",
    "randn",
    "standard_normal",
    "normal",
    "gaussian",
    "uniform",
    "randint",
    "randint_like",
    "rand_like",
    "randn_like",
    "randperm",
    "bernoulli",
    "multinomial",
    "log_normal",
    "binomial",
]


@packed(0, "shape", "size")
@honours_device
def rand(shape, dtype=None, name=None, *, out=None, device=None, requires_grad=False, pin_memory=False):
    """Numbers drawn from the uniform distribution on [0, 1).

    Args:
        shape: Ints, or one list, tuple or integer Tensor of them: `rand(2, 3)` is `rand([2, 3])`.
        dtype: dtype of the result; the default dtype (float32) when None.
        name: Unused.
        out: A Tensor that takes the result.
        device: Device of the result; None for the current one.
        requires_grad: Whether a gradient is computed for the result.
        pin_memory: Whether it lies in page-locked memory of the host, for a device other than the CPU.

    Example:
        >>> paddle.rand([2, 3]).shape
        paddle.Size([2, 3])
    """
    return finish(uniform(shape, dtype, 0.0, 1.0), out, requires_grad, device)


@packed(0, "shape", "size")
@honours_device
def randn(shape, dtype=None, name=None, *, out=None, device=None, requires_grad=False, pin_memory=False):
    """Numbers drawn from the standard normal distribution.

    Args:
        shape: Ints, or one list, tuple or integer Tensor of them: `randn(2, 3)` is `randn([2, 3])`.
        dtype: dtype of the result; the default dtype (float32) when None.
        name: Unused.
        out: A Tensor that takes the result.
        device: Device of the result; None for the current one.
        requires_grad: Whether a gradient is computed for the result.
        pin_memory: Whether it lies in page-locked memory of the host, for a device other than the CPU.

    Example:
        >>> paddle.randn([2, 3]).shape
        paddle.Size([2, 3])
    """
    return finish(gaussian(shape, 0.0, 1.0, dtype=dtype), out, requires_grad, device)


@honours_device
def standard_normal(shape, dtype=None, name=None, *, out=None, device=None, requires_grad=False):
    """Values of the standard normal distribution."""
    return finish(gaussian(shape, 0.0, 1.0, dtype=dtype), out, requires_grad, device)


def _drawn(op, dtype):
    """A dtype in which numbers of a continuous distribution are drawn."""
    dtype = convert(dtype)
    if not (dtype.is_floating_point or dtype.is_complex):
        raise _core.ArgumentTypeError(
            f"{op}: dtype is {dtype.name}; it must be a floating or complex one; draw integers with randint()."
        )
    return dtype


def gaussian(shape, mean=0.0, std=1.0, seed=0, dtype=None, name=None):
    """Values of the normal distribution.

    Args:
        seed: 0 takes the generator's state.
    """
    return ops.gaussian(shape_arg(shape), mean, std, seed, _drawn("gaussian", dtype))


@packed(2, "shape", "size")
def normal(mean=0.0, std=1.0, shape=None, name=None, *, out=None):
    """Values of the normal distribution.

    Args:
        mean: A number, or a tensor with one mean per element.
        std: A number, or a tensor with one deviation per element.
        shape: The shape, when both are numbers.

    Returns:
        A floating Tensor of `shape`, or of the shape of mean and std.

    Example:
        >>> paddle.normal(mean=5.0, std=1e-3, shape=[2]).round().tolist()
        [5.0, 5.0]
    """
    if isinstance(mean, Tensor) or isinstance(std, Tensor):
        from .manipulation import broadcast_shape

        dims = [v.shape if isinstance(v, Tensor) else [] for v in (mean, std)]
        dtype = (mean if isinstance(mean, Tensor) else std).dtype
        noise = ops.gaussian(broadcast_shape(*dims), 0.0, 1.0, 0, dtype)
        return finish(noise * std + mean, out)
    return finish(gaussian([1] if shape is None else shape, mean, std), out)


@honours_device
def uniform(shape, dtype=None, min=0, max=1.0, seed=0, name=None, *, out=None, device=None, requires_grad=False):
    """Numbers drawn from the uniform distribution on [min, max).

    Args:
        shape: List, tuple or integer Tensor of extents.
        dtype: Floating dtype of the result; the default dtype when None.
        min: Lower end, which can be drawn.
        max: Upper end, which is not.
        seed: 0 draws from the generator that `paddle.seed` sets; other numbers start a stream of their own.
        name: Unused.
        out: A Tensor that takes the result.
        device: Device of the result; None for the current one.
        requires_grad: Whether a gradient is computed for the result.

    Example:
        >>> x = paddle.uniform([100], min=-1.0, max=1.0)
        >>> bool((x >= -1).all()) and bool((x < 1).all())
        True
    """
    dtype = _drawn("uniform", dtype)
    if is_later(min) or is_later(max):
        low, high = (ops.reshape(v, []) if isinstance(v, Tensor) else v for v in (min, max))
        drawn = ops.uniform(shape_arg(shape), dtype, 0.0, 1.0, seed) * (high - low) + low
        return finish(ops.cast(drawn, dtype), out, requires_grad, device)
    return finish(
        ops.uniform(shape_arg(shape), dtype, real("uniform", "min", min), real("uniform", "max", max), seed),
        out,
        requires_grad,
        device,
    )


@aliases(size="shape")
@honours_device
def randint(
    low=0,
    high=None,
    shape=[1],  # noqa: B006
    dtype=None,
    name=None,
    *,
    out=None,
    device=None,
    requires_grad=False,
    pin_memory=False,
):
    """Integers drawn from [low, high) with equal chances.

    Args:
        low: Lower end; the upper one, with 0 as the lower, when `high` is None.
        high: Upper end, which is not drawn; a list or tuple here is the shape, as in `randint(10, [2, 3])`.
        shape: List, tuple or integer Tensor of extents.
        dtype: dtype of the result; int64 when None.
        name: Unused.
        out: A Tensor that takes the result.
        device: Device of the result; None for the current one.
        requires_grad: Whether gradients are wanted of the result.
        pin_memory: Whether it lies in page-locked memory of the host, for a device other than the CPU.

    Raises:
        ValueError: The range is empty.

    Example:
        >>> sorted(set(paddle.randint(2, 4, [100]).tolist()))
        [2, 3]
    """
    if isinstance(high, (list, tuple)):
        high, shape = None, high
    if high is None:
        low, high = 0, low
        if high <= 0:
            raise ValueError(f"randint: low has value {high} and high is None; low must then be positive.")
    return finish(
        ops.randint(
            whole("randint", "low", low), whole("randint", "high", high), shape_arg(shape), convert(dtype, _core.int64)
        ),
        out,
        requires_grad,
        device,
    )


@aliases(input="x")
@honours_device
def randint_like(x, low=0, high=None, dtype=None, name=None, *, device=None, requires_grad=False, pin_memory=False):
    """Random integers in [low, high) in the shape of another Tensor.

    Args:
        x: Tensor whose shape is taken.
        low: The least value; with high=None the numbers are in [0, low).
        high: One above the greatest value.
        dtype: dtype of the result; that of x when None.
        name: Unused.
        device: Device of the result; None for the current one.
        requires_grad: Whether gradients are wanted of the result.
        pin_memory: Whether it lies in page-locked memory of the host, for a device other than the CPU.

    Example:
        >>> paddle.randint_like(paddle.ones([2, 3]), 5, 6, dtype="int64").tolist()
        [[5, 5, 5], [5, 5, 5]]
    """
    check_tensor("randint_like", x=x)
    made = randint(low, high, x.shape, "int64")
    return finish(ops.cast(made, convert(dtype, x.dtype)), None, requires_grad, device)


@aliases(x="input")
@honours_device
def rand_like(input, name=None, *, dtype=None, device=None, requires_grad=False):
    """`rand` in the shape of `input`."""
    check_tensor("rand_like", input=input)
    return finish(uniform(input.shape, convert(dtype, input.dtype), 0.0, 1.0), None, requires_grad, device)


@aliases(input="x")
@honours_device
def randn_like(x, dtype=None, name=None, *, device=None, requires_grad=False):
    """Normal random numbers in the shape of another Tensor.

    Args:
        x: Tensor whose shape is taken.
        dtype: dtype of the result; that of x when None.
        name: Unused.
        device: Device of the result; None for the current one.
        requires_grad: Whether a gradient is computed for the result.

    Example:
        >>> paddle.randn_like(paddle.ones([2, 3])).shape
        paddle.Size([2, 3])
    """
    check_tensor("randn_like", x=x)
    return finish(gaussian(x.shape, dtype=convert(dtype, x.dtype)), None, requires_grad, device)


@honours_device
def randperm(n, dtype="int64", name=None, *, out=None, device=None, requires_grad=False, pin_memory=False):
    """The integers 0 ... n - 1 in random order, of shape [n].

    Args:
        n: How many.
        dtype: dtype of the result.
        name: Unused.
        out: A Tensor that takes the result.
        device: Device of the result; None for the current one.
        requires_grad: Whether a gradient is computed for the result.
        pin_memory: Whether it lies in page-locked memory of the host, for a device other than the CPU.

    Example:
        >>> sorted(paddle.randperm(4).tolist())
        [0, 1, 2, 3]
    """
    check_whole("randperm", n=n)
    if n < 0:
        raise ValueError(f"randperm: n has value {n}; it must not be negative.")
    return finish(ops.randperm(n, convert(dtype)), out, requires_grad, device)


@aliases(input="x")
@writes_out
def bernoulli(x, p=None, name=None):
    """Ones and zeros, drawn with given probabilities of a one.

    Args:
        x: Floating Tensor of probabilities in [0, 1].
        p: One probability for all elements, instead of the values of x.
        name: Unused.

    Returns:
        A Tensor of x's shape and dtype.

    Example:
        >>> paddle.bernoulli(paddle.to_tensor([0.0, 1.0])).tolist()
        [0.0, 1.0]
    """
    return ops.bernoulli(x if p is None else ops.full_like(x, p))


@aliases(input="x")
def multinomial(x, num_samples=1, replacement=False, name=None, *, out=None):
    """Indices drawn from categories with given weights.

    Args:
        x: Weights, not negative, of shape [categories] or [batch, categories]; they need not sum to 1.
        num_samples: Draws for each row.
        replacement: Whether an index can be drawn again.
        name: Unused.
        out: A Tensor that takes the result.

    Returns:
        An int64 Tensor of shape [num_samples] or [batch, num_samples].

    Raises:
        ValueError: Without replacement a row has fewer positive weights than num_samples.

    Example:
        >>> paddle.multinomial(paddle.to_tensor([0.0, 3.0]), 4, replacement=True).tolist()
        [1, 1, 1, 1]
    """
    return finish(ops.multinomial(x, num_samples, replacement), out)


def log_normal(mean=1.0, std=2.0, shape=None, name=None):
    """Exponentials of normal numbers of the given mean and deviation; see `normal`."""
    return ops.exp(normal(mean, std, shape))


def binomial(count, prob, name=None):
    """Successes in `count` trials of probability `prob`, as int64; the two broadcast.

    Args:
        count: A tensor of numbers of trials.
        prob: A floating tensor of probabilities.
    """
    check_tensor("binomial", count=count, prob=prob)
    if count.shape != prob.shape:
        from .manipulation import broadcast_shape

        shape = broadcast_shape(count.shape, prob.shape)
        count, prob = ops.expand(count, shape), ops.expand(prob, shape)
    return ops.binomial(count, prob)


def gaussian_(x, mean=0.0, std=1.0, seed=0, name=None):
    """Fill x with numbers of the normal distribution."""
    check_tensor("gaussian_", x=x)
    return _core.assign_inplace(x, ops.gaussian(x.shape, mean, std, seed, x.dtype), "gaussian_")


def exponential_(x, lam=1.0, name=None):
    """Fill x with numbers of the exponential distribution of rate lam."""
    return x.exponential_(lam)


def uniform_(x, min=-1.0, max=1.0, seed=0, name=None):
    """Fill x with numbers drawn evenly from [min, max)."""
    return x.uniform_(min, max, seed)


def uniform_random_batch_size_like(
    input, shape, dtype="float32", input_dim_idx=0, output_dim_idx=0, min=-1.0, max=1.0, seed=0
):
    """Numbers drawn evenly from [min, max), with one extent of another tensor.

    Args:
        input: The tensor.
        shape: The shape; its entry at `output_dim_idx` is replaced.
        dtype: Floating dtype of the result.
        input_dim_idx: The axis of `input` that gives the extent.
        output_dim_idx: The axis of the result that has it.
        min: Lower end, which can be drawn.
        max: Upper end, which is not.
        seed: 0 draws from the generator that `paddle.seed` sets.
    """
    check_tensor("uniform_random_batch_size_like", input=input)
    shape = list(shape)
    known = input.shape[input_dim_idx]
    shape[output_dim_idx] = known if known != -1 else ops.shape64(input)[input_dim_idx]
    return uniform(shape, dtype, min, max, seed)
