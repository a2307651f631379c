# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Linear, Embedding, Dropout and layers that only change the shape."""

from ... import _paths
from ...framework.call_forms import aliases
from ...framework.checked_numbers import check_whole
from ...framework.memory import write
from ...framework.modes import in_dynamic_mode
from .. import functional as F
from ._repr import named
from .computed import computed
from .layers import Layer
from .padding import Pad1D, Pad2D, Pad3D

__all__ = [
    "Identity",
    "Linear",
    "Embedding",
    "Dropout",
    "Dropout1D",
    "Dropout2D",
    "Dropout3D",
    "AlphaDropout",
    "Flatten",
    "Unflatten",
    "CosineSimilarity",
    "Pad1D",
    "Pad2D",
    "Pad3D",
    "Bilinear",
    "Softmax2D",
]


class Identity(Layer):
    """Returns its input.

    Args:
        args, kwargs: Accepted and not used, so that it can replace another layer.

    Example:
        >>> paddle.nn.Identity()(paddle.to_tensor([1.0])).tolist()
        [1.0]
    """

    def __init__(self, *args, **kwargs):
        super().__init__()

    def forward(self, input):
        return input


class Linear(Layer):
    """A linear map with a shift: out = x @ weight + bias.

    Args:
        in_features: Size of the last axis of the input.
        out_features: Size of the last axis of the output.
        weight_attr: ParamAttr of the weight of shape [in_features, out_features].
        bias_attr: ParamAttr of the bias of shape [out_features]; False for none.
        name: Prefix of the names of the parameters.

    Shape:
        [..., in_features] to [..., out_features].

    Example:
        >>> layer = paddle.nn.Linear(3, 2)
        >>> layer(paddle.ones([4, 3])).shape
        paddle.Size([4, 2])
    """

    def __init__(self, in_features, out_features, weight_attr=None, bias_attr=None, name=None):
        super().__init__()
        self._weight_attr, self._bias_attr = weight_attr, bias_attr
        self.weight = self.create_parameter([in_features, out_features], weight_attr)
        self.bias = self.create_parameter([out_features], bias_attr, is_bias=True)
        self.name = name

    def forward(self, input):
        return F.linear(input, self.weight, self.bias)

    def extra_repr(self):
        label = f", name={self.name}" if self.name else ""
        rows, columns = self.weight.shape
        return f"in_features={rows}, out_features={columns}, dtype={self._dtype}{label}"


class Embedding(Layer):
    """Rows of a table by their index.

    Args:
        num_embeddings: Number of rows.
        embedding_dim: Size of a row.
        padding_idx: Index whose row is zero and gets no gradient.
        max_norm: Rows with a larger norm are scaled down to it when used.
        norm_type: The p of that norm.
        sparse: Only rows that are looked up are stepped by optimizers with `lazy_mode`.
        weight_attr: ParamAttr of the weight of shape [num_embeddings, embedding_dim].

    Shape:
        Integers [...] to [..., embedding_dim].

    Raises:
        IndexError: When it is called with an index outside of the table.

    Example:
        >>> table = paddle.nn.Embedding(10, 4)
        >>> table(paddle.to_tensor([[1, 2, 3]])).shape
        paddle.Size([1, 3, 4])
    """

    def __init__(
        self,
        num_embeddings,
        embedding_dim,
        padding_idx=None,
        max_norm=None,
        norm_type=2.0,
        *,
        scale_grad_by_freq=False,
        sparse=False,
        _weight=None,
        _freeze=False,
        device=None,
        dtype=None,
        weight_attr=None,
        name=None,
    ):
        super().__init__()
        check_whole("Embedding", num_embeddings=num_embeddings, embedding_dim=embedding_dim)
        if num_embeddings <= 0 or embedding_dim <= 0:
            raise ValueError(
                f"Embedding: num_embeddings has value {num_embeddings} and embedding_dim "
                f"{embedding_dim}; both must be positive."
            )
        if padding_idx is not None and not -num_embeddings <= padding_idx < num_embeddings:
            raise ValueError(
                f"Embedding: padding_idx has value {padding_idx}; it must be in [{-num_embeddings}, {num_embeddings})."
            )
        self._num_embeddings, self._embedding_dim = num_embeddings, embedding_dim
        self._size = [num_embeddings, embedding_dim]
        self._max_norm, self._norm_type = max_norm, norm_type
        self._scale_grad_by_freq, self._sparse = scale_grad_by_freq, sparse
        self._name, self._weight_attr = name, weight_attr
        self._given_padding_idx = padding_idx
        negative = padding_idx is not None and padding_idx < 0
        self._padding_idx = padding_idx + num_embeddings if negative else padding_idx
        self.weight = self.create_parameter([num_embeddings, embedding_dim], weight_attr, dtype, device=device)
        if _weight is not None:
            write(self.weight, _weight)
        elif self._padding_idx is not None and in_dynamic_mode():  # a program only looks the row up as zero
            values = self.weight.numpy().copy()
            values[self._padding_idx] = 0
            from ...tensor import to_tensor

            write(self.weight, to_tensor(values, self.weight.dtype))
        if _freeze:
            self.weight.stop_gradient = True

    @computed
    def padding_idx(self):
        """Index whose row is zero, as it was given, or None."""
        return self._given_padding_idx

    @aliases(input="x")
    def forward(self, x):
        return F.embedding(
            x,
            self.weight,
            self._padding_idx,
            self._max_norm,
            self._norm_type,
            self._sparse,
            self._scale_grad_by_freq,
        )

    def extra_repr(self):
        pad = "" if self._padding_idx is None else f", padding_idx={self._padding_idx}"
        label = f", name={self._name}" if self._name is not None else ""
        return (
            f"{self._num_embeddings}, {self._embedding_dim}{pad}, sparse={self._sparse}, "
            f"scale_grad_by_freq={self._scale_grad_by_freq}{label}"
        )


