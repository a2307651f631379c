# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Regions of static mode, by the kind of programs that earlier versions made in them. There is one kind here; what
differs inside is what `in_pir_mode()` and `FLAGS_enable_pir_api` say."""

from .framework import modes


class _Region:
    """Context manager: static mode, or dynamic mode, with programs of one kind."""

    _pir, _static = True, True

    def __init__(self):
        self._outer = []

    def __enter__(self):
        self._outer.append((modes.in_dynamic_mode(), modes.set_pir_api(self._pir)))
        if self._static:
            modes.enable_static()
        else:
            modes.disable_static()
        return self

    def __exit__(self, exc_type, exc_val, exc_tb):
        dynamic, pir = self._outer.pop()
        modes.set_pir_api(pir)
        if dynamic:
            modes.disable_static()
        else:
            modes.enable_static()
        return False


class IrGuard(_Region):
    """Inside, calls are recorded into a program."""


class OldIrGuard(_Region):
    """Inside, calls are recorded into a program, and `in_pir_mode()` is False."""

    _pir = False


class DygraphPirGuard(_Region):
    """Inside, calls run at once."""

    _static = False


class DygraphOldIrGuard(_Region):
    """Inside, calls run at once, and functions that `to_static` turns into programs find `use_pir_api()` False."""

    _pir, _static = False, False


__all__ = ["DygraphOldIrGuard", "DygraphPirGuard", "IrGuard", "OldIrGuard"]
