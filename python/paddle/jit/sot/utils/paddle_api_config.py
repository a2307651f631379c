# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Functions and layers named as ends of a segment. A segment ends by itself where a value is needed, so the names
are kept for those who look, and change no value."""

break_graph_functions = set()
break_graph_layer_classes = set()


def add_break_graph_function(fn):
    """Names a function, or those of a list, as ends of a segment."""
    break_graph_functions.update(fn if isinstance(fn, (list, tuple, set)) else (fn,))


def add_break_graph_layer_class(layer_class):
    """Names a Layer class as the end of a segment."""
    break_graph_layer_classes.add(layer_class)