class Dropout(Layer):
    """Zeros at random while training (Srivastava et al. 2014); in evaluation mode the input is the output.

    Args:
        p: Probability of a zero.
        axis: Axes along which the decision is made; None for every element.
        mode: 'upscale_in_train' divides what is kept by 1 - p while training; 'downscale_in_infer' multiplies by 1 - p
            in evaluation mode instead.

    Shape:
        [...] to the same shape.

    Example:
        >>> dropout = paddle.nn.Dropout(0.5)
        >>> x = paddle.ones([1000])
        >>> sorted(set(dropout(x).tolist()))
        [0.0, 2.0]
        >>> bool((dropout.eval()(x) == x).all())
        True
    """

    def __init__(self, p=0.5, inplace=False, axis=None, mode="upscale_in_train", name=None):
        super().__init__()
        self.p, self.inplace, self.axis, self.mode, self.name = p, inplace, axis, mode, name

    def forward(self, input):
        return F.dropout(input, self.p, self.axis, self.training, self.inplace, self.mode)

    def extra_repr(self):
        return named(f"p={self.p}, axis={self.axis}, mode={self.mode}", self.name) + f", inplace={self.inplace}"


class _ChannelDropout(Layer):
    _formats = ("NCHW", "NHWC")

    def __init__(self, p=0.5, data_format=None, name=None):
        super().__init__()
        self.p, self.data_format, self.name = p, data_format or self._formats[0], name

    def forward(self, input):
        axis = [0, input.ndim - 1] if self.data_format.endswith("C") else [0, 1]
        return F.dropout(input, self.p, axis, self.training)

    def extra_repr(self):
        return named(f"p={self.p}, data_format={self.data_format}", self.name)


class Dropout1D(_ChannelDropout):
    """Zeros whole channels of [N, C, L] at random while training; the others grow by 1 / (1 - p).

    Args:
        p: Probability of a zero.
        name: Unused.

    Example:
        >>> layer = paddle.nn.Dropout1D(0.5)
        >>> layer.eval()(paddle.ones([1, 2, 1])).tolist()
        [[[1.0], [1.0]]]
    """

    def __init__(self, p=0.5, name=None):
        super().__init__(p, "NCL", name)


class Dropout2D(_ChannelDropout):
    """Zeros whole channels of images [N, C, H, W] at random while training; the others grow by 1 / (1 - p).

    Args:
        p: Probability of a zero.
        data_format: "NCHW" or "NHWC".
        name: Unused.

    Example:
        >>> layer = paddle.nn.Dropout2D(0.5)
        >>> layer.eval()(paddle.ones([1, 2, 1, 1])).tolist()
        [[[[1.0]], [[1.0]]]]
    """

    def __init__(self, p=0.5, data_format="NCHW", name=None):
        super().__init__(p, data_format, name)


class Dropout3D(_ChannelDropout):
    """Zeros whole channels of volumes at random while training, and scales the others by 1 / (1 - p).

    Args:
        p: Probability of a zero.
        data_format: "NCDHW" or "NDHWC".
        name: Unused.

    Example:
        >>> layer = paddle.nn.Dropout3D(0.5)
        >>> _ = layer.eval()
        >>> bool((layer(paddle.ones([1, 2, 2, 2, 2])) == 1).all())
        True
    """

    def __init__(self, p=0.5, data_format="NCDHW", name=None):
        super().__init__(p, data_format, name)


