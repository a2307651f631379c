// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// A kernel of the loop IR as an MLIR module for the CPU. Private to codegen.
//
// Each stage is two functions: the one that is called, which takes the buffers apart, and its body,
// whose pointers are known not to overlap. Expressions are emitted once per scope, in the outermost
// loop in which their operands are known. The body of a vector loop is emitted for `width`
// iterations at a time: `unroll` times without a mask, then in a loop whose last round is masked.
#pragma once

#include <optional>
#include <unordered_map>

#include "cinn/codegen/arithmetic.h"
#include "cinn/codegen/cpu.h"
#include "cinn/loop/kernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

namespace paddle::cinn {

class CpuEmitter : private Arithmetic {
 public:
  CpuEmitter(mlir::MLIRContext& context, const Kernel& kernel, const CpuTarget& target);
  mlir::OwningOpRef<mlir::ModuleOp> emit();

 private:
  // A value in the code: of one iteration, or of all lanes of a vector loop.
  struct Code {
    mlir::Value value;
    bool is_vector = false;
  };
  struct Register {
    Code code;
    size_t scope = 0;     // where the value is known
    size_t declared = 0;  // where it was declared
  };
  struct Scope {
    mlir::Block* block;
    mlir::Operation* open = nullptr;  // the loop in it that is being made; null: append
    std::unordered_map<Expr, Code> known;
    std::unordered_map<Expr, mlir::Value> first_lane;  // integers at lane 0 of the vector loop
  };
  // The vector loop around, if there is one.
  struct Lanes {
    Expr variable = nullptr;
    int width = 0;
    mlir::Value first;  // the iteration of lane 0
    mlir::Value mask;   // null: all lanes run
    size_t scope = 0;
  };

  // -- statements (cpu_statements.cc) --
  void emit_stage(size_t number);
  void emit_body(const Body& body);
  void emit(const Loop& loop);
  void emit_serial(const Loop& loop);
  void emit_vector(const Loop& loop);
  void emit(const Declare& declare);
  void emit(const Assign& assign);
  void emit(const Accumulate& accumulate);
  void emit(const Store& store);
  void emit(const StoreRun& store);
  void emit(const If& branch);
  void emit(const Check& check);
  void emit(const Barrier&);
  void set_register(int64_t reg, Code code);
  Code combine(Combine how, Code a, Code b, DType type);
  mlir::Value interleaved(llvm::SmallVector<mlir::Value> parts);
  mlir::Value identity(Combine how, DType type, int width);
  mlir::Value across_lanes(Combine how, mlir::Value vector, DType type);
  // The registers of outside that the body changes.
  std::vector<int64_t> changed_by(const Body& body) const;
  void fail_where(mlir::Value condition);

  // -- expressions (cpu_expressions.cc) --
  Code code_of(Expr e);
  mlir::Value scalar(Expr e);      // it must not depend on the lanes
  mlir::Value lanes(Expr e);       // as a vector of the loop's width
  mlir::Value first_lane(Expr e);  // of an integer, at lane 0
  Code make(Expr e);               // in the scope that is current
  Code make_load(Expr e);
  std::optional<Code> make_scaled(Expr e);  // a product with a power of two
  // By a reciprocal of 22 bits; null where a quotient needs more or the processor has none.
  mlir::Value quotient_of_registers(mlir::Value a, mlir::Value b);
  Code make_operation(Expr e, llvm::ArrayRef<mlir::Value> args, bool is_vector);
  mlir::Value widened(Code code, int width);
  mlir::Value extreme_of_registers(bool least, mlir::Value a, mlir::Value b) override;
  mlir::Value bfloat16_of_registers(mlir::Value x) override;
  size_t scope_of(Expr e);
  bool varies(Expr e);  // from lane to lane
  bool reads_lane_register(Expr e);
  void forget(const std::function<bool(Expr)>& changed);

  mlir::Value index(mlir::Value i64);
  mlir::Value nothing_of(mlir::Type type);  // zeros

  Scope& scope() { return scopes_.back(); }
  void changed() {
    scope_known_.clear();
    lane_known_.clear();
  }
  void go_to(size_t scope);

  const Kernel& kernel_;
  const int vector_bytes_;
  const bool rounds_to_bfloat16_;
  const bool only_16_bit_;  // the floats that it reads and writes, scratch memory aside
  mlir::ModuleOp module_;
  std::vector<Scope> scopes_;
  std::vector<Register> registers_;
  Lanes lanes_;
  std::unordered_map<Expr, std::pair<mlir::Value, size_t>> variables_;  // value, scope
  std::vector<mlir::Value> memory_;                                     // memrefs of buffers
  std::vector<mlir::Value> pointers_, sizes_;
  std::vector<bool> written_;  // buffers that the stage stores to
  mlir::Value failed_;
  // What scope_of() and reads_lane_register() found since loops and registers last changed.
  std::unordered_map<Expr, size_t> scope_known_;
  std::unordered_map<Expr, bool> lane_known_;
};

}  // namespace paddle::cinn
