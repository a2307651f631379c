// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Stages as kernels of a GPU.
#include "cinn/codegen/gpu_emitter.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace paddle::cinn {

using namespace mlir;  // NOLINT: this file speaks MLIR's language

namespace {

constexpr unsigned kGlobal = 1, kSharedSpace = 3;
constexpr uint64_t kAlignment = 16;  // of buffers in shared memory
constexpr const char* kDynamic = "dynamic_shared";

bool is_fixed(const Buffer& b) { return b.elements->op == ExprOp::kConstant; }

// Of bits; a truth value is a number here.
DType exchanged_as(DType type) { return size_of(type) == 8 ? DType::kInt64 : DType::kInt32; }

}  // namespace

GpuEmitter::GpuEmitter(MLIRContext& context, const Kernel& kernel)
    : Arithmetic(context), BlockEmitter(kernel) {}

OwningOpRef<ModuleOp> GpuEmitter::emit(std::vector<BlockEntry>& entries) {
  module_ = ModuleOp::create(at_);
  declare_shared();
  for (size_t i = 0; i < kernel_.stages.size(); ++i) {
    entries.emplace_back();
    emit_stage(i, entries.back());
  }
  return module_;
}

// Buffers of known size have memory of their own, which ptxas counts; the others share what is
// given at the launch.
void GpuEmitter::declare_shared() {
  b_.setInsertionPointToEnd(module_.getBody());
  const auto add = [&](const std::string& name, Type type, LLVM::Linkage linkage) {
    b_.create<LLVM::GlobalOp>(at_, type, false, linkage, name, Attribute(), kAlignment,
                              kSharedSpace);
  };
  bool dynamic = false;
  for (size_t i = 0; i < kernel_.buffers.size(); ++i) {
    const Buffer& b = kernel_.buffers[i];
    if (b.space != Space::kShared) continue;
    dynamic = dynamic || !is_fixed(b);
    if (!is_fixed(b)) continue;
    const auto elements = static_cast<uint64_t>(std::max<int64_t>(b.elements->integer, 1));
    add(str("shared_", i), LLVM::LLVMArrayType::get(memory_type(b.dtype), elements),
        LLVM::Linkage::Internal);
  }
  if (dynamic) {
    add(kDynamic, LLVM::LLVMArrayType::get(b_.getI8Type(), 0), LLVM::Linkage::External);
  }
}

void GpuEmitter::emit_stage(size_t number, BlockEntry& entry) {
  const Stage& stage = kernel_.stages[number];
  MLIRContext* context = b_.getContext();
  const Type pointer = LLVM::LLVMPointerType::get(context, kGlobal), i64 = b_.getI64Type();
  entry.name = str("stage_", number);
  entry.threads = stage.threads;
  entry.tasks = stage.tasks;
  llvm::SmallVector<Type> types;
  for (size_t i = 0; i < kernel_.buffers.size(); ++i) {
    if (kernel_.buffers[i].space == Space::kShared) continue;
    entry.arguments.push_back({BlockArgument::Kind::kBuffer, static_cast<int64_t>(i)});
    types.push_back(pointer);
  }
  for (size_t i = 0; i < kernel_.sizes.size(); ++i) {
    entry.arguments.push_back({BlockArgument::Kind::kSize, static_cast<int64_t>(i)});
    types.push_back(i64);
  }
  entry.arguments.push_back({BlockArgument::Kind::kFailed});
  types.push_back(pointer);

  b_.setInsertionPointToEnd(module_.getBody());
  auto function = b_.create<LLVM::LLVMFuncOp>(
      at_, entry.name, LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context), types));
  function->setAttr("nvvm.kernel", b_.getUnitAttr());
  function->setAttr("nvvm.maxntid", b_.getDenseI32ArrayAttr({stage.threads, 1, 1}));
  entry_ = function.addEntryBlock(b_);
  b_.setInsertionPointToStart(entry_);
  b_.create<LLVM::ReturnOp>(at_, ValueRange());
  // Stack memory first, then the body, which ends before the return.
  b_.setInsertionPoint(entry_->getTerminator());
  registers_.clear();
  pointers_.assign(kernel_.buffers.size(), Value());
  sizes_.clear();
  for (size_t i = 0; i < entry.arguments.size(); ++i) {
    const BlockArgument& argument = entry.arguments[i];
    const auto position = static_cast<unsigned>(i);
    const Value given = function.getArgument(position);
    if (argument.kind == BlockArgument::Kind::kSize) {
      sizes_.push_back(given);
    } else if (argument.kind == BlockArgument::Kind::kFailed) {
      failed_ = given;
    } else {
      pointers_[static_cast<size_t>(argument.number)] = given;
      function.setArgAttr(position, "llvm.noalias", b_.getUnitAttr());
      if (buffer(argument.number).space == Space::kInput) {
        function.setArgAttr(position, "llvm.readonly", b_.getUnitAttr());
      }
    }
  }
  const auto number_of = [&](Value i32) -> Value {
    return b_.create<arith::ExtUIOp>(at_, i64, i32);
  };
  thread_ = number_of(b_.create<NVVM::ThreadIdXOp>(at_, b_.getI32Type()));
  const Value task = number_of(b_.create<NVVM::BlockIdXOp>(at_, b_.getI32Type()));
  for (size_t i = 0; i < kernel_.buffers.size(); ++i) {
    const Buffer& b = kernel_.buffers[i];
    if (b.space != Space::kScratch) continue;
    const Value offset = b_.create<arith::MulIOp>(at_, task, of_sizes(b.elements));
    pointers_[i] = address(static_cast<int64_t>(i), offset);
  }
  place_shared();
  entry.shared = kernel_.pool->integer(0);
  for (const Buffer& b : kernel_.buffers) {
    if (b.space != Space::kShared || is_fixed(b)) continue;
    ExprPool& p = *kernel_.pool;
    const Expr bytes = p.multiply(b.elements, p.integer(static_cast<int64_t>(size_of(b.dtype))));
    const auto line = static_cast<int64_t>(kAlignment);
    const Expr lines = p.floor_divide(p.add(bytes, p.integer(line - 1)), p.integer(line));
    entry.shared = p.add(entry.shared, p.multiply(lines, p.integer(line)));
  }
  emit_stage_body(stage, task);
}

