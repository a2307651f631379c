// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// From the tensors of a call to the memory of the interpreter and back.
#include "cinn/runtime/interpreted_group.h"

#include "cinn/loop/interpret.h"
#include "cinn/schedule/blocks.h"
#include "paddle_core/base/flags.h"

namespace paddle::cinn {
namespace {

constexpr int kLanes = 16;  // of the CPU's vectors, which the interpreter takes one by one

class InterpretedGroup final : public pir::RegionExecutable {
 public:
  InterpretedGroup(std::shared_ptr<const GroupState> group, bool blocks)
      : group_(std::move(group)), blocks_(blocks) {}

  TensorList run(const TensorList& inputs) override {
    const GroupForm& form = group_->form();
    std::vector<int64_t> sizes(form.sizes().size());
    PADDLE_ASSERT(group_->compute_sizes(inputs, sizes.data()));
    const Kernel kernel = blocks_
                              ? schedule_for_blocks(form, choose_block_variant(form, sizes.data()))
                              : schedule_for_cpu(form, choose_variant(form, sizes.data()), kLanes);
    TensorList results = group_->make_results(sizes.data()), dense;
    std::vector<void*> memory(kernel.buffers.size());
    for (const Tensor& t : inputs) dense.push_back(t.contiguous_copy_if_needed());
    for (size_t i = 0; i < memory.size(); ++i) {
      const Buffer& b = kernel.buffers[i];
      if (b.argument < 0) continue;
      const Tensor& t =
          (b.space == Space::kInput ? dense : results)[static_cast<size_t>(b.argument)];
      if (t.numel() > 0) memory[i] = t.raw_data();
    }
    KernelCache::global().count_launch();
    const Interpretation seen = interpret(kernel, memory, sizes);
    std::string list;
    for (const std::string& problem : seen.problems) list += "\n  " + problem;
    PADDLE_CHECK_RUNTIME(seen.problems.empty(), "cinn: the kernel of group ", group_->name(), ":",
                         list, "\n", print(kernel));
    if (seen.failed) return {};  // as compiled kernels do: the region runs, or raises
    return results;
  }

 private:
  const std::shared_ptr<const GroupState> group_;
  const bool blocks_;
};

}  // namespace

std::shared_ptr<pir::RegionExecutable> interpreted_group(std::shared_ptr<const GroupState> group) {
  const std::string how = std::get<std::string>(get_flag("FLAGS_cinn_interpret"));
  if (how.empty()) return nullptr;
  PADDLE_CHECK_VALUE(how == "cpu" || how == "blocks", "FLAGS_cinn_interpret is ", how,
                     "; it must be cpu, blocks or empty.");
  return std::make_shared<InterpretedGroup>(std::move(group), how == "blocks");
}

}  // namespace paddle::cinn
