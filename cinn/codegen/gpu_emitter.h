// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// A kernel of blocks as an MLIR module for NVIDIA GPUs: arith and math for values, scf for loops,
// llvm for memory, nvvm for threads. Registers are stack memory, which LLVM makes values of.
// Private to codegen.
#pragma once

#include <map>

#include "cinn/codegen/arithmetic.h"
#include "cinn/codegen/block_emitter.h"
#include "cinn/codegen/blocks.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

namespace paddle::cinn {

class GpuEmitter final : private Arithmetic, private BlockEmitter<mlir::Value> {
 public:
  GpuEmitter(mlir::MLIRContext& context, const Kernel& kernel);
  // `entries` gets one entry per stage.
  mlir::OwningOpRef<mlir::ModuleOp> emit(std::vector<BlockEntry>& entries);

 private:
  using Value = mlir::Value;
  using Values = std::vector<mlir::Value>;

  void declare_shared();
  void emit_stage(size_t number, BlockEntry& entry);
  void place_shared();

  Value emit_constant(Expr e) override;
  Value emit_operation(Expr e, const Values& args) override;
  Value emit_shuffle(Expr e, const Value& x) override;
  Value emit_size(int64_t number) override { return sizes_[static_cast<size_t>(number)]; }
  Value emit_thread() override { return thread_; }
  void declare(Register r, DType type, const Value& value) override;
  void assign(Register r, DType type, const Value& value) override;
  Value read(Register r, DType type) override;
  Values load(int64_t buffer, const Value& index, int count) override;
  void store(int64_t buffer, const Value& index, const Values& values) override;
  Value begin_loop(const Value& first, const Value& extent, int64_t step) override;
  void end_loop() override;
  void begin_if(const Value& condition) override;
  void end_if() override { end_loop(); }
  void emit_barrier() override;
  void fail_unless(const Value& condition) override;

  Value of_sizes(Expr e);
  Value address(int64_t buffer, Value index);
  Value shuffled(Value bits, int64_t mask);  // of 32 bits
  const Buffer& buffer(int64_t i) const { return kernel_.buffers[static_cast<size_t>(i)]; }

  mlir::ModuleOp module_;
  mlir::Block* entry_ = nullptr;  // where stack memory is made
  std::vector<Value> pointers_, sizes_;
  Value thread_, failed_;
  std::map<Register, Value> registers_;
};

}  // namespace paddle::cinn
