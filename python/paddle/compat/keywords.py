# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Keywords that functions of `paddle.compat` refuse, as they belong to PaddlePaddle's functions of that name."""

import functools


def forbid(function, paddle_function, names):
    """`function`, which refuses the keywords of PaddlePaddle's function of that name."""

    @functools.wraps(function)
    def checked(*args, **kwargs):
        wrong = sorted(names & set(kwargs))
        if wrong:
            raise TypeError(
                f"{function.__module__}.{function.__name__}: unexpected keyword arguments {wrong}; "
                f"did you mean {paddle_function}()?"
            )
        return function(*args, **kwargs)

    return checked


def like_torch(paddle_function, names):
    """Decorator of a function that refuses some keywords."""
    return lambda function: forbid(function, paddle_function, set(names))
