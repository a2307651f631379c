# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The door to names and calling forms of PaddlePaddle 1 and 2.

Files in `public` are modules of `paddle` itself: `public/fluid` is `paddle.fluid`. The rest of the package reaches what is
behind the door by the names of the table below, each loaded on first use.
"""

import os

from .. import _lazy

PUBLIC = os.path.join(os.path.dirname(__file__), "public")
# name -> (module, attribute, or None for the module)
_FROM = {
    "absent_error": ("paddle._legacy.absent", "error"),
    "absent_names": ("paddle._legacy.absent", "names_of"),
    "OpDesc": ("paddle._legacy.operators.slots.scope_operator", "OpDesc"),
    "fill_by_slots": ("paddle._legacy.operators.slots.call", "fill"),
    "is_call_by_slots": ("paddle._legacy.operators.slots.call", "is_call"),
    "messages": ("paddle.base.proto.framework_pb2", None),
    "new_type": ("paddle._legacy.operators.names", "new_type"),
    "old_type": ("paddle._legacy.operators.names", "old_type"),
    "old_types": ("paddle._legacy.operators.names", "old_types"),
    "positional_operators": ("paddle._legacy_C_ops", None),
    "raw_operators": ("paddle._legacy.operators.raw", None),
    "shown_operators": ("paddle._legacy.programs.old_view", "operators"),
    "tracer": ("paddle.base.dygraph.tracer", "_tracer"),
}
__getattr__ = _lazy.attribute_hook(__name__, (), _FROM)
