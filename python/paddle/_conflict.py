# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Refuses to run beside an installed `paddlepaddle`, which owns the same import name."""

import os

_RIVALS = ("paddlepaddle-", "paddlepaddle_gpu-", "paddlepaddle_xpu-", "paddlepaddle_dcu-")


def check(package_path):
    """Raise ImportError when a `paddlepaddle` distribution shares our site directory.

    Args:
        package_path: `__path__` of the package.
    """
    if os.environ.get("PADDLE_CORE_ALLOW_CONFLICT") == "1":
        return
    import sys

    own = {os.path.dirname(os.path.abspath(p)) for p in package_path}
    sites = {p for p in sys.path if p.endswith(("site-packages", "dist-packages"))}
    for folder in own | sites:
        try:
            names = os.listdir(folder)
        except OSError:
            continue
        for name in names:
            if name.startswith(_RIVALS) and name.endswith((".dist-info", ".egg-info")):
                rival = name.split("-", 1)[0].replace("_", "-")
                raise ImportError(
                    f"paddle: both '{rival}' and 'paddle-core' are installed (found {name} in "
                    f"{folder}) and both are imported as 'paddle'; keep one of them, for "
                    f"example run `pip uninstall {rival}`."
                )
