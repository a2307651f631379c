# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Values of the variables of a scope as arrays."""

import numpy


def load_variable_data(scope, var_name):
    """The values of a variable, as an array.

    Args:
        scope: A `paddle.static.Scope`.
        var_name: Name of the variable.
    """
    found = scope.find_var(var_name)
    assert found is not None, f"load_variable_data: the scope has no variable {var_name}."
    return numpy.array(found.get_tensor())


def set_variable_data(scope, place, var_name, np_value):
    """Write an array into a variable.

    Args:
        scope: A `paddle.static.Scope`.
        place: Device.
        var_name: Name of the variable.
        np_value: The array.
    """
    assert isinstance(np_value, numpy.ndarray), "set_variable_data: np_value must be an array."
    found = scope.find_var(var_name)
    if found is not None:
        found.get_tensor().set(np_value, place)
