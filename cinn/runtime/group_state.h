// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// What a group of a program keeps from call to call: its form and, per class of sizes, the kernel
// and how often it was asked for.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <string>

#include "cinn/runtime/kernel_cache.h"
#include "pir/interpreter/region_compiler.h"

namespace paddle::cinn {

class GroupState : public std::enable_shared_from_this<GroupState> {
 public:
  GroupState(std::shared_ptr<const GroupForm> form, const pir::Operation& group);
  // Whether the form holds for inputs of these shapes and dtypes.
  bool serves(const TensorList& inputs) const;
  // The kernel that serves these inputs at this call, if it is its turn.
  std::shared_ptr<pir::RegionExecutable> ask(const TensorList& inputs);
  TensorList run(const CachedKernel& kernel, const int64_t* sizes, const TensorList& inputs) const;
  // For people.
  std::string describe() const;

 private:
  struct Slot {
    std::mutex mutex;
    int64_t calls = 0;
    std::shared_ptr<CachedKernel> kernel;
    std::shared_ptr<pir::RegionExecutable> executable;
    bool warned = false;
  };
  // A size: extent `dim` of input `input`, or an expression.
  struct Source {
    int input = -1, dim = 0;
    Dim value;
  };
  bool compute_sizes(const TensorList& inputs, int64_t* sizes) const;

  const std::shared_ptr<const GroupForm> form_;
  std::string name_;  // of its operations, for messages
  std::vector<pir::Type> inputs_, results_;
  std::vector<Source> sources_;
  mutable std::array<Slot, kNumVariants> slots_;

  friend class GroupExecutable;
};

// Answers for cinn.group on the CPU.
class CpuGroupCompiler final : public pir::RegionCompiler {
 public:
  CompileReply<pir::RegionExecutable> ask(const pir::RegionRequest& request) override;
};

}  // namespace paddle::cinn
