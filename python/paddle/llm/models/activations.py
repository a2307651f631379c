# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The activations of models, by the names that configs have."""

from ...nn import functional as F

ACTIVATIONS = {
    "silu": F.silu,
    "gelu": F.gelu,
    "gelu_tanh": lambda x: F.gelu(x, approximate=True),
}
# Spelled as config.json may.
SPELLED = {
    "silu": "silu",
    "swish": "silu",
    "gelu": "gelu",
    "gelu_pytorch_tanh": "gelu_tanh",
    "gelu_new": "gelu_tanh",
}


def activation_of(spelled):
    """The name of an activation in a config.json.

    Raises:
        ValueError: There is none of that name.
    """
    if spelled not in SPELLED:
        raise ValueError(f"config.json: the activation is {spelled!r}; it must be one of {', '.join(SPELLED)}.")
    return SPELLED[spelled]


def gated(activation, gate, up):
    """activation(gate) * up for the name of an activation."""
    return F.swiglu(gate, up) if activation == "silu" else ACTIVATIONS[activation](gate) * up
