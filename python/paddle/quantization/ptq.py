# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`PTQ` under the module path that programs import it from."""

from .quantize import PTQ, Quantization

__all__ = ["PTQ", "Quantization"]
