# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Saving and loading of programs under another of their paths."""

from .io import load, load_inference_model, normalize_program, save, save_inference_model

__all__ = ["load", "load_inference_model", "normalize_program", "save", "save_inference_model"]
