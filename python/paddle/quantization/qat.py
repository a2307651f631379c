# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`QAT` under the module path that programs import it from."""

from .quantize import QAT, Quantization

__all__ = ["QAT", "Quantization"]
