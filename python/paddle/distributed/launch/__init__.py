# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`python -m paddle.distributed.launch script.py`: run a script as a job of one process."""

from .main import launch
