// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Loading and running, and the table of operator times.
#include "inference/predictor/runner.h"

#include <malloc.h>

#include <algorithm>
#include <cstdlib>
#include <iomanip>
#include <map>
#include <thread>

#include "paddle_core/base/flags.h"
#include "paddle_core/base/log.h"
#include "paddle_core/device/thread_count.h"
#include "paddle_core/dispatch/watch/observers.h"
#include "paddle_core/profile/trace.h"
#include "pir/transform/transform.h"

namespace paddle_infer::detail {

using paddle::TensorList;

void Io::set(paddle::Tensor given) {
  PADDLE_CHECK_RUNTIME(is_input, "copy_from_cpu: '", name,
                       "' is an output; only inputs can be set.");
  value = std::move(given);
  announced = value.shape();
}

const paddle::Tensor& Io::get(const char* operation) const {
  PADDLE_CHECK_RUNTIME(value.defined(), operation, ": '", name, "' has no value; ",
                       is_input ? "copy data in first." : "run the predictor first.");
  return value;
}

std::vector<int64_t> Io::shape() const {
  if (!value.defined() && announced.empty()) return {0};  // nothing is known of it yet
  std::vector<int64_t> out;
  for (const paddle::Dim d : value.defined() ? value.shape() : announced) out.push_back(d.value());
  return out;
}

// Times of the operators between the first and the last Runner that share it.
struct Runner::Profile {
  Profile() {
    paddle::profile::start();
    paddle::watch_operators(true);
  }
  Profile(const Profile&) = delete;
  Profile& operator=(const Profile&) = delete;

  ~Profile() {
    paddle::watch_operators(false);
    struct Row {
      int64_t calls = 0, ns = 0;
    };
    std::map<std::string, Row> rows;
    for (const paddle::profile::Span& span : paddle::profile::stop()) {
      Row& row = rows[span.name];
      ++row.calls;
      row.ns += span.end_ns - span.begin_ns;
    }
    std::vector<std::pair<std::string, Row>> sorted(rows.begin(), rows.end());
    std::sort(sorted.begin(), sorted.end(),
              [](const auto& a, const auto& b) { return a.second.ns > b.second.ns; });
    std::ostringstream table;
    table << "predictor profile (ms, calls):";
    for (const auto& [name, row] : sorted) {
      table << "\n  " << std::left << std::setw(32) << name << std::right << std::fixed
            << std::setprecision(3) << std::setw(12) << static_cast<double>(row.ns) / 1e6
            << std::setw(10) << row.calls;
    }
    try {
      paddle::log_message(paddle::LogLevel::kWarning, table.str());
    } catch (...) {  // a sink that throws must not end the process
    }
  }
};

namespace {

// Sets FLAGS_print_ir for a scope.
class PrintPasses {
 public:
  explicit PrintPasses(bool on) : on_(on) {
    if (!on_) return;
    paddle::pir::define_pass_flags();
    before_ = paddle::get_flag("FLAGS_print_ir");
    paddle::set_flag("FLAGS_print_ir", true);
  }
  ~PrintPasses() {
    if (on_) paddle::set_flag("FLAGS_print_ir", before_);
  }
  PrintPasses(const PrintPasses&) = delete;
  PrintPasses& operator=(const PrintPasses&) = delete;

