# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
#
# The .pyi stubs of the wheel, written from the operator records of the extension just built.
if(SKBUILD)
  install(CODE "
    execute_process(
      COMMAND \"${Python_EXECUTABLE}\" \"${CMAKE_CURRENT_SOURCE_DIR}/python/stubs/generate.py\"
              --package \"${CMAKE_CURRENT_SOURCE_DIR}/python/paddle\"
              --libraries \"${package_dir}\" --output \"${CMAKE_BINARY_DIR}/stubs\"
      COMMAND_ERROR_IS_FATAL ANY)")
  install(DIRECTORY "${CMAKE_BINARY_DIR}/stubs/paddle/" DESTINATION paddle)
endif()
