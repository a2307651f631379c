# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Models in other forms: the commands `paddle convert` and `paddle quantize`, and what a quantised model costs."""

from ... import _lazy

__all__ = ["Figures", "cache_perplexity", "measure", "perplexity", "write_model"]

_FROM = {
    name: ("paddle.llm.conversion.measuring", name) for name in ("Figures", "cache_perplexity", "measure", "perplexity")
}
_FROM["write_model"] = ("paddle.llm.conversion.writing", "write_model")
__getattr__ = _lazy.attribute_hook(__name__, (), _FROM)
