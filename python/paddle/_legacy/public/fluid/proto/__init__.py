# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The messages of program files."""

from ...base.proto import framework_pb2 as framework_pb2
