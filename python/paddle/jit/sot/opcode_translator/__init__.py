# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Path of PaddlePaddle's cache of interpreted bytecode."""
