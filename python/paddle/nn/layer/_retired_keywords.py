# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The retired keywords size_average and reduce of loss layers."""

import functools


def reduction_only(cls):
    """Class decorator: size_average and reduce raise a ValueError that names the reduction to use."""
    init = cls.__init__

    @functools.wraps(init)
    def checked(self, *args, **kwargs):
        if kwargs and ("size_average" in kwargs or "reduce" in kwargs):
            average, reduce = kwargs.get("size_average"), kwargs.get("reduce")
            meant = "none" if reduce is False else "sum" if average is False else "mean"
            raise ValueError(
                f"{cls.__name__}: size_average and reduce are no longer supported; pass reduction={meant!r}."
            )
        init(self, *args, **kwargs)

    cls.__init__ = checked
    return cls
