# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
#
# The fuzz targets as ordinary programs that replay a corpus and damaged copies of it; tools/fuzz.sh
# builds the same targets with libFuzzer.
set(fuzz_folder "${CMAKE_CURRENT_SOURCE_DIR}/tests/fuzz")
set(compat_folder "${CMAKE_CURRENT_SOURCE_DIR}/tests/compat")
file(GLOB seeds_json_program CONFIGURE_DEPENDS "${compat_folder}/*/*/*.json")
file(GLOB seeds_old_program CONFIGURE_DEPENDS "${compat_folder}/*/*.pdmodel")
file(GLOB seeds_tensor_records CONFIGURE_DEPENDS "${compat_folder}/programs/*/*.pdiparams"
     "${compat_folder}/programs_v2/*.pdiparams")
set(seeds_deployed_program ${seeds_json_program})
set(seeds_program_text "${CMAKE_CURRENT_SOURCE_DIR}/tests/ir")

add_library(fuzz_replay OBJECT "${fuzz_folder}/replay.cc")
foreach(target json_program deployed_program old_program tensor_records program_text)
  add_executable(replay_${target} "${fuzz_folder}/${target}.cc" $<TARGET_OBJECTS:fuzz_replay>)
  target_link_libraries(replay_${target} PRIVATE paddle_core paddle_warnings)
  set_target_properties(replay_${target} PROPERTIES BUILD_RPATH "${package_dir}/libs"
                                                    RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/tests")
  add_test(NAME fuzz_replay.${target} COMMAND replay_${target} 60 "${fuzz_folder}/corpus/${target}"
                                              ${seeds_${target}})
  set_tests_properties(fuzz_replay.${target} PROPERTIES TIMEOUT 300)
endforeach()