void GpuEmitter::place_shared() {
  const Type pointer = LLVM::LLVMPointerType::get(b_.getContext(), kSharedSpace);
  const Type i8 = b_.getI8Type(), i64 = b_.getI64Type();
  Value offset = integer(i64, 0);
  for (size_t i = 0; i < kernel_.buffers.size(); ++i) {
    const Buffer& b = kernel_.buffers[i];
    if (b.space != Space::kShared) continue;
    const std::string name = is_fixed(b) ? str("shared_", i) : std::string(kDynamic);
    const Value base = b_.create<LLVM::AddressOfOp>(at_, pointer, name);
    if (is_fixed(b)) {
      pointers_[i] = base;
      continue;
    }
    pointers_[i] = b_.create<LLVM::GEPOp>(at_, pointer, i8, base, ArrayRef<LLVM::GEPArg>{offset});
    const Value bytes = b_.create<arith::MulIOp>(
        at_, of_sizes(b.elements), integer(i64, static_cast<int64_t>(size_of(b.dtype))));
    const auto line = static_cast<int64_t>(kAlignment);
    const Value up = b_.create<arith::AddIOp>(at_, bytes, integer(i64, line - 1));
    const Value whole = b_.create<arith::AndIOp>(at_, up, integer(i64, -line));
    offset = b_.create<arith::AddIOp>(at_, offset, whole);
  }
}

Value GpuEmitter::of_sizes(Expr e) {
  if (e->op == ExprOp::kConstant) return emit_constant(e);
  if (e->op == ExprOp::kSize) return emit_size(e->integer);
  Values args;
  for (Expr a : e->args) args.push_back(of_sizes(a));
  return operation(e, args);
}

// -- values --------------------------------------------------------------------------------------

Value GpuEmitter::emit_constant(Expr e) {
  const Type type = type_of(e->type);
  return is_floating(e->type) ? constant(type, e->real) : integer(type, e->integer);
}

Value GpuEmitter::emit_operation(Expr e, const Values& args) { return operation(e, args); }

Value GpuEmitter::shuffled(Value bits, int64_t mask) {
  const Type i32 = b_.getI32Type();
  return b_.create<NVVM::ShflOp>(at_, i32, integer(i32, -1), bits, integer(i32, mask),
                                 integer(i32, kWarp - 1), NVVM::ShflKind::bfly, UnitAttr());
}

Value GpuEmitter::emit_shuffle(Expr e, const Value& x) {
  const Type i32 = b_.getI32Type(), i64 = b_.getI64Type();
  const int64_t mask = e->args[1]->integer;
  const Type wide = type_of(exchanged_as(e->type)), own = type_of(e->type);
  const bool real = is_floating(e->type);
  Value bits = x;
  if (real) {
    bits = b_.create<arith::BitcastOp>(at_, wide, x);
  } else if (own != wide) {
    bits = b_.create<arith::ExtUIOp>(at_, wide, x);
  }
  if (wide == i32) {
    bits = shuffled(bits, mask);
  } else {
    const Value half = integer(i64, 32);
    const Value low = shuffled(b_.create<arith::TruncIOp>(at_, i32, bits), mask);
    const Value above = b_.create<arith::ShRUIOp>(at_, bits, half);
    const Value high = shuffled(b_.create<arith::TruncIOp>(at_, i32, above), mask);
    const Value moved =
        b_.create<arith::ShLIOp>(at_, b_.create<arith::ExtUIOp>(at_, i64, high), half);
    bits = b_.create<arith::OrIOp>(at_, moved, b_.create<arith::ExtUIOp>(at_, i64, low));
  }
  if (real) return b_.create<arith::BitcastOp>(at_, own, bits);
  return own == wide ? bits : Value(b_.create<arith::TruncIOp>(at_, own, bits));
}