class AlphaDropout(Layer):
    """Dropout that keeps mean and variance behind SELU (Klambauer et al. 2017), while training.

    Args:
        p: Probability that an element is replaced.
        name: Unused.

    Example:
        >>> layer = paddle.nn.AlphaDropout(0.5)
        >>> layer.eval()(paddle.ones([2])).tolist()
        [1.0, 1.0]
    """

    def __init__(self, p=0.5, name=None):
        super().__init__()
        self.p, self.name = p, name

    def forward(self, input):
        return F.alpha_dropout(input, self.p, self.training)

    def extra_repr(self):
        return named(f"p={self.p}", self.name)


class Flatten(Layer):
    """Joins neighbouring axes into one; see `paddle.flatten`.

    Args:
        start_axis: First of the joined axes.
        stop_axis: Last of them.

    Example:
        >>> paddle.nn.Flatten()(paddle.ones([2, 3, 4])).shape
        paddle.Size([2, 12])
    """

    @aliases(start_dim="start_axis", end_dim="stop_axis")
    def __init__(self, start_axis=1, stop_axis=-1):
        super().__init__()
        self.start_axis, self.stop_axis = start_axis, stop_axis

    def forward(self, input):
        from ...tensor import flatten

        return flatten(input, self.start_axis, self.stop_axis)


class Unflatten(Layer):
    """Cuts one axis into several; see `paddle.unflatten`.

    Args:
        axis: The axis that is cut.
        shape: The new extents; one may be -1.
        name: Unused.

    Example:
        >>> paddle.nn.Unflatten(1, [3, -1])(paddle.ones([2, 6])).shape
        paddle.Size([2, 3, 2])
    """

    @aliases(dim="axis", unflattened_size="shape")
    def __init__(self, axis, shape, name=None):
        super().__init__()
        self.axis, self.shape, self.name = axis, shape, name

    def forward(self, input):
        from ...tensor import unflatten

        return unflatten(input, self.axis, self.shape)

    def extra_repr(self):
        return f"axis={self.axis}, shape={self.shape}{f', name={self.name}' if self.name else ''}"


class CosineSimilarity(Layer):
    """The cosine of the angle between vectors along an axis.

    Args:
        axis: The axis of the vectors.
        eps: Least product of the lengths.

    Example:
        >>> vectors = paddle.to_tensor([[1.0, 0.0]]), paddle.to_tensor([[3.0, 4.0]])
        >>> [round(v, 4) for v in paddle.nn.CosineSimilarity()(*vectors).tolist()]
        [0.6]
    """

    @aliases(dim="axis")
    def __init__(self, axis=1, eps=1e-8):
        super().__init__()
        self._axis, self._eps = axis, eps

    def forward(self, x1, x2):
        return F.cosine_similarity(x1, x2, self._axis, self._eps)

    dim = computed(lambda self: self._axis, doc="The axis.")

    def extra_repr(self):
        return f"axis={self._axis}, eps={self._eps}"


class Bilinear(Layer):
    """`x1 @ weight[k] @ x2` for every output k, plus a bias.

    Args:
        in1_features: Size of the last axis of x1.
        in2_features: Size of the last axis of x2.
        out_features: Size of the last axis of the result.
        weight_attr: ParamAttr of the weight [out_features, in1_features, in2_features].
        bias_attr: ParamAttr of the bias [1, out_features]; False for none.
        name: Unused.

    Example:
        >>> paddle.nn.Bilinear(2, 3, 4)(paddle.ones([5, 2]), paddle.ones([5, 3])).shape
        paddle.Size([5, 4])
    """

    def __init__(self, in1_features, in2_features, out_features, weight_attr=None, bias_attr=None, name=None):
        super().__init__()
        self._in1_features, self._in2_features, self._out_features = in1_features, in2_features, out_features
        self._weight_attr, self._bias_attr, self._name = weight_attr, bias_attr, name
        shape = [out_features, in1_features, in2_features]
        self.weight = self.create_parameter(shape, weight_attr)
        self.bias = self.create_parameter([1, out_features], bias_attr, is_bias=True)

    def forward(self, x1, x2):
        return F.bilinear(x1, x2, self.weight, self.bias)

    def extra_repr(self):
        in1, in2, out = self._in1_features, self._in2_features, self._out_features
        label = f", name={self._name}" if self._name else ""
        return f"in1_features={in1}, in2_features={in2}, out_features={out}, dtype={self._dtype}{label}"


class Softmax2D(Layer):
    """Softmax over the channels of images [N, C, H, W] or [C, H, W].

    Args:
        name: Unused.

    Example:
        >>> paddle.nn.Softmax2D()(paddle.zeros([1, 2, 1, 1])).flatten().tolist()
        [0.5, 0.5]
    """

    def __init__(self, name=None):
        super().__init__()
        self._name = name

    def forward(self, x):
        return F.softmax(x, axis=-3)

    def extra_repr(self):
        return named("", self._name)


__getattr__ = _paths.names_of("paddle.nn")
