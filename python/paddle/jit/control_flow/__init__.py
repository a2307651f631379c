# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Python's control flow, plain until a tensor of a capture decides: what functions call whose syntax trees were
changed."""
