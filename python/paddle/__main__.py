# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`python -m paddle`: the command line."""

import sys

from .command_line import main

if __name__ == "__main__":
    sys.exit(main())
