# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Passes over lists of static programs: a registry by name, a context that they share, and a manager that applies
several in order."""

import abc

__all__ = ["PassBase", "PassContext", "PassManager", "new_pass", "register_pass"]


class PassContext:
    """What passes tell each other, and which of them were applied."""

    def __init__(self):
        self._applied, self._attrs = [], {}

    @property
    def passes(self):
        """The passes that were applied, in order."""
        return self._applied

    def set_attr(self, key, value):
        """Keep a value for later passes."""
        self._attrs[key] = value

    def get_attr(self, key, default=None):
        """A value that a pass kept, or `default`."""
        return self._attrs.get(key, default)

    def _add_pass(self, applied):
        self._applied.append(applied)


class PassBase(abc.ABC):
    """Base of passes. A subclass says what it changes in `_apply_single_impl`, and whether it can in `_check_self`."""

    _REGISTERED_PASSES = {}
    name = None

    def __init__(self):
        self._attrs = {}

    def set_attr(self, key, value):
        """Set a setting; returns the pass."""
        self._attrs[key] = value
        return self

    def get_attr(self, key, default=None):
        """A setting, or `default`."""
        return self._attrs.get(key, default)

    @abc.abstractmethod
    def _check_self(self):
        """Whether the settings allow the pass."""

    @abc.abstractmethod
    def _check_conflict(self, other_pass):
        """Whether the pass may come after another one."""

    @abc.abstractmethod
    def _apply_single_impl(self, main_program, startup_program, context):
        """Change one program."""

    def _apply_impl(self, main_programs, startup_programs, context):
        for main, startup in zip(main_programs, startup_programs, strict=True):
            self._apply_single_impl(main, startup, context)

    def apply(self, main_programs, startup_programs, context=None):
        """Change programs, unless the settings or a pass that was applied before forbid it.

        Args:
            main_programs: Programs.
            startup_programs: Their startup programs.
            context: A PassContext; a new one by default.

        Returns:
            The context.
        """
        context = PassContext() if context is None else context
        if self._check_self() and all(self._check_conflict(other) for other in context.passes):
            self._apply_impl(main_programs, startup_programs, context)
            context._add_pass(self)
        return context


def register_pass(name):
    """A decorator that gives a pass a name for `new_pass`.

    Args:
        name: The name; another pass of that name must not exist.
    """

    def register(cls):
        known = PassBase._REGISTERED_PASSES
        assert issubclass(cls, PassBase), f"register_pass: {cls!r} must be a subclass of PassBase."
        assert name not in known, f"register_pass: there is a pass {name} already."
        cls.name = name
        known[name] = cls
        return cls

    return register


def new_pass(name, pass_attrs={}):  # noqa: B006
    """A pass of a name with settings.

    Args:
        name: The name that `register_pass` was given.
        pass_attrs: Settings by name.

    Raises:
        AssertionError: No pass has the name.

    Example:
        >>> import paddle
        >>> from paddle.distributed.passes import PassManager, new_pass
        >>> from paddle.distributed.passes.pass_base import PassBase, register_pass
        >>> @register_pass("name_programs")
        ... class NamePrograms(PassBase):
        ...     def _check_self(self):
        ...         return self.get_attr("to") is not None
        ...     def _check_conflict(self, other_pass):
        ...         return True
        ...     def _apply_single_impl(self, main_program, startup_program, context):
        ...         context.set_attr("named", self.get_attr("to"))
        >>> manager = PassManager([new_pass("name_programs", {"to": "m"})])
        >>> context = manager.apply([paddle.static.Program()], [paddle.static.Program()])
        >>> manager.names, context.get_attr("named")
        (['name_programs'], 'm')
    """
    cls = PassBase._REGISTERED_PASSES.get(name)
    assert cls is not None, f"Pass {name} is not registered: register_pass gives a pass its name."
    made = cls()
    for key, value in pass_attrs.items():
        made.set_attr(key, value)
    return made


class PassManager:
    """Passes that are applied one after another.

    Args:
        passes: The passes.
        context: A PassContext; a new one by default.
        auto_solve_conflict: Leave a pass out that may not come after an earlier one.

    Raises:
        ValueError: `auto_solve_conflict` is False and a pass may not come after an earlier one.
    """

    def __init__(self, passes, context=None, auto_solve_conflict=True):
        self._context = PassContext() if context is None else context
        self._passes = []
        for one in passes:
            blocked = next((p for p in self._passes if not one._check_conflict(p)), None)
            if blocked is None:
                self._passes.append(one)
            elif not auto_solve_conflict:
                raise ValueError(f"PassManager: the pass {one.name} may not come after {blocked.name}.")

    def apply(self, main_programs, startup_programs):
        """Apply the passes in order; returns the context."""
        for one in self._passes:
            self._context = one.apply(main_programs, startup_programs, self._context)
        return self._context

    @property
    def context(self):
        """The context of the passes."""
        return self._context

    @property
    def names(self):
        """Names of the passes."""
        return [one.name for one in self._passes]

    @property
    def passes(self):
        """The passes."""
        return tuple(self._passes)
