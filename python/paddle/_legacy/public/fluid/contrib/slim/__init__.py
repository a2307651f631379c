# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Quantization by its older path; see `paddle.static.quantization` and `paddle.quantization`."""

from .... import _paths

_paths.attach(__name__)
