// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Running, measuring, printing and checking.
#include "pir/pass/pass.h"

#include <algorithm>
#include <chrono>
#include <iomanip>
#include <sstream>

#include "paddle_core/base/flags.h"
#include "paddle_core/base/log.h"
#include "pir/dialect/dialect.h"
#include "pir/draw/draw.h"

namespace paddle::pir {
namespace {

struct Flags {
  const std::atomic<bool>* apply;
  const std::atomic<bool>* print;
  const std::atomic<bool>* timing;
  const std::atomic<bool>* verify;
};

const Flags& flags() {
  static const Flags all = [] {
    const auto define = [](const char* name, const char* doc, bool value = false) {
      if (!has_flag(name)) define_flag(name, value, doc);
      return bool_flag(name);
    };
    if (!has_flag("FLAGS_pir_pass_pages")) {
      define_flag("FLAGS_pir_pass_pages", std::string(),
                  "Folder for pages that draw programs before and after each pass.");
    }
    return Flags{define("FLAGS_pir_apply_passes", "Optimise programs before they run.", true),
                 define("FLAGS_print_ir", "Print the program after each pass that changes it."),
                 define("FLAGS_pir_pass_timing", "Log the time and changes of each pass."),
                 define("FLAGS_pir_verify_passes", "Verify the program after each pass.")};
  }();
  return all;
}

bool on(const std::atomic<bool>* flag) { return flag->load(std::memory_order_relaxed); }

void log_program(const std::string& title, const Program& program) {
  log_message(LogLevel::kWarning, str(title, ":\n", print(program)));
}

void log_table(const std::vector<PassRecord>& records) {
  std::ostringstream table;
  table << "passes (ms, changes):";
  for (const PassRecord& r : records) {
    table << "\n  " << std::left << std::setw(28) << r.name << std::right << std::fixed
          << std::setprecision(3) << std::setw(10) << static_cast<double>(r.nanoseconds) / 1e6
          << std::setw(8) << r.changes;
  }
  log_message(LogLevel::kWarning, table.str());
}

// Pages of one process are numbered through.
void write_page(const std::string& folder, const std::string& pass, std::string before,
                const Program& program) {
  static std::atomic<int> count{0};
  std::ostringstream path;
  path << folder << '/' << std::setw(4) << std::setfill('0') << count++ << '_' << pass << ".html";
  write_text(path.str(), draw_page(pass, {{"before " + pass, std::move(before)},
                                          {"after " + pass, draw_svg(program)}}));
}

void verify_after(const Pass& pass, const Program& program) {
  try {
    verify(program);
  } catch (const Error& e) {
    throw_error(ErrorKind::kRuntime,
                str("pass ", pass.name, " left a program that is not valid: ", e.what()));
  }
}

}  // namespace

void define_pass_flags() { flags(); }

bool passes_enabled() { return on(flags().apply); }

PassRegistry& PassRegistry::global() {
  static PassRegistry registry;
  return registry;
}

void PassRegistry::add(Pass pass) {
  PADDLE_CHECK_VALUE(!has(pass.name), "pass ", pass.name, " is defined twice; use another name.");
  passes_.push_back(std::move(pass));
}

bool PassRegistry::has(const std::string& name) const {
  return std::any_of(passes_.begin(), passes_.end(), [&](const Pass& p) { return p.name == name; });
}

const Pass& PassRegistry::at(const std::string& name) const {
  for (const Pass& p : passes_) {
    if (p.name == name) return p;
  }
  std::string known;
  for (const std::string& n : names()) known += (known.empty() ? "" : ", ") + n;
  throw_error(ErrorKind::kValue, str("pass ", name, " is unknown; known passes are ", known, '.'));
}

std::vector<std::string> PassRegistry::names() const {
  std::vector<std::string> all;
  for (const Pass& p : passes_) all.push_back(p.name);
  std::sort(all.begin(), all.end());
  return all;
}

PassManager::PassManager(const std::vector<std::string>& names) {
  for (const std::string& name : names) add(PassRegistry::global().at(name));
}

std::vector<PassRecord> PassManager::run(Program& program) const {
  using Clock = std::chrono::steady_clock;
  const bool printing = on(flags().print);
  const std::string pages = std::get<std::string>(get_flag("FLAGS_pir_pass_pages"));
  if (printing) log_program("program before the passes", program);
  std::vector<PassRecord> records;
  for (const Pass& pass : passes_) {
    std::string before = pages.empty() ? std::string() : draw_svg(program);
    const auto begin = Clock::now();
    PassRecord record;
    record.name = pass.name;
    record.changes = pass.run(program);
    record.nanoseconds =
        std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begin).count();
    if (on(flags().verify)) verify_after(pass, program);
    if (!pages.empty() && record.changes) {
      write_page(pages, pass.name, std::move(before), program);
    }
    if (printing && record.changes) log_program(str("program after ", pass.name), program);
    records.push_back(std::move(record));
  }
  if (on(flags().timing)) log_table(records);
  return records;
}

}  // namespace paddle::pir
