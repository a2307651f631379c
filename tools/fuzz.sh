#!/bin/sh
# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
#
# Builds the targets of tests/fuzz with clang's libFuzzer and AddressSanitizer and runs each for
# SECONDS. The readers are compiled into the targets, instrumented; the rest is the library of `make
# develop`. New inputs stay in build/fuzz; one that crashes is named at the end of the output. Then
# random fusion graphs go through the compiler for as long (tests/fuzz/fusion_graphs.py); failing
# seeds are printed with how to run them again; so do damaged files of language models
# (tests/fuzz/model_files.py). TARGETS=fusion_graphs or model_files runs nothing else.
set -e
cd "$(dirname "$0")/.."
seconds="${1:-60}"
flags="-std=c++20 -O1 -g1 -fsanitize=address,fuzzer-no-link -fno-omit-frame-pointer -I. -Ibuild/generated
       -include tests/fuzz/float16_for_clang14.h -Wno-everything"
libs="${PADDLE_LIBS:-python/paddle/libs}"
out="build/fuzz"
mkdir -p "$out/objects"

targets="${TARGETS:-json_program deployed_program old_program tensor_records program_text}"
targets="$(echo "$targets" | tr ' ' '\n' | grep -v -E '^(fusion_graphs|model_files)$' || true)"
sources="$(find pir/serialize pir/legacy -name "*.cc" ! -path pir/serialize/legacy_door/legacy_library.cc)
         pir/dialect/parse.cc pir/dialect/verify.cc tests/fuzz/linked_legacy.cc"
for source in $sources $(for target in $targets; do echo "tests/fuzz/$target.cc"; done); do
  object="$out/objects/$(echo "$source" | tr / _).o"
  if [ ! -e "$object" ] || [ -n "$(find "$source" pir/serialize pir/legacy pir/ir tests/fuzz -name '*.[ch]*' -newer "$object" | head -1)" ]; then
    echo "$source"
    clang++ $flags -c "$source" -o "$object"
  fi
done

readers=""
for source in $sources; do readers="$readers $out/objects/$(echo "$source" | tr / _).o"; done
failed=0
for module in fusion_graphs model_files; do
  case " ${TARGETS:-fusion_graphs model_files} " in
    *" $module "*)
      echo "== $module, $seconds s"
      PYTHONPATH="${PYTHONPATH:-python}" .venv/bin/python -m "tests.fuzz.$module" --seconds "$seconds" 2> "$out/$module.log" ||
        { failed=1; tail -c 2000 "$out/$module.log"; }
      ;;
  esac
done
for target in $targets; do
  clang++ -fsanitize=address,fuzzer "$out/objects/tests_fuzz_$target.cc.o" $readers -L"$libs" -lpaddle_core \
    -Wl,-rpath,"$(cd "$libs" && pwd)" -Wl,-rpath-link,"$libs" -o "$out/$target"
  seeds="$out/seeds_$target"
  mkdir -p "$out/found_$target" "$seeds"
  case $target in
    json_program | deployed_program) find tests/compat -name '*.json' -size -64k | while read -r f; do cp "$f" "$seeds/$(echo "$f" | tr / _)"; done ;;
    old_program) find tests/compat -name '*.pdmodel' | while read -r f; do cp "$f" "$seeds/$(echo "$f" | tr / _)"; done ;;
    tensor_records) find tests/compat -name '*.pdiparams' -size -64k | while read -r f; do cp "$f" "$seeds/$(echo "$f" | tr / _)"; done ;;
    program_text) find tests/ir -name '*.pir' -exec cp {} "$seeds" \; ;;
  esac
  echo "== $target, $seconds s"
  "$out/$target" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 -malloc_limit_mb=1024 -max_len=65536 \
    -print_final_stats=1 -artifact_prefix="$out/$target-" "$out/found_$target" "tests/fuzz/corpus/$target" "$seeds" \
    > "$out/$target.log" 2>&1 || failed=1
  grep -E "stat::number_of_executed_units|ERROR|SUMMARY|Test unit written|cov:" "$out/$target.log" | tail -4
done
exit $failed
