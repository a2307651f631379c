# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
#
# Runs tools/generate_ops.py over the operator definitions and kernels. Sets
# PADDLE_GENERATED_SOURCES (one .cc per family and register_all.cc) and PADDLE_GENERATED_INCLUDE.
set(PADDLE_GENERATED_INCLUDE "${CMAKE_BINARY_DIR}/generated")
set(op_generator "${CMAKE_CURRENT_SOURCE_DIR}/tools/generate_ops.py")

file(GLOB_RECURSE op_definitions CONFIGURE_DEPENDS phi_kernels/ops/*.cc)
file(GLOB_RECURSE op_kernels CONFIGURE_DEPENDS phi_kernels/cpu/*.cc)
set(op_families "")
foreach(definition IN LISTS op_definitions)
  cmake_path(RELATIVE_PATH definition BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}/phi_kernels/ops")
  if(definition MATCHES "^([^/]+)/")
    list(APPEND op_families "${CMAKE_MATCH_1}")
  endif()
endforeach()
list(REMOVE_DUPLICATES op_families)

set(op_headers "")
set(PADDLE_GENERATED_SOURCES "${PADDLE_GENERATED_INCLUDE}/register_all.cc")
foreach(family IN LISTS op_families)
  list(APPEND op_headers "${PADDLE_GENERATED_INCLUDE}/phi_kernels/ops/${family}.h")
  list(APPEND PADDLE_GENERATED_SOURCES "${PADDLE_GENERATED_INCLUDE}/phi_kernels/ops/${family}.cc")
endforeach()

add_custom_command(
  OUTPUT ${PADDLE_GENERATED_SOURCES} ${op_headers}
  COMMAND "${Python_EXECUTABLE}" "${op_generator}" --source "${CMAKE_CURRENT_SOURCE_DIR}" --output
          "${PADDLE_GENERATED_INCLUDE}"
  DEPENDS "${op_generator}" ${op_definitions} ${op_kernels}
  COMMENT "Generating operator declarations"
  VERBATIM)

# The operators as functions for users' extensions, over the extension ABI.
set(PADDLE_EXTENSION_GENERATED "${CMAKE_BINARY_DIR}/extension_include")
set(extension_generator "${CMAKE_CURRENT_SOURCE_DIR}/tools/generate_extension.py")
add_custom_command(
  OUTPUT "${PADDLE_EXTENSION_GENERATED}/paddle/extension/functions.h"
  COMMAND "${Python_EXECUTABLE}" "${extension_generator}" --source "${CMAKE_CURRENT_SOURCE_DIR}"
          --output "${PADDLE_EXTENSION_GENERATED}"
  COMMAND "${CMAKE_COMMAND}" -E touch "${PADDLE_EXTENSION_GENERATED}/paddle/extension/functions.h"
  DEPENDS "${extension_generator}" "${op_generator}" ${op_definitions}
  COMMENT "Generating the operator functions of extensions"
  VERBATIM)
