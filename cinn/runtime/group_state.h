// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// What a group of a program keeps from call to call: its parts and, for each and per class of
// sizes, the kernel and how often it was asked for. The parts run side by side, their tasks in one
// launch.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "cinn/group/partition.h"
#include "cinn/runtime/kernel_cache.h"
#include "cinn/runtime/trial.h"
#include "pir/compiler_door/reported_group.h"
#include "pir/interpreter/region_compiler.h"

namespace paddle::cinn {

class GroupState final : public std::enable_shared_from_this<GroupState>,
                         public pir::ReportedGroup {
 public:
  // `number` and `edges`: for people.
  GroupState(const std::vector<GroupPart>& parts, const pir::Operation& group, int64_t number = 0,
             std::vector<Edge> edges = {});
  // The same group for types and parts of another order of memory.
  GroupState(const GroupState& group, const std::vector<GroupPart>& parts,
             std::vector<pir::Type> inputs, std::vector<pir::Type> results);
  // Whether the forms hold for inputs of these shapes and dtypes.
  bool serves(const TensorList& inputs) const;
  // The kernels that serve these inputs at this call, if it is their turn.
  std::shared_ptr<pir::RegionExecutable> ask(const TensorList& inputs);
  using Kernels = std::vector<std::shared_ptr<CachedKernel>>;
  TensorList run(const Kernels& kernels, const TensorList& inputs) const;
  // The same in the interpreter, as kernels of the CPU or of blocks of threads.
  TensorList run_interpreted(bool blocks, const TensorList& inputs) const;
  // For people (group_report.cc).
  pir::GroupReport report(bool measure) override;
  std::vector<pir::GroupCode> code() const override;
  void note_time(int64_t nanoseconds);
  const std::string& name() const { return name_; }
  size_t num_results() const { return results_.size(); }
  std::vector<GroupPart> parts() const;

 private:
  struct Slot {
    int64_t calls = 0;
    std::shared_ptr<CachedKernel> kernel;
  };
  // A size: extent `dim` of input `input` of the part, or an expression.
  struct Source {
    int input = -1, dim = 0;
    Dim value;
  };
  struct Part {
    GroupPart made;
    std::vector<Source> sources;
    std::array<Slot, kNumVariants> slots;
  };
  struct Launch;
  struct Chosen {
    std::vector<Variant> variants;  // by part
    std::unique_ptr<pir::RegionExecutable> executable;
  };
  using Sizes = SmallVector<int64_t, 16>;
  // The last call that was watched (pir::GroupWatch).
  struct Watched {
    int64_t calls = 0, nanoseconds = 0;
    int magnitude = 0;
    bool compiled = false;
    std::string why_not;
    TensorList inputs;              // those that are overwritten as copies
    std::vector<Variant> variants;  // by part; none where the group is not for these inputs
    std::vector<Sizes> sizes;
  };
  // Kernels and operators that are timed against each other, for one class of sizes.
  struct Tuned {
    std::vector<Variant> variants;
    int magnitude = 0;
    std::shared_ptr<Trial> trial;
    // By way: to be timed, and once it is chosen; null: the operators.
    std::vector<std::unique_ptr<pir::RegionExecutable>> turns, chosen;
  };
  static int magnitude_of(const TensorList& inputs);
  pir::RegionExecutable* find_tuned(const std::vector<Variant>& variants, int magnitude,
                                    bool& known);
  void add_tuned(const std::vector<Variant>& variants, int magnitude, const Kernels& kernels);

  // What ask() answers; `why_not` is told, where it is not null, why that is nothing.
  std::shared_ptr<pir::RegionExecutable> choose(const TensorList& inputs, std::string* why_not);
  void note_call(const TensorList& inputs, bool compiled, std::string why_not);
  pir::ReportedPart report_part(size_t i) const;
  double time_kernels(Watched& watched);
  // What ran the last call that was watched, if it is not this.
  std::shared_ptr<GroupState> watched_state() const;
  void add_parts(const std::vector<GroupPart>& parts);
  // For values with their channels last in memory (channels_last_group.cc); null where an operation
  // needs the order of the shape.
  std::shared_ptr<GroupState> turned(const TensorList& inputs, size_t& activations);
  static std::shared_ptr<pir::RegionExecutable> ask_turned(GroupState& turned,
                                                           const TensorList& inputs,
                                                           size_t activations);
  // The states of the random operations, after the other sizes of each part.
  void draw(std::vector<Launch>& launches) const;
  bool compute_sizes(const Part& part, const TensorList& inputs, Sizes& sizes) const;
  bool may_overwrite(const TensorList& inputs) const;
  std::shared_ptr<CachedKernel> kernel_for(Part& part, Variant variant);
  void prepare(const Part& part, const TensorList& inputs, Launch& launch,
               TensorList& results) const;
  // What was computed beside an input that it replaces goes there.
  void write_back(const std::vector<Launch>& launches, const TensorList& inputs) const;
  static bool run_level(std::vector<Launch>& launches, int level);

  const int64_t number_;
  const std::vector<Edge> edges_;
  std::vector<std::string> operators_;
  std::string name_;  // of its operations, for messages
  std::vector<pir::Type> inputs_, results_;
  std::vector<int> overwritten_;  // inputs
  size_t draws_ = 0;              // random operations
  mutable std::mutex mutex_;      // for what follows
  std::vector<Part> parts_;
  std::vector<Chosen> chosen_;
  std::vector<Tuned> tuned_;
  Watched watched_;
  std::shared_ptr<GroupState> turned_;  // for values with their channels last
  size_t turned_rank_ = 0;              // of those values; 0: nobody asked yet
  bool watched_turned_ = false;         // whether it ran the last call that was watched
};

// Answers for cinn.group on the CPU.
class CpuGroupCompiler final : public pir::RegionCompiler {
 public:
  CompileReply<pir::RegionExecutable> ask(const pir::RegionRequest& request) override;
};

}  // namespace paddle::cinn
