# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
#
# One GoogleTest executable per folder of tests/cpp, made of the *_test.cc files in it; every test
# is known to CTest by its own name. A folder test_<name> below holds a shared library that its tests
# load, whose path they know as PADDLE_LIB_test_<name>.
enable_testing()
find_package(GTest REQUIRED)
include(GoogleTest)

file(GLOB_RECURSE test_sources CONFIGURE_DEPENDS tests/cpp/*_test.cc)
set(test_folders "")
foreach(source IN LISTS test_sources)
  cmake_path(GET source PARENT_PATH folder)
  list(APPEND test_folders "${folder}")
endforeach()
list(REMOVE_DUPLICATES test_folders)

foreach(folder IN LISTS test_folders)
  file(GLOB sources CONFIGURE_DEPENDS "${folder}/*_test.cc")
  cmake_path(RELATIVE_PATH folder BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}/tests/cpp"
             OUTPUT_VARIABLE name)
  string(REPLACE "/" "_" name "${name}_tests")
  add_executable(${name} ${sources})
  target_link_libraries(${name} PRIVATE paddle_core paddle_warnings GTest::gtest_main)
  if(name MATCHES "^cinn_")  # what the library does not export
    target_link_libraries(${name} PRIVATE paddle_cinn_objects paddle_cinn_llvm)
  endif()
  set_target_properties(${name} PROPERTIES BUILD_RPATH "${package_dir}/libs"
                                           RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/tests")
  file(GLOB libraries CONFIGURE_DEPENDS LIST_DIRECTORIES true "${folder}/test_*")
  list(FILTER libraries EXCLUDE REGEX "\\.[a-z]+$")
  foreach(library IN LISTS libraries)
    cmake_path(GET library FILENAME library_name)
    file(GLOB library_sources CONFIGURE_DEPENDS "${library}/*.cc")
    add_library(${library_name} SHARED ${library_sources})
    target_link_libraries(${library_name} PRIVATE paddle_core paddle_warnings)
    set_target_properties(
      ${library_name} PROPERTIES BUILD_RPATH "${package_dir}/libs"
                                 LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/tests")
    add_dependencies(${name} ${library_name})
    # By its path: a sanitizer's dlopen does not search where the executable does.
    target_compile_definitions(
      ${name} PRIVATE PADDLE_LIB_${library_name}="$<TARGET_FILE:${library_name}>")
    target_link_libraries(${name} PRIVATE ${CMAKE_DL_LIBS})
  endforeach()
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 120 PROPERTIES TIMEOUT 300)
endforeach()

# The second device of the tests: the skeleton of a plugin, built as a vendor builds his, out of this
# tree's build and with nothing of it but the header. Then what tests/device checks in C++.
include(ExternalProject)
ExternalProject_Add(
  paddle_skeleton
  SOURCE_DIR "${CMAKE_CURRENT_SOURCE_DIR}/backends/skeleton"
  BINARY_DIR "${CMAKE_BINARY_DIR}/tests/skeleton"
  CMAKE_ARGS "-DPADDLE_DEVICE_INCLUDE=${CMAKE_CURRENT_SOURCE_DIR}/backends/include"
             "-DCMAKE_LIBRARY_OUTPUT_DIRECTORY=${CMAKE_BINARY_DIR}/tests"
  BUILD_ALWAYS ON
  INSTALL_COMMAND "")
add_library(paddle_device_checks SHARED tests/device/checks.cc)
target_link_libraries(paddle_device_checks PRIVATE paddle_core paddle_warnings)
set_target_properties(
  paddle_device_checks PROPERTIES BUILD_RPATH "${package_dir}/libs"
                                  LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/tests")
