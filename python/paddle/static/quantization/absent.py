# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Classes of the earlier graph form, which paddle does not have."""


def absent(name):
    """A class whose construction raises NotImplementedError.

    Args:
        name: Its name.
    """

    def __init__(self, *args, **kwargs):
        raise NotImplementedError(
            f"{name}: it rewrites the earlier graph form, which paddle does not have; quantize the network "
            f"with paddle.quantization.QAT, PTQ or ImperativeQuantAware and save it with paddle.jit.save."
        )

    return type(name, (), {"__init__": __init__, "__doc__": f"{name} of the earlier graph form; raises when made."})
