# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`import torch` that gives this package, for programs written for PyTorch.

It does so everywhere, or while the modules of a scope run. `sys.modules` holds one set of the modules `torch...`
at a time, proxies or PyTorch's own; the other set is kept aside.
"""

import contextlib
import importlib
import importlib.abc
import importlib.machinery
import sys
import types

TORCH_PROXY_BLOCKED_MODULES = set()  # modules that get PyTorch's own


# Names that a proxy has from elsewhere, as their arguments are PyTorch's: module -> name -> where.
_REPLACED = {
    "torch": {"relu": "paddle.nn.functional"},
    "torch.nn": dict.fromkeys(
        [
            *("AvgPool1D", "AvgPool1d", "AvgPool2D", "AvgPool2d", "AvgPool3D", "AvgPool3d"),
            *("Linear", "MultiheadAttention", "Softmax", "Unfold"),
        ],
        "paddle.compat.nn",
    ),
    "torch.nn.functional": dict.fromkeys(
        ["linear", "pad", "scaled_dot_product_attention", "softmax", "unfold"], "paddle.compat.nn.functional"
    ),
}
_OF_THE_TARGET = ("__all__", "__file__", "__git_commit__", "__version__")


class ProxyModule(types.ModuleType):
    """A module `torch...` with the names of `paddle...`, and those of `paddle.compat` where it has them."""

    def __getattr__(self, name):
        if name.startswith("__") and name not in _OF_THE_TARGET:
            raise AttributeError(name)
        target = self.__dict__["_target"]
        replaced = _REPLACED.get(self.__name__, {}).get(name)
        value = getattr(importlib.import_module(replaced) if replaced else target, name)
        submodule = isinstance(value, types.ModuleType) and value.__name__ == f"{target.__name__}.{name}"
        if submodule and not callable(value):  # torch.tensor and torch.device are called
            value = self.__dict__[name] = _proxy_of(f"{self.__name__}.{name}", value)
        return value

    def __dir__(self):
        return sorted({*dir(self.__dict__["_target"]), *_REPLACED.get(self.__name__, ())})


def _proxy_of(name, target):
    proxy = ProxyModule(name, target.__doc__)
    proxy.__dict__["_target"] = target
    return proxy


def _is_torch(name):
    return name == "torch" or name.startswith("torch.")


def _within(name, modules):
    """Whether a module is one of `modules`, or below one."""
    return any(name == module or name.startswith(f"{module}.") for module in modules)


class _Switched:
    """The loader of a module that runs with proxies, or with PyTorch's own modules."""

    def __init__(self, loader, proxies):
        self._loader, self._proxies = loader, proxies

    def __getattr__(self, name):
        return getattr(self._loader, name)

    def create_module(self, spec):
        return self._loader.create_module(spec)

    def exec_module(self, module):
        finder = TORCH_PROXY_FINDER
        before = finder.active
        finder.switch(self._proxies)
        try:
            self._loader.exec_module(module)
        finally:
            finder.switch(before)


class TorchProxyMetaFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds `torch` and what is below it as proxies, and switches to them for the modules of a scope."""

    def __init__(self):
        self._globally_enabled = False
        self._local_enabled_scope = set()
        self.active = False
        self._aside = {}

    def switch(self, proxies):
        """Let `sys.modules` hold the proxies, or PyTorch's own modules."""
        if proxies == self.active:
            return
        self._drop_strays()
        taken = {name: sys.modules.pop(name) for name in list(sys.modules) if _is_torch(name)}
        sys.modules.update(self._aside)
        self._aside, self.active = taken, proxies

    def _drop_strays(self):
        """Remove the proxies that functions of a module of the scope imported while PyTorch's own were in place."""
        for name in [] if self.active else list(sys.modules):
            if _is_torch(name) and isinstance(sys.modules[name], ProxyModule):
                del sys.modules[name]

    def set_state(self, everywhere, scope):
        """Give proxies everywhere, and to the modules of a scope."""
        self._globally_enabled, self._local_enabled_scope = everywhere, set(scope)
        self.switch(everywhere)
        self._drop_strays()
        wanted, there = everywhere or bool(scope), self in sys.meta_path
        if wanted and not there:
            sys.meta_path.insert(0, self)
        elif there and not wanted:
            sys.meta_path.remove(self)

    def _proxies_for(self, name):
        """Whether a module is to run with proxies."""
        if _within(name, TORCH_PROXY_BLOCKED_MODULES):
            return False
        return self._globally_enabled or _within(name, self._local_enabled_scope)

    def find_spec(self, fullname, path=None, target=None):
        if _is_torch(fullname):
            if self.active or self._proxies_for(_importer()):
                return importlib.machinery.ModuleSpec(fullname, self, is_package=True)
            return None
        if self._proxies_for(fullname) == self.active:
            return None
        spec = importlib.machinery.PathFinder.find_spec(fullname, path, target)
        if spec is not None and spec.loader is not None:
            spec.loader = _Switched(spec.loader, not self.active)
        return spec

    def create_module(self, spec):
        path = "paddle" + spec.name[len("torch") :]
        try:
            found = importlib.import_module(path)
        except ModuleNotFoundError as error:
            raise ModuleNotFoundError(f"No module named '{spec.name}': there is no {path}.", name=spec.name) from error
        return _proxy_of(spec.name, found)

    def exec_module(self, module):
        """A proxy has nothing to run."""


TORCH_PROXY_FINDER = TorchProxyMetaFinder()


def _importer():
    """Name of the module whose import statement runs."""
    frame = sys._getframe(2)
    while frame is not None and "importlib" in frame.f_code.co_filename:
        frame = frame.f_back
    return frame.f_globals.get("__name__", "") if frame is not None else ""


def _names(modules):
    return {modules} if isinstance(modules, str) else set(modules or ())


def extend_torch_proxy_blocked_modules(modules):
    """Name modules that get PyTorch's own modules, whatever `enable_torch_proxy` says.

    Args:
        modules: Names of modules; what is below them counts too.
    """
    TORCH_PROXY_BLOCKED_MODULES.update(_names(modules))


def enable_torch_proxy(*, scope=None, blocked_modules=None, backend="torch", silent=False):
    """Makes `import torch` give this package until `disable_torch_proxy`.

    Args:
        scope: Names of the modules that get it, with those below them; None: all.
        blocked_modules: Names of modules that do not get it.
        backend: 'torch'.
        silent: Whether to leave out the warning that PyTorch had been imported before.

    Raises:
        AssertionError: backend is not 'torch'.

    Example:
        >>> import paddle
        >>> paddle.enable_compat()
        >>> import torch
        >>> print(torch.ones([2]).sum().item())
        2.0
        >>> paddle.disable_compat()
    """
    assert backend == "torch", f"Unsupported backend: {backend}"
    extend_torch_proxy_blocked_modules(_names(blocked_modules))
    finder = TORCH_PROXY_FINDER
    if scope is None and not finder.active and not silent and any(map(_is_torch, sys.modules)):
        import warnings

        warnings.warn("enable_compat: torch had been imported before; those modules are hidden now.", stacklevel=2)
    finder.set_state(finder._globally_enabled or scope is None, finder._local_enabled_scope | _names(scope))


def disable_torch_proxy():
    """Makes `import torch` find PyTorch again, everywhere."""
    TORCH_PROXY_FINDER.set_state(False, ())


@contextlib.contextmanager
def use_torch_proxy_guard(*, enable=True, scope=None, silent=False):
    """Inside, `import torch` gives this package, or PyTorch where `enable` is False; then it is as before.

    Args:
        enable: Whether it gives this package.
        scope: Names of the modules that get it, with those below them; None: all.
        silent: Whether to leave out the warning that PyTorch had been imported before.

    Example:
        >>> import paddle
        >>> with paddle.use_compat_guard():
        ...     import torch
        ...     print(torch.full([2], 3.0).sum().item())
        6.0
    """
    finder = TORCH_PROXY_FINDER
    before = finder._globally_enabled, finder._local_enabled_scope
    enable_torch_proxy(scope=scope, silent=silent) if enable else disable_torch_proxy()
    try:
        yield
    finally:
        finder.set_state(*before)