 private:
  bool on_;
  paddle::FlagValue before_;
};

void ignore_unknown(std::vector<std::string>& passes) {
  paddle::pir::register_passes();
  std::erase_if(passes, [](const std::string& name) {
    if (paddle::pir::PassRegistry::global().has(name)) return false;
    paddle::warn_once("pass." + name, paddle::str("Config: pass ", name,
                                                  " is not known to paddle; it is left out."));
    return true;
  });
}

paddle::pir::SavedProgram load(const Settings& s) {
  paddle::pir::LoadOptions options;
  options.optimize = s.ir_optim;
  options.frozen = s.ir_optim;
  options.compiled = s.cinn;
  options.passes = passes_of(s);
  if (s.passes) ignore_unknown(*options.passes);
  const PrintPasses printing(s.ir_debug);
  if (s.buffers) {
    return paddle::pir::load_program_from_memory(s.buffers->first, s.buffers->second, options);
  }
  const auto [program, params] = model_files(s);
  return paddle::pir::load_program(program, params, options);
}

// Kernels that are compiled for a shape live until another shape takes their place, on whichever
// thread that is; among arenas of all threads they leave holes that no thread can use. Tensors have
// an allocator of their own, so few requests meet at the arenas.
void bound_arenas() {
  [[maybe_unused]] static const bool bounded =
      std::getenv("MALLOC_ARENA_MAX") == nullptr &&
      mallopt(M_ARENA_MAX,
              std::max(1, static_cast<int>(std::thread::hardware_concurrency() / 8))) == 1;
}

}  // namespace

Runner::Runner(const Settings& settings) : threads_(settings.threads) {
  start_library();
  bound_arenas();
  // Loading is reading and rewriting; threads that fold small weights would only wait for more.
  const paddle::ThreadCountScope serial(1);
  program_ = std::make_shared<const paddle::pir::SavedProgram>(load(settings));
  if (settings.profile) profile_ = std::make_shared<Profile>();
  make_ios();
  // What reading the model took is not needed any more.
  malloc_trim(0);
  forget_code();
}

Runner::Runner(const Runner& other)
    : program_(other.program_), profile_(other.profile_), threads_(other.threads_) {
  make_ios();
}

Runner::~Runner() = default;

std::shared_ptr<Runner> Runner::clone() const { return std::shared_ptr<Runner>(new Runner(*this)); }

void Runner::make_ios() {
  const auto make = [](const std::vector<std::string>& names, bool is_input) {
    std::vector<IoPtr> list;
    for (const std::string& name : names) {
      list.push_back(std::make_shared<Io>());
      list.back()->name = name;
      list.back()->is_input = is_input;
    }
    return list;
  };
  inputs_ = make(program_->input_names, true);
  outputs_ = make(program_->output_names, false);
}

const IoPtr& Runner::find(const std::vector<IoPtr>& list, const char* kind,
                          const std::string& name) {
  std::string known;
  for (const IoPtr& io : list) {
    if (io->name == name) return io;
    known += (known.empty() ? "'" : ", '") + io->name + "'";
  }
  paddle::throw_error(paddle::ErrorKind::kRuntime,
                      paddle::str("get_", kind, "_handle: there is no ", kind, " '", name, "'; ",
                                  kind, "s: ", known, '.'));
}

const IoPtr& Runner::input(const std::string& name) const { return find(inputs_, "input", name); }
const IoPtr& Runner::output(const std::string& name) const {
  return find(outputs_, "output", name);
}

void Runner::run() {
  TensorList given;
  for (const IoPtr& io : inputs_) {
    PADDLE_CHECK_VALUE(io->value.defined(), "run: '", io->name,
                       "' has no value; copy data in first.");
    given.push_back(io->value);
  }
  const paddle::ThreadCountScope threads(threads_);
  std::vector<paddle::pir::SequenceOffsets> made;
  TensorList results = run_program(given, made);
  for (size_t i = 0; i < results.size(); ++i) {
    outputs_[i]->value = results[i].contiguous_copy_if_needed();
    outputs_[i]->lod = std::move(made[i]);
  }
}

uint64_t Runner::shrink() {
  // What the next run needs again costs more to fetch from the system than to keep.
  constexpr size_t kMuch = size_t{256} << 20;
  paddle::Allocator& allocator = paddle::host_allocator();
  const size_t cached = allocator.stats().cached;
  const bool much = cached > kMuch;
  if (much) allocator.release_cached();
  malloc_trim(0);  // what clones on threads that have ended left behind
  return much ? cached : 0;
}

}  // namespace paddle_infer::detail
