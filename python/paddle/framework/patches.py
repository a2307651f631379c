# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Functions of PaddlePaddle that give its types their methods. Here types have them from the start, so a call, which a
second call is there as well, changes nothing."""


def _completed(name, owner):
    def patch():
        return None

    patch.__name__ = patch.__qualname__ = name
    patch.__doc__ = f"Give {owner} its methods; it has them already."
    return patch


monkey_patch_dtype = _completed("monkey_patch_dtype", "the type of dtypes")
monkey_patch_math_tensor = _completed("monkey_patch_math_tensor", "Tensor")
monkey_patch_generated_methods_for_tensor = _completed("monkey_patch_generated_methods_for_tensor", "Tensor")
monkey_patch_program = _completed("monkey_patch_program", "Program")
monkey_patch_value = _completed("monkey_patch_value", "the type of values of programs")
monkey_patch_generated_methods_for_value = _completed(
    "monkey_patch_generated_methods_for_value", "the type of values of programs"
)
monkey_patch_variable = _completed("monkey_patch_variable", "Variable")
monkey_patch_value_in_dist = _completed("monkey_patch_value_in_dist", "the type of values of programs")
