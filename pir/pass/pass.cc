// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Running, measuring and printing.
#include "pir/pass/pass.h"

#include <chrono>

#include "paddle_core/base/flags.h"
#include "paddle_core/base/log.h"

namespace paddle::pir {
namespace {

bool printing() {
  constexpr const char* kFlag = "FLAGS_print_ir";
  static const std::atomic<bool>* const flag = [] {
    if (!has_flag(kFlag)) define_flag(kFlag, false, "Print the program after each pass.");
    return bool_flag(kFlag);
  }();
  return flag->load(std::memory_order_relaxed);
}

}  // namespace

std::vector<PassRecord> PassManager::run(Program& program) const {
  using Clock = std::chrono::steady_clock;
  std::vector<PassRecord> records;
  for (const Pass& pass : passes_) {
    const auto begin = Clock::now();
    PassRecord record;
    record.name = pass.name;
    record.changes = pass.run(program);
    record.nanoseconds =
        std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begin).count();
    if (printing()) {
      log_message(LogLevel::kWarning, str("program after ", pass.name, ":\n", print(program)));
    }
    records.push_back(std::move(record));
  }
  return records;
}

}  // namespace paddle::pir
