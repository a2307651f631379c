# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The state of a `Layer`: its tensors by name, taken and set."""

import collections
import warnings

from ... import _core
from ...framework.memory import write


class _IncompatibleKeys(collections.namedtuple("IncompatibleKeys", ["missing_keys", "unexpected_keys"])):
    """What `Layer.load_state_dict` did not find, and what it did not use."""

    __slots__ = ()

    def __repr__(self):
        return super().__repr__() if any(self) else "<All keys matched successfully>"

    __str__ = __repr__


class Stateful:
    """The part of `Layer` that gives and takes states; a base of nothing else."""

    _hook_tables = (
        "_state_dict_pre_hooks",
        "_state_dict_hooks",
        "_load_state_dict_pre_hooks",
        "_load_state_dict_post_hooks",
    )

    def register_state_dict_pre_hook(self, hook):
        """Call `hook(layer, prefix, keep_vars)` before `state_dict` takes the layer's tensors.

        Returns:
            A handle; its `remove()` takes the hook off.
        """
        return self._hooked("_state_dict_pre_hooks", hook)

    def register_state_dict_hook(self, hook):
        """Call `hook(state)` when `state_dict` has the layer's tensors; it may change the dict or return another.

        Returns:
            A handle; its `remove()` takes the hook off.
        """
        return self._hooked("_state_dict_hooks", hook)

    register_state_dict_post_hook = register_state_dict_hook

    def register_load_state_dict_pre_hook(self, hook):
        """Call a hook before `load_state_dict` sets values.

        Args:
            hook: Called as `hook(layer, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys,
                error_msgs)`; it may change the dict and the lists. local_metadata is empty.

        Returns:
            A handle; its `remove()` takes the hook off.

        Example:
            >>> layer = paddle.nn.Linear(2, 2, bias_attr=False)
            >>> def from_older_files(layer, state, prefix, *rest):
            ...     state[prefix + "weight"] = state.pop(prefix + "w")
            >>> handle = layer.register_load_state_dict_pre_hook(from_older_files)
            >>> layer.load_state_dict({"w": paddle.zeros([2, 2])})
            <All keys matched successfully>
        """
        return self._hooked("_load_state_dict_pre_hooks", hook)

    def register_load_state_dict_post_hook(self, hook):
        """Call `hook(layer, incompatible_keys)` when `load_state_dict` has set values; it may change the lists in it.

        Returns:
            A handle; its `remove()` takes the hook off.
        """
        return self._hooked("_load_state_dict_post_hooks", hook)

    def _hooked(self, table, hook):
        from .layers import HookRemoveHelper

        return HookRemoveHelper(getattr(self, table), hook)

    def state_dict(
        self,
        destination=None,
        include_sublayers=True,
        structured_name_prefix="",
        use_hook=True,
        keep_vars=True,
        *,
        prefix="",
    ):
        """Parameters and persistable buffers of the layer and its sublayers by dotted name.

        Args:
            destination: A dict that is filled; None for a new one.
            include_sublayers: False for the layer's own alone.
            structured_name_prefix: Put in front of the names.
            use_hook: Whether hooks on the state dict are called.
            keep_vars: False gives tensors without gradient.
            prefix: Another name of structured_name_prefix. By position, `(destination, prefix, keep_vars)` is
                PyTorch's order, which is taken where the second argument is a text.

        Returns:
            The dict; its tensors share their memory with the layer.

        Example:
            >>> list(paddle.nn.Linear(2, 3).state_dict())
            ['weight', 'bias']
        """
        if isinstance(include_sublayers, str):
            prefix, include_sublayers = include_sublayers, True
            if isinstance(structured_name_prefix, bool):
                keep_vars, structured_name_prefix = structured_name_prefix, ""
        prefix = structured_name_prefix or prefix
        return self._state_by_name(destination, include_sublayers, prefix, use_hook, keep_vars)

    def _state_by_name(self, destination=None, include_sublayers=True, prefix="", use_hook=True, keep_vars=True):
        """What `state_dict` gives, also where a subclass or a sublayer gives other names by a `state_dict` of its own."""
        state = collections.OrderedDict() if destination is None else destination
        if use_hook:
            for hook in self._state_dict_pre_hooks.values():
                hook(self, prefix, keep_vars)
        for name, p in self._parameters.items():
            if p is not None:
                state[prefix + name] = p if keep_vars else p.detach()
        for name, b in self._buffers.items():
            if b is not None and name not in self._non_persistable_buffer_names_set:
                state[prefix + name] = b if keep_vars else b.detach()
        if include_sublayers:
            for name, layer in self._sub_layers.items():
                if layer is not None:
                    layer._state_by_name(state, True, f"{prefix}{name}.", use_hook, keep_vars)
        if use_hook:
            for hook in self._state_dict_hooks.values():
                changed = hook(state)
                state = state if changed is None else changed
        return state

    def _obtain_parameters_buffers(self, destination=None, include_sublayers=True, structured_name_prefix=""):
        """The state dict without what hooks change."""
        return self._state_by_name(destination, include_sublayers, structured_name_prefix, use_hook=False)

    def sharded_state_dict(self, structured_name_prefix=""):
        """The state as `ShardedWeight`s: each tensor with its place in the whole.

        Args:
            structured_name_prefix: Put in front of each name.

        Returns:
            name -> ShardedWeight; a layer that holds a part of its tensors overrides this.
        """
        from ...distributed.flex_checkpoint.dcp.sharded_weight import build_sharded_state_dict

        state = {}
        for name, tensor in self.state_dict(include_sublayers=False).items():
            state[name] = tensor
        sharded = build_sharded_state_dict(state, None, structured_name_prefix)
        for name, child in self.named_children():
            sharded.update(child.sharded_state_dict(f"{structured_name_prefix}{name}."))
        return sharded

    def full(self, aoa_config=None, **kwargs):
        """An iterator over (name, whole tensor) of the state.

        Args:
            aoa_config: Renaming and merging of tensors between models; None for none.

        Raises:
            NotImplementedError: aoa_config is given, or a tensor is split over processes.
        """
        if aoa_config is not None:
            raise NotImplementedError("Layer.full: aoa_config is not supported by paddle; rename the tensors after.")
        for name, part in self.sharded_state_dict().items():
            if part.local_shape != part.global_shape:
                raise NotImplementedError(
                    f"Layer.full: {name} is split over processes, {part.local_shape} of {part.global_shape}; "
                    f"gather it with paddle.distributed first."
                )
            yield name, part.local_tensor

    def to_static_state_dict(
        self,
        destination=None,
        include_sublayers=True,
        structured_name_prefix="",
        use_hook=True,
        keep_vars=True,
    ):
        """Parameters and all buffers by dotted name."""
        state = self._state_by_name(destination, include_sublayers, structured_name_prefix, use_hook, keep_vars)
        for name, buffer in self.named_buffers(structured_name_prefix.rstrip("."), include_sublayers):
            state[name] = buffer if keep_vars else buffer.detach()
        return state

    def set_state_dict(self, state_dict, use_structured_name=True):
        """Take values from a state dict; keys that fit nothing are named in a warning.

        Args:
            state_dict: Names and tensors or arrays.
            use_structured_name: False when the keys are names of variables.

        Returns:
            The keys that are missing in `state_dict`, and the keys that fit nothing.

        Example:
            >>> one, other = paddle.nn.Linear(2, 2), paddle.nn.Linear(2, 2)
            >>> other.set_state_dict(one.state_dict())
            ([], [])
        """
        if not hasattr(state_dict, "keys"):
            kind = type(state_dict).__name__
            raise TypeError(f"set_state_dict: state_dict has type {kind}; it must be a dict of names and tensors.")
        own = self._state_by_name(use_hook=False)
        missing, used = [], set()
        for key, member in own.items():
            source = key if use_structured_name else member.name
            if source not in state_dict:
                warnings.warn(f"Skip loading for {key}. {key} is not found in the provided dict.")
                missing.append(key)
                continue
            value = state_dict[source]
            if not isinstance(value, _core.Tensor):
                value = _core.to_tensor(value)
            if list(value.shape) != list(member.shape):
                warnings.warn(
                    f"Skip loading for {key}. {key} receives a shape {list(value.shape)}, but the "
                    f"expected shape is {list(member.shape)}."
                )
                missing.append(key)
                continue
            used.add(source)
            write(member, value)
        return missing, [key for key in state_dict if key not in used]

    set_dict = load_dict = set_state_dict

    def load_state_dict(self, state_dict, strict=True, assign=False):
        """`set_state_dict` that raises RuntimeError on missing or unexpected keys, and calls hooks.

        Args:
            state_dict: Tensors or arrays by name, as `state_dict()` gives them.
            strict: Whether keys that are missing or fit nothing are an error.
            assign: Whether the tensors themselves take the places of those that are there, instead of their values.

        Returns:
            A tuple with the names `missing_keys` and `unexpected_keys`.

        Raises:
            AssertionError: A hook that is called afterwards returned something.
            RuntimeError: strict is True and keys are missing or fit nothing, or a hook reported an error.

        Example:
            >>> layer, other = paddle.nn.Linear(2, 1), paddle.nn.Linear(2, 1)
            >>> layer.load_state_dict(other.state_dict()).missing_keys
            []
            >>> layer.load_state_dict({"weight": other.weight}, strict=False).missing_keys
            ['bias']
        """
        keys, errors = _IncompatibleKeys([], []), []
        layers = list(self._layers_by_prefix())
        if any(layer._load_state_dict_pre_hooks for _, layer in layers):
            state_dict = collections.OrderedDict(state_dict)
        for prefix, layer in layers:
            for hook in layer._load_state_dict_pre_hooks.values():
                hook(layer, state_dict, prefix, {}, strict, *keys, errors)
        for listed, found in zip(keys, self.set_state_dict(state_dict), strict=True):
            listed.extend(found)
        for _, layer in reversed(layers):
            for hook in layer._load_state_dict_post_hooks.values():
                if hook(layer, keys) is not None:
                    raise AssertionError(
                        "load_state_dict: Hooks registered with ``register_load_state_dict_post_hook`` must return "
                        "None; change the lists they are given."
                    )
        if errors or (strict and any(keys)):
            raise RuntimeError(
                f"load_state_dict: missing keys {keys.missing_keys}, unexpected keys {keys.unexpected_keys}; "
                f"pass strict=False to load the rest. {' '.join(map(str, errors))}".rstrip()
            )
        return keys

    def _layers_by_prefix(self, prefix=""):
        """(prefix of its names, layer) for the layer and those below it, from the top."""
        yield prefix, self
        for name, layer in self._sub_layers.items():
            if layer is not None:
                yield from layer._layers_by_prefix(f"{prefix}{name}.")
