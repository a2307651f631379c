// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels as text.
#include <sstream>

#include "cinn/loop/kernel.h"

namespace paddle::cinn {
namespace {

const char* name_of(Space space) {
  static constexpr const char* kNames[] = {"input", "output", "temporary", "scratch", "shared"};
  return kNames[static_cast<size_t>(space)];
}

class Printer {
 public:
  explicit Printer(std::ostream& out) : out_(out) {}

  void print(const Kernel& kernel) {
    out_ << "kernel " << kernel.name << '\n';
    for (size_t i = 0; i < kernel.buffers.size(); ++i) {
      const Buffer& b = kernel.buffers[i];
      out_ << "  b" << i << ": " << name_of(b.space) << ' ' << b.name << ' ' << b.dtype << '['
           << to_string(b.elements) << "]\n";
    }
    for (size_t i = 0; i < kernel.stages.size(); ++i) {
      const Stage& stage = kernel.stages[i];
      out_ << "stage " << i << ": tasks " << to_string(stage.task) << " of "
           << to_string(stage.tasks);
      if (stage.grain) out_ << ", at least " << to_string(stage.grain) << " to a thread";
      if (stage.threads > 1) out_ << ", each " << stage.threads << " threads";
      out_ << '\n';
      print(stage.body, 1);
    }
  }

 private:
  void print(const Body& body, int depth) {
    for (const Statement& s : body) {
      out_ << std::string(static_cast<size_t>(depth) * 2, ' ');
      std::visit([&](const auto& statement) { print_one(statement, depth); }, s.is);
    }
  }
  void print_one(const Loop& loop, int depth) {
    static constexpr const char* kKinds[] = {"for", "vector", "threads"};
    out_ << kKinds[static_cast<size_t>(loop.kind)] << ' ' << to_string(loop.variable) << " of "
         << to_string(loop.extent);
    if (loop.width > 1) out_ << ", " << loop.width << " lanes";
    if (loop.unroll > 1) out_ << ", " << loop.unroll << " copies";
    out_ << '\n';
    print(loop.body, depth + 1);
  }
  void print_one(const Declare& d, int) {
    out_ << 'r' << d.reg << " := " << to_string(d.value) << '\n';
  }
  void print_one(const Assign& a, int) {
    out_ << 'r' << a.reg << " = " << to_string(a.value) << '\n';
  }
  void print_one(const Accumulate& a, int) {
    out_ << 'r' << a.reg << ' ' << name_of(a.combine) << "= " << to_string(a.value) << '\n';
  }
  void print_one(const Store& s, int) {
    out_ << 'b' << s.buffer << '[' << to_string(s.index) << "] = " << to_string(s.value)
         << (s.streamed ? ", streamed" : "") << '\n';
  }
  void print_one(const If& branch, int depth) {
    out_ << "if " << to_string(branch.condition) << '\n';
    print(branch.body, depth + 1);
  }
  void print_one(const Check& c, int) { out_ << "check " << to_string(c.condition) << '\n'; }
  void print_one(const Barrier&, int) { out_ << "barrier\n"; }

  std::ostream& out_;
};

}  // namespace

const char* name_of(Combine combine) {
  static constexpr const char* kNames[] = {"add", "multiply", "min", "max", "and", "or"};
  return kNames[static_cast<size_t>(combine)];
}

std::string print(const Kernel& kernel) {
  std::ostringstream out;
  Printer(out).print(kernel);
  return std::move(out).str();
}

}  // namespace paddle::cinn
