// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// The interface by which a compiler takes over regions. An operation of another library that has
// one region and no function that executes it (a fused group) is offered to the compilers of its
// kind of device, in the order of their priority, until one has an executable; otherwise its region
// runs, operation by operation. So it does when a run is recorded for gradients.
//
// Compilers are asked at every run, so an executable holds for one run only: the next answer may be
// another one, or none. Without a compiler a run costs one load more.
#pragma once

#include <string>
#include <vector>

#include "paddle_core/dispatch/compile_hook.h"
#include "pir/ir/ir.h"

namespace paddle::pir {

struct RegionRequest {
  const Operation& op;
  const Region& region;
  // The operands of the operation, then the free values of the region (free_values()) that no
  // constant operation makes.
  const TensorList& inputs;
  Place place;  // of the first input that is a tensor
};

// Kept alive while it runs, even if its compiler revokes it or is removed meanwhile.
class PADDLE_API RegionExecutable {
 public:
  virtual ~RegionExecutable();
  // One tensor per result of the operation, from the inputs of the request; none at all where the
  // values are not what it is made for (an index out of range): the region runs then, and raises
  // what there is to raise. It draws what draw_state() gave the executable, which therefore draws
  // for all random operations of the region, in their order, or for none.
  virtual TensorList run(const TensorList& inputs) = 0;
  // Whether the region is to run instead of run(). region_ran() is told how long it took then, so
  // that a compiler may compare the two.
  virtual bool wants_region() const { return false; }
  virtual void region_ran(int64_t /*nanoseconds*/) {}
};

// Asked on any thread, at once on several; may not wait. Operation::handle is where it may keep
// what belongs to the operation.
class PADDLE_API RegionCompiler {
 public:
  virtual ~RegionCompiler();
  virtual CompileReply<RegionExecutable> ask(const RegionRequest& request) = 0;
};

// For the kind of device that `device` names, whatever its index. Compilers of lower priority are
// asked later; of equal priority, those installed later. Returns what removes it.
PADDLE_API uint64_t install_region_compiler(Place device, int priority,
                                            std::shared_ptr<RegionCompiler> compiler);
// False when no compiler has that number. Runs in progress end as they began.
PADDLE_API bool remove_region_compiler(uint64_t number);

// What an operation with a region is called for people: the operators in it, in their order.
PADDLE_API std::vector<std::string> region_operators(const Operation& op);
// The same as one word, as in multiply*2+add.
PADDLE_API std::string region_name(const Operation& op);

// Null when no compiler has an executable.
PADDLE_API std::shared_ptr<RegionExecutable> compiled_region(const Operation& op,
                                                             const TensorList& inputs);

}  // namespace paddle::pir
