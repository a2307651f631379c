# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Hooks on the gradients of a `Layer`: of its outputs before, and of its inputs after its backward pass."""

from ... import _core


def _identity(pass_back):
    """A function that returns tensors as they are, and gives their gradients to `pass_back` as a tuple."""
    from ...autograd import PyLayer

    class Identity(PyLayer):
        @staticmethod
        def forward(ctx, *tensors):
            return tuple(_core.ops.assign(x) for x in tensors)

        @staticmethod
        def backward(ctx, *grads):
            return pass_back(grads)

    return Identity.apply


def _replaced(tree, fn):
    """A tensor, or a tuple, list or dict of such, with the tensors that take part in gradients given by fn."""
    found = []

    def collect(node):
        if isinstance(node, _core.Tensor):
            if not node.stop_gradient:
                found.append(node)
        elif isinstance(node, (tuple, list)):
            for item in node:
                collect(item)
        elif isinstance(node, dict):
            for item in node.values():
                collect(item)

    def rebuild(node):
        if isinstance(node, _core.Tensor):
            return node if node.stop_gradient else next(made)
        if isinstance(node, tuple) and hasattr(node, "_fields"):
            return type(node)(*map(rebuild, node))
        if isinstance(node, (tuple, list)):
            return type(node)(map(rebuild, node))
        if isinstance(node, dict):
            return type(node)((key, rebuild(item)) for key, item in node.items())
        return node

    collect(tree)
    if not found:
        return tree, 0
    made = iter(fn(*found))
    return rebuild(tree), len(found)


def _changed(grads, result):
    if result is None:
        return grads
    result = result if isinstance(result, tuple) else (result,)
    if len(result) != len(grads):
        raise ValueError(f"backward hook: it returned {len(result)} gradients; there are {len(grads)}.")
    return result


class _Call:
    """One forward pass of a layer with hooks: what its gradients meet on their way back."""

    def __init__(self, layer):
        self.layer, self.num_inputs, self.outputs = layer, 0, None

    def watch_inputs(self, inputs):
        inputs, self.num_inputs = _replaced(inputs, _identity(self._leave))
        return inputs

    def watch_outputs(self, outputs):
        return _replaced(outputs, _identity(self._enter))[0]

    def _enter(self, grads):
        for hook in list(self.layer._backward_pre_hooks.values()):
            grads = _changed(grads, hook(self.layer, grads))
        self.outputs = grads
        if not self.num_inputs:
            for hook in list(self.layer._backward_hooks.values()):
                hook(self.layer, (None,), grads)
        return grads

    def _leave(self, grads):
        for hook in list(self.layer._backward_hooks.values()):
            grads = _changed(grads, hook(self.layer, grads, self.outputs))
        return grads


class BackwardHooked:
    """The part of `Layer` that takes hooks on gradients; a base of nothing else."""

    def register_full_backward_pre_hook(self, hook, prepend=False):
        """Call `hook(layer, grad_output)` when the gradients of the layer's outputs are known.

        Args:
            hook: A callable; it may return other gradients of the outputs. grad_output is a tuple of Tensors.
            prepend: Whether it is called before the hooks that are there.

        Returns:
            A handle; its `remove()` takes the hook off.
        """
        return self._hook_gradients("_backward_pre_hooks", hook, prepend)

    def register_full_backward_hook(self, hook, prepend=False):
        """Call `hook(layer, grad_input, grad_output)` when the gradients of the layer's positional inputs are known.

        Args:
            hook: A callable; it may return other gradients of the inputs. Both are tuples of Tensors, of those inputs
                and outputs that take part in gradients; grad_input is (None,) where no input does.
            prepend: Whether it is called before the hooks that are there.

        Returns:
            A handle; its `remove()` takes the hook off.

        Raises:
            RuntimeError: The layer has hooks of `register_backward_hook`.

        Example:
            >>> layer = paddle.nn.ReLU()
            >>> _ = layer.register_full_backward_hook(lambda layer, grad_in, grad_out: (grad_in[0] * 10,))
            >>> x = paddle.to_tensor([-1.0, 2.0], stop_gradient=False)
            >>> layer(x).sum().backward()
            >>> x.grad.tolist()
            [0.0, 10.0]
        """
        return self._hook_gradients("_backward_hooks", hook, prepend, True)

    def register_backward_hook(self, hook):
        """As `register_full_backward_hook`, by an older name; a layer takes hooks of one of the names.

        Raises:
            RuntimeError: The layer has hooks of `register_full_backward_hook`.
        """
        return self._hook_gradients("_backward_hooks", hook, False, False)

    def _hook_gradients(self, table, hook, prepend, full=None):
        from .layers import HookRemoveHelper

        if full is not None:
            if self._is_full_backward_hook not in (None, full):
                raise RuntimeError(
                    "Cannot use both regular backward hooks and full backward hooks on one Layer; remove one kind first."
                )
            self._is_full_backward_hook = full
        if not self._gradients_watched:
            self._gradients_watched = True
            calls = []

            def before(layer, inputs):
                calls.append(_Call(layer))
                return calls[-1].watch_inputs(inputs)

            def after(layer, inputs, outputs):
                return calls.pop().watch_outputs(outputs) if calls else outputs

            self.register_forward_pre_hook(before)
            self.register_forward_post_hook(after)
        return HookRemoveHelper(self.__dict__[table], hook, prepend)

    def _get_backward_hooks(self):
        """The hooks after the backward pass: (those of `register_full_backward_hook`, the others)."""
        hooks = list(self._backward_hooks.values())
        return (hooks, []) if self._is_full_backward_hook else ([], hooks)

    def _get_backward_pre_hooks(self):
        """The hooks before the backward pass."""
        return list(self._backward_pre_hooks.values())

    def _start_backward_hooks(self):
        own = self.__dict__
        own["_backward_pre_hooks"], own["_backward_hooks"] = {}, {}
        own["_is_full_backward_hook"], own["_gradients_watched"] = None, False
