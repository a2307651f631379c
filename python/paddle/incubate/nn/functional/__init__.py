# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Functions that join several steps of a network."""

from .... import _bind
from . import attention, counting, decoder, experts, fp8, fused, gate_attention, generation, gpu_only, rotary, routing

__all__ = []
for _module in (
    attention,
    counting,
    decoder,
    experts,
    fp8,
    fused,
    gate_attention,
    generation,
    gpu_only,
    rotary,
    routing,
):
    for _name in _module.__all__:
        globals()[_name] = getattr(_module, _name)
        __all__.append(_name)
_bind.complete(__name__, globals())