// -- registers -----------------------------------------------------------------------------------

void GpuEmitter::declare(Register r, DType type, const Value& value) {
  if (!registers_.contains(r)) {
    const OpBuilder::InsertionGuard guard(b_);
    b_.setInsertionPointToStart(entry_);
    const Value one = b_.create<LLVM::ConstantOp>(at_, b_.getI32Type(), b_.getI32IntegerAttr(1));
    registers_[r] = b_.create<LLVM::AllocaOp>(at_, LLVM::LLVMPointerType::get(b_.getContext()),
                                              type_of(type), one);
  }
  assign(r, type, value);
}

void GpuEmitter::assign(Register r, DType, const Value& value) {
  b_.create<LLVM::StoreOp>(at_, value, registers_.at(r));
}

Value GpuEmitter::read(Register r, DType type) {
  return b_.create<LLVM::LoadOp>(at_, type_of(type), registers_.at(r));
}

// -- memory --------------------------------------------------------------------------------------

Value GpuEmitter::address(int64_t number, Value index) {
  const Value base = pointers_[static_cast<size_t>(number)];
  return b_.create<LLVM::GEPOp>(at_, base.getType(), memory_type(buffer(number).dtype), base,
                                ArrayRef<LLVM::GEPArg>{index});
}

GpuEmitter::Values GpuEmitter::load(int64_t number, const Value& index, int count) {
  const DType stored = buffer(number).dtype;
  const Type element = memory_type(stored);
  const Value at = address(number, index);
  if (count == 1) return {from_memory(b_.create<LLVM::LoadOp>(at_, element, at), stored)};
  const auto bytes = static_cast<unsigned>(count) * static_cast<unsigned>(size_of(stored));
  const Value wide = b_.create<LLVM::LoadOp>(at_, VectorType::get({count}, element), at, bytes);
  Values values;
  for (int i = 0; i < count; ++i) {
    const Value lane = b_.create<LLVM::ExtractElementOp>(at_, wide, integer(b_.getI32Type(), i));
    values.push_back(from_memory(lane, stored));
  }
  return values;
}

void GpuEmitter::store(int64_t number, const Value& index, const Values& values) {
  const DType stored = buffer(number).dtype;
  const Value at = address(number, index);
  if (values.size() == 1) {
    b_.create<LLVM::StoreOp>(at_, to_memory(values[0], stored), at);
    return;
  }
  const auto count = static_cast<int64_t>(values.size());
  Value wide = b_.create<LLVM::UndefOp>(at_, VectorType::get({count}, memory_type(stored)));
  for (int64_t i = 0; i < count; ++i) {
    wide = b_.create<LLVM::InsertElementOp>(
        at_, wide, to_memory(values[static_cast<size_t>(i)], stored), integer(b_.getI32Type(), i));
  }
  const auto bytes = static_cast<unsigned>(values.size() * size_of(stored));
  b_.create<LLVM::StoreOp>(at_, wide, at, bytes);
}

// -- control -------------------------------------------------------------------------------------

Value GpuEmitter::begin_loop(const Value& first, const Value& extent, int64_t step) {
  auto loop = b_.create<scf::ForOp>(at_, first, extent, integer(b_.getI64Type(), step));
  b_.setInsertionPointToStart(loop.getBody());
  return loop.getInductionVar();
}

void GpuEmitter::end_loop() { b_.setInsertionPointAfter(b_.getInsertionBlock()->getParentOp()); }

void GpuEmitter::begin_if(const Value& condition) {
  auto branch = b_.create<scf::IfOp>(at_, condition, false);
  b_.setInsertionPointToStart(&branch.getThenRegion().front());
}

void GpuEmitter::emit_barrier() { b_.create<NVVM::Barrier0Op>(at_); }

void GpuEmitter::fail_unless(const Value& condition) {
  const Value broken = b_.create<arith::XOrIOp>(at_, condition, integer(condition.getType(), 1));
  begin_if(broken);
  b_.create<LLVM::StoreOp>(at_, integer(b_.getI32Type(), 1), failed_);
  end_if();
}

}  // namespace paddle::cinn
