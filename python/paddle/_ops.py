# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`paddle.ops`: `paddle.ops.mine.twice` is the function that `paddle.library.custom_op` registered as 'mine::twice'."""

import types


class OverloadedOpFunction:
    """An operator of a namespace; it is looked up when it is called.

    Args:
        namespace: The namespace.
        name: Name of the operator.
    """

    def __init__(self, namespace, name):
        self.namespace, self.name = namespace, name

    def __call__(self, *args, **kwargs):
        from .library import _functions

        found = _functions.get(f"{self.namespace}::{self.name}")
        if found is None:
            raise AttributeError(f"ops: there is no operator '{self.namespace}::{self.name}'; register it first.")
        return found._fn(*args, **kwargs)


class _Lookup(types.ModuleType):
    _make = None

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(f"module '{self.__name__}' has no attribute '{name}'")
        made = self._make(name)
        setattr(self, name, made)
        return made


class OpNameSpace(_Lookup):
    """The operators of a namespace."""

    def _make(self, name):
        return OverloadedOpFunction(self.__name__.rpartition(".")[2], name)


class PaddleOpsModule(_Lookup):
    """The namespaces of operators."""

    def _make(self, name):
        return OpNameSpace(f"{self.__name__}.{name}")


ops = PaddleOpsModule("paddle.ops")
