# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`import torch` that gives this package, for programs written for PyTorch."""

import contextlib
import importlib
import importlib.abc
import importlib.machinery
import sys
import types


class _Proxy(types.ModuleType):
    """A module `torch...` with the names of `paddle...`."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.__dict__["_target"], name)

    def __dir__(self):
        return dir(self.__dict__["_target"])


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds `torch` and what is below it as proxies."""

    def find_spec(self, fullname, path=None, target=None):
        if fullname != "torch" and not fullname.startswith("torch."):
            return None
        return importlib.machinery.ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec):
        path = "paddle" + spec.name[len("torch") :]
        try:
            found = importlib.import_module(path)
        except ModuleNotFoundError as error:
            raise ModuleNotFoundError(f"No module named '{spec.name}': there is no {path}.", name=spec.name) from error
        proxy = _Proxy(spec.name)
        proxy.__dict__["_target"] = found
        return proxy

    def exec_module(self, module):
        """A proxy has nothing to run."""


_finder = _Finder()
_hidden = {}


def _take_modules():
    taken = {name: sys.modules[name] for name in list(sys.modules) if name == "torch" or name.startswith("torch.")}
    for name in taken:
        del sys.modules[name]
    return taken


def enable_torch_proxy(*, scope=None, blocked_modules=None, backend="torch", silent=False):
    """Makes `import torch` give this package until `disable_torch_proxy`.

    Args:
        scope: Modules that get the proxy; only None, all of them, is supported.
        blocked_modules: Modules that do not get it; only None is supported.
        backend: 'torch'.
        silent: Whether to leave out the warning that PyTorch had been imported before.

    Raises:
        AssertionError: backend is not 'torch'.
        NotImplementedError: scope or blocked_modules is given.

    Examples:
        >>> import paddle
        >>> paddle.enable_compat()
        >>> import torch
        >>> print(torch.ones([2]).sum().item())
        2.0
        >>> paddle.disable_compat()
    """
    assert backend == "torch", f"Unsupported backend: {backend}"
    if scope is not None or blocked_modules is not None:
        raise NotImplementedError("enable_compat: scope and blocked_modules are not supported; leave them None.")
    if _finder in sys.meta_path:
        return
    _hidden.update(_take_modules())
    if _hidden and not silent:
        import warnings

        warnings.warn("enable_compat: torch had been imported before; those modules are hidden now.", stacklevel=2)
    sys.meta_path.insert(0, _finder)


def disable_torch_proxy():
    """Makes `import torch` find PyTorch again."""
    if _finder not in sys.meta_path:
        return
    sys.meta_path.remove(_finder)
    _take_modules()
    sys.modules.update(_hidden)
    _hidden.clear()


@contextlib.contextmanager
def use_torch_proxy_guard(*, enable=True, scope=None, silent=False):
    """Inside, `import torch` gives this package, or PyTorch where `enable` is False; then it is as before.

    Args:
        enable: Whether it gives this package.
        scope: Modules that get the proxy; only None, all of them, is supported.
        silent: Whether to leave out the warning that PyTorch had been imported before.

    Examples:
        >>> import paddle
        >>> with paddle.use_compat_guard():
        ...     import torch
        ...     print(torch.full([2], 3.0).sum().item())
        6.0
    """
    before = _finder in sys.meta_path
    if enable != before:
        enable_torch_proxy(scope=scope, silent=silent) if enable else disable_torch_proxy()
    try:
        yield
    finally:
        if enable and not before:
            disable_torch_proxy()
        elif before and not enable:
            enable_torch_proxy(silent=True)
