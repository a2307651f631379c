# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Saving and loading of programs under another of their paths."""

from ..framework.parameter import EagerParamBase
from .io import load, load_inference_model, normalize_program, save, save_inference_model


def get_pir_parameters(program):
    """The parameters of a program, and its other state, as two lists."""
    kept = program._persistables()
    parameters = [t for t in kept if isinstance(t, EagerParamBase)]
    return parameters, [t for t in kept if not isinstance(t, EagerParamBase)]


__all__ = ["get_pir_parameters", "load", "load_inference_model", "normalize_program", "save", "save_inference_model"]
