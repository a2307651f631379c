# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Functions that Tensor has too although their first argument is a list, a shape or a probability:
`paddle.Tensor.stack([a, b])` is `paddle.stack([a, b])`."""

from .._bind import set_method
from ._args import aliases


@aliases(tensors="x", dim="axis")
def stack(x, axis=0, name=None, *, out=None):
    """Tensors of one shape joined along a new axis."""
    from . import stack as function

    return function(x, axis, out=out)


@aliases(tensors="x", dim="axis")
def concat(x, axis=0, name=None, *, out=None):
    """The tensors of a list joined along an axis."""
    from . import concat as function

    return function(x, axis, out=out)


def multiplex(inputs, index, name=None):
    """Rows of the tensors of a list: row i is taken from tensor index[i]."""
    from . import multiplex as function

    return function(inputs, index)


def broadcast_tensors(input, name=None):
    """The tensors of a list, expanded to one shape."""
    from . import broadcast_tensors as function

    return function(input)


def create_parameter(shape, dtype, name=None, attr=None, is_bias=False, default_initializer=None):
    """A parameter; see `paddle.create_parameter`."""
    from ..framework.parameter import create_parameter as function

    return function(shape, dtype, name, attr, is_bias, default_initializer)


def create_tensor(dtype, name=None, persistable=False):
    """An empty tensor of a dtype."""
    from .array import create_tensor as function

    return function(dtype, name, persistable)


def stft(
    x,
    n_fft,
    hop_length=None,
    win_length=None,
    window=None,
    center=True,
    pad_mode="reflect",
    normalized=False,
    onesided=None,
    name=None,
):
    """The Fourier transforms of overlapping frames; see `paddle.signal.stft`."""
    from ..signal import stft as function

    frames = (n_fft, hop_length, win_length, window, center, pad_mode, normalized, onesided)
    return function(x, *frames)


def istft(
    x,
    n_fft,
    hop_length=None,
    win_length=None,
    window=None,
    center=True,
    normalized=False,
    onesided=True,
    length=None,
    return_complex=False,
    name=None,
):
    """The signal of which `stft` made frames; see `paddle.signal.istft`."""
    from ..signal import istft as function

    frames = (n_fft, hop_length, win_length, window, center, normalized, onesided, length, return_complex)
    return function(x, *frames)


def top_p_sampling(x, ps, threshold=None, topp_seed=None, seed=-1, k=0, mode="truncated", return_top=False, name=None):
    """A token a row among the most probable ones; see `paddle.tensor.top_p_sampling`."""
    from .sampling import top_p_sampling as function

    return function(x, ps, threshold, topp_seed, seed, k, mode, return_top)


def coalesce(x, name=None):
    """The distinct indices of a sparse tensor; dense tensors have none."""
    raise NotImplementedError("coalesce: the tensor is dense; only sparse tensors in coordinate form have it.")


def sparse_dim(x):
    """The number of sparse axes: none."""
    return 0


def dense_dim(x):
    """The number of dense axes: all."""
    return x.ndim


def install():
    """Attach the functions above to Tensor."""
    for fn in (stack, concat, multiplex, broadcast_tensors, create_parameter, create_tensor):
        set_method(fn.__name__, fn)
    for fn in (stft, istft, top_p_sampling, coalesce, sparse_dim, dense_dim):
        set_method(fn.__name__, fn)
