# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
#
# libpaddle_gloo: messages between processes. libpaddle_core opens it when the first processes
# connect. Gloo is Debian's shared library, copied under a name of its own; what that needs in turn
# (clients of Redis and InfiniBand, of which nothing is called) is bundled with the wheel.
find_path(gloo_include gloo/transport/tcp/device.h)
find_library(gloo_library gloo)
if(NOT gloo_include OR NOT gloo_library)
  message(FATAL_ERROR "Gloo was not found; install libgloo-dev (tools/setup.sh does).")
endif()
file(REAL_PATH "${gloo_library}" gloo_file)
set(PADDLE_GLOO_NAME libpaddle_gloo_tcp.so.0)
paddle_rename_library("${gloo_file}" gloo ${PADDLE_GLOO_NAME} PADDLE_GLOO_FILE)

add_library(paddle_gloo_tcp SHARED IMPORTED)
set_target_properties(
  paddle_gloo_tcp
  PROPERTIES IMPORTED_LOCATION "${PADDLE_GLOO_FILE}"
             IMPORTED_SONAME ${PADDLE_GLOO_NAME}
             INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${gloo_include}")

file(GLOB_RECURSE gloo_sources CONFIGURE_DEPENDS distributed/gloo/*.cc)
add_library(paddle_gloo SHARED ${gloo_sources})
set_target_properties(paddle_gloo PROPERTIES PADDLE_LOADED_LATE ON)
target_link_libraries(paddle_gloo PRIVATE paddle_core paddle_gloo_tcp paddle_warnings)
if(NOT PADDLE_SANITIZE)
  target_link_options(paddle_gloo PRIVATE -Wl,--no-undefined)
endif()
set_target_properties(
  paddle_gloo
  PROPERTIES LIBRARY_OUTPUT_DIRECTORY "${package_dir}/libs"
             BUILD_WITH_INSTALL_RPATH ON
             INSTALL_RPATH "$ORIGIN")
add_custom_command(
  TARGET paddle_gloo POST_BUILD
  COMMAND "${CMAKE_COMMAND}" -E copy_if_different "${PADDLE_GLOO_FILE}" "${package_dir}/libs"
  VERBATIM)
