// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Documents of the tensor type and of the methods that every program uses. A test runs the
// examples.
#pragma once

namespace paddle::bindings {

inline constexpr char kTensorDoc[] = R"(An array of numbers of one dtype and any number of axes.

`paddle.to_tensor(values)` makes one. Calls on tensors whose `stop_gradient` is False are recorded, and `backward()`
of a result accumulates their gradients in `grad`. Indices, slices, broadcasting and arithmetic follow NumPy; views
share memory with what they were taken from.

Example:
    >>> x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]], stop_gradient=False)
    >>> x.shape, x.dtype
    (paddle.Size([2, 2]), paddle.float32)
    >>> (x[0] * x[1]).sum().backward()
    >>> x.grad.tolist()
    [[3.0, 4.0], [1.0, 2.0]]
)";

inline constexpr char kNumpyDoc[] = R"(numpy($self, blocking=True, *, force=False)
--

The values as a new NumPy array of the same shape; bfloat16 becomes uint16, its bits.

Args:
    blocking: Accepted: the values are there when the call returns.
    force: Accepted: a copy leaves the recorded graph in any case.

Example:
    >>> paddle.arange(3).numpy()
    array([0, 1, 2])
)";

inline constexpr char kToListDoc[] = R"(tolist($self)
--

The values as nested lists of Python numbers; a number for shape [].

Example:
    >>> paddle.ones([2, 1]).tolist()
    [[1.0], [1.0]]
)";

inline constexpr char kItemDoc[] = R"(item($self, *args)
--

One element as a Python number: the only one, or that of an index into all elements, or of one index per axis.

Raises:
    ValueError: There are several elements and no index.
    IndexError: The index is outside of the tensor.

Example:
    >>> x = paddle.to_tensor([[1, 2], [3, 4]])
    >>> x.sum().item(), x.item(3), x.item(1, 0)
    (10, 4, 3)
)";

inline constexpr char kDetachDoc[] = R"(detach($self)
--

A tensor on the same memory that no gradient flows through; a write to one is seen in the other.

Example:
    >>> x = paddle.ones([2])
    >>> x.stop_gradient = False
    >>> (x * 2).detach().stop_gradient
    True
)";

inline constexpr char kToDoc[] = R"(to($self, *args, **kwargs)
--

The tensor on another device or with another dtype; itself where nothing changes.

Args:
    args: A device, a dtype or a Tensor whose device and dtype are taken, in any order.
    kwargs: `device`, `dtype`, `other`; `blocking`, `non_blocking`, `copy` and `memory_format` are accepted.

Raises:
    TypeError: An argument is none of these.

Example:
    >>> paddle.ones([2]).to("float64").dtype
    paddle.float64
)";

inline constexpr char kSetValueDoc[] = R"(set_value($self, value)
--

Overwrites the values in place.

Args:
    value: A Tensor, array or nested lists of the same shape; cast to the dtype of this tensor.

Raises:
    ValueError: The shapes differ.

Example:
    >>> x = paddle.zeros([2])
    >>> x.set_value(paddle.ones([2]))
    >>> x.tolist()
    [1.0, 1.0]
)";

inline constexpr char kBackwardDoc[] =
    R"(backward($self, grad_tensor=None, retain_graph=False, *, dump_backward_graph_path=None)
--

Adds the derivatives of this tensor to `grad` of every leaf that it was computed from.

Args:
    grad_tensor: Its own gradient, a Tensor of its shape; None is ones.
    retain_graph: Whether the recorded graph is kept, for another call.
    dump_backward_graph_path: Not there in paddle.

Raises:
    RuntimeError: The graph was freed by an earlier call.

Example:
    >>> x = paddle.to_tensor(3.0, stop_gradient=False)
    >>> (x * x).backward()
    >>> float(x.grad)
    6.0
)";

inline constexpr char kRegisterHookDoc[] = R"(register_hook($self, hook)
--

Calls `hook(grad)` when backward has the gradient of this tensor; what it returns, unless None, takes its place.

Args:
    hook: A function of one Tensor.

Returns:
    A handle; `remove()` ends the calls.

Example:
    >>> x = paddle.to_tensor(3.0, stop_gradient=False)
    >>> handle = x.register_hook(lambda grad: grad * 2)
    >>> (x * x).backward()
    >>> float(x.grad)
    12.0
)";

inline constexpr char kShapeDoc[] = R"(The extents, a paddle.Size: a list of ints with `numel()`.

In a captured program an extent that may differ between runs is a `paddle.SymInt`, with which can be calculated.

Example:
    >>> x = paddle.zeros([2, 3])
    >>> x.shape, x.shape[-1], x.shape.numel()
    (paddle.Size([2, 3]), 3, 6)
)";

inline constexpr char kDTypeDoc[] =
    R"(The dtype of the elements: paddle.float32, paddle.int64, paddle.bool, ...

Example:
    >>> paddle.ones([2]).dtype == paddle.float32, paddle.to_tensor([1]).dtype == "int64"
    (True, True)
)";

inline constexpr char kNdimDoc[] = R"(Number of axes; 0 for a number.

Example:
    >>> paddle.zeros([2, 3]).ndim
    2
)";

inline constexpr char kSizeDoc[] = R"(Number of elements; called, `x.size()`, the shape.

Example:
    >>> paddle.zeros([2, 3]).size
    6
)";

inline constexpr char kStopGradientDoc[] =
    R"(True: no gradient flows into this tensor, and calls with it alone are not recorded.

True for new tensors, False for parameters and for what is computed from a tensor with False.

Example:
    >>> x = paddle.ones([2])
    >>> x.stop_gradient = False
    >>> (x * 2).stop_gradient
    False
)";

inline constexpr char kGradDoc[] =
    R"(The gradient that `backward()` accumulated, a Tensor of the same shape, or None.

Only leaves with stop_gradient False have one, and tensors with `retain_grads()`.

Example:
    >>> x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    >>> (x * x).sum().backward()
    >>> x.grad.tolist()
    [2.0, 4.0]
)";

inline constexpr char kTransposedDoc[] = R"(All axes reversed, as a view.

Example:
    >>> paddle.zeros([2, 3]).T.shape
    paddle.Size([3, 2])
)";

inline constexpr char kCpuDoc[] = R"(cpu($self)
--

The tensor in host memory: itself where it lies there.
)";

inline constexpr char kContiguousDoc[] = R"(contiguous($self)
--

Itself where its elements lie in row-major order without gaps, else a copy in which they do.

Example:
    >>> paddle.zeros([2, 3]).T.contiguous().is_contiguous()
    True
)";

inline constexpr char kClearGradDoc[] = R"(clear_grad($self, set_to_zero=True)
--

Takes the gradient away before the next backward pass.

Args:
    set_to_zero: True: `grad` holds zeros. False: it is None.

Example:
    >>> x = paddle.to_tensor([1.0], stop_gradient=False)
    >>> (x * 3).sum().backward()
    >>> x.clear_grad()
    >>> x.grad.tolist()
    [0.0]
)";

}  // namespace paddle::bindings
