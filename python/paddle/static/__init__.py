# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""What programs import from `paddle.static`: `InputSpec` for `paddle.jit`."""

from .. import _lazy

__getattr__ = _lazy.attribute_hook(__name__, (), {"InputSpec": ("paddle.jit.spec", "InputSpec")})
