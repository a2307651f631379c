# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`OpProtoHolder`: what operators there are, and their arguments."""

from .. import _core


class OpProtoHolder:
    """The operators of this build by name; one object serves the process."""

    _instance = None

    @classmethod
    def instance(cls):
        """The object."""
        if cls._instance is None:
            cls._instance = cls()
        return cls._instance

    def has_op_proto(self, type):
        """Whether there is an operator of that name."""
        return isinstance(type, str) and hasattr(_core.ops, type)

    def get_op_proto(self, type):
        """The description of an operator, as `paddle._core.describe_op` gives it.

        Raises:
            ValueError: There is no operator of that name.
        """
        if not self.has_op_proto(type):
            raise ValueError(f'OpProtoHolder.get_op_proto: operator "{type}" is not registered in this build.')
        return _core.describe_op(type)
