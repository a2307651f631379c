// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Stages, loops and stores.
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "cinn/codegen/cpu_emitter.h"
#include "paddle_core/base/error.h"

namespace paddle::cinn {

using namespace mlir;  // NOLINT: this file speaks MLIR's language

namespace {

void visit(const Body& body, const std::function<void(const Statement&)>& f) {
  for (const Statement& s : body) {
    f(s);
    if (const auto* loop = std::get_if<Loop>(&s.is)) visit(loop->body, f);
    if (const auto* branch = std::get_if<If>(&s.is)) visit(branch->body, f);
  }
}

}  // namespace

CpuEmitter::CpuEmitter(MLIRContext& context, const Kernel& kernel, const CpuTarget& target)
    : Arithmetic(context),
      kernel_(kernel),
      vector_bytes_(target.vector_bytes),
      rounds_to_bfloat16_(target.rounds_to_bfloat16),
      only_16_bit_(std::none_of(kernel.buffers.begin(), kernel.buffers.end(), [](const Buffer& b) {
        return b.space != Space::kScratch && is_floating(b.dtype) && size_of(b.dtype) > 2;
      })) {}

OwningOpRef<ModuleOp> CpuEmitter::emit() {
  module_ = ModuleOp::create(at_);
  for (size_t i = 0; i < kernel_.stages.size(); ++i) emit_stage(i);
  return module_;
}

void CpuEmitter::emit_stage(size_t number) {
  const Stage& stage = kernel_.stages[number];
  MLIRContext* context = b_.getContext();
  const Type pointer = LLVM::LLVMPointerType::get(context), i64 = b_.getI64Type();
  const size_t buffers = kernel_.buffers.size(), sizes = kernel_.sizes.size();

  // The body: buffers, sizes, begin, end, failed.
  llvm::SmallVector<Type> types(buffers, pointer);
  types.append(sizes + 2, i64);
  types.push_back(pointer);
  b_.setInsertionPointToEnd(module_.getBody());
  const std::string name = str("stage_", number);
  auto body = b_.create<func::FuncOp>(at_, name + "_body", b_.getFunctionType(types, {}));
  body.setPrivate();
  // Private to MLIR is not internal to LLVM, which would compile it twice.
  body->setAttr("llvm.linkage", LLVM::LinkageAttr::get(context, LLVM::Linkage::Internal));
  for (size_t i = 0; i < buffers; ++i) {
    body.setArgAttr(static_cast<unsigned>(i), "llvm.noalias", b_.getUnitAttr());
  }

  auto entry = b_.create<func::FuncOp>(
      at_, name, b_.getFunctionType({pointer, pointer, i64, i64, pointer}, {}));
  Block* block = entry.addEntryBlock();
  b_.setInsertionPointToStart(block);
  llvm::SmallVector<Value> args;
  const auto element = [&](Value array, Type type, size_t i) -> Value {
    const Value at = b_.create<LLVM::GEPOp>(at_, pointer, type, array,
                                            ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(i)});
    return b_.create<LLVM::LoadOp>(at_, type, at);
  };
  for (size_t i = 0; i < buffers; ++i) args.push_back(element(block->getArgument(0), pointer, i));
  for (size_t i = 0; i < sizes; ++i) args.push_back(element(block->getArgument(1), i64, i));
  for (unsigned i = 2; i < 5; ++i) args.push_back(block->getArgument(i));
  b_.create<func::CallOp>(at_, body, args);
  bool streams = false;
  visit(stage.body, [&](const Statement& s) {
    const auto* store = std::get_if<Store>(&s.is);
    streams = streams || (store && store->streamed);
  });
  if (streams) {  // what was written past the caches is there for other threads
    b_.create<LLVM::CallIntrinsicOp>(at_, Type(), llvm::StringRef("llvm.x86.sse.sfence"),
                                     ValueRange());
  }
  b_.create<func::ReturnOp>(at_);

  block = body.addEntryBlock();
  b_.setInsertionPointToStart(block);
  memory_.clear();
  pointers_.clear();
  sizes_.clear();
  for (size_t i = 0; i < buffers; ++i) {
    // A memref of one dimension by hand: its descriptor vanishes in the lowering.
    const auto type =
        MemRefType::get({ShapedType::kDynamic}, memory_type(kernel_.buffers[i].dtype));
    const Type array = LLVM::LLVMArrayType::get(i64, 1);
    const Type descriptor =
        LLVM::LLVMStructType::getLiteral(context, {pointer, pointer, i64, array, array});
    Value d = b_.create<LLVM::UndefOp>(at_, descriptor);
    const Value p = block->getArgument(static_cast<unsigned>(i));
    pointers_.push_back(p);
    const Value zero = b_.create<LLVM::ConstantOp>(at_, i64, b_.getI64IntegerAttr(0));
    const Value one = b_.create<LLVM::ConstantOp>(at_, i64, b_.getI64IntegerAttr(1));
    const Value most = b_.create<LLVM::ConstantOp>(at_, i64, b_.getI64IntegerAttr(INT64_MAX / 16));
    const auto insert = [&](Value v, ArrayRef<int64_t> where) {
      d = b_.create<LLVM::InsertValueOp>(at_, d, v, where);
    };
    insert(p, {0});
    insert(p, {1});
    insert(zero, {2});
    insert(most, {3, 0});
    insert(one, {4, 0});
    memory_.push_back(b_.create<UnrealizedConversionCastOp>(at_, type, d).getResult(0));
  }
  for (size_t i = 0; i < sizes; ++i) {
    sizes_.push_back(block->getArgument(static_cast<unsigned>(buffers + i)));
  }
  const auto last = static_cast<unsigned>(buffers + sizes);
  failed_ = block->getArgument(last + 2);
  written_.assign(buffers, false);
  visit(stage.body, [&](const Statement& s) {
    if (const auto* store = std::get_if<Store>(&s.is))
      written_[static_cast<size_t>(store->buffer)] = true;
    if (const auto* run = std::get_if<StoreRun>(&s.is))
      written_[static_cast<size_t>(run->buffer)] = true;
  });
  registers_.assign(static_cast<size_t>(kernel_.num_registers), {});
  variables_.clear();
  scopes_.clear();
  lanes_ = {};

  const Value one = b_.create<arith::ConstantOp>(at_, b_.getI64IntegerAttr(1));
  auto tasks =
      b_.create<scf::ForOp>(at_, block->getArgument(last), block->getArgument(last + 1), one);
  b_.create<func::ReturnOp>(at_);
  scopes_.push_back({block, tasks, {}, {}});
  changed();
  scopes_.push_back({tasks.getBody(), tasks.getBody()->getTerminator(), {}, {}});
  changed();
  variables_[stage.task] = {tasks.getInductionVar(), 1};
  emit_body(stage.body);
}

void CpuEmitter::emit_body(const Body& body) {
  for (const Statement& s : body) {
    go_to(scopes_.size() - 1);
    std::visit([this](const auto& statement) { emit(statement); }, s.is);
  }
}

std::vector<int64_t> CpuEmitter::changed_by(const Body& body) const {
  std::set<int64_t> changed, inside;
  visit(body, [&](const Statement& s) {
    if (const auto* d = std::get_if<Declare>(&s.is)) inside.insert(d->reg);
    if (const auto* a = std::get_if<Assign>(&s.is)) changed.insert(a->reg);
    if (const auto* a = std::get_if<Accumulate>(&s.is)) changed.insert(a->reg);
  });
  std::vector<int64_t> outer;
  for (const int64_t r : changed) {
    if (!inside.contains(r)) outer.push_back(r);
  }
  return outer;
}

void CpuEmitter::set_register(int64_t reg, Code code) {
  Register& r = registers_[static_cast<size_t>(reg)];
  r.code = code;
  r.scope = scopes_.size() - 1;
  changed();
  forget([reg](Expr e) { return e->op == ExprOp::kRegister && e->integer == reg; });
}

// -- registers -----------------------------------------------------------------------------------

void CpuEmitter::emit(const Declare& declare) {
  Code code = code_of(declare.value);
  go_to(scopes_.size() - 1);
  if (lanes_.variable) code = {widened(code, lanes_.width), true};
  set_register(declare.reg, code);
}

void CpuEmitter::emit(const Assign& assign) {
  Code code = code_of(assign.value);
  go_to(scopes_.size() - 1);
  if (registers_[static_cast<size_t>(assign.reg)].code.is_vector) {
    code = {widened(code, lanes_.width), true};
  }
  set_register(assign.reg, code);
}

mlir::Value CpuEmitter::identity(Combine how, DType type, int width) {
  const Type t = type_of(type, width);
  if (is_floating(type)) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    switch (how) {
      case Combine::kAdd:
        return constant(t, -0.0);
      case Combine::kMultiply:
        return constant(t, 1);
      case Combine::kMin:
        return constant(t, kInfinity);
      default:
        return constant(t, -kInfinity);
    }
  }
  const int bits = static_cast<int>(size_of(type)) * 8;
  const bool is_unsigned = type == DType::kUInt8 || type == DType::kBool;
  const int64_t least = is_unsigned ? 0 : static_cast<int64_t>(~uint64_t{0} << (bits - 1));
  switch (how) {
    case Combine::kAdd:
    case Combine::kOr:
      return integer(t, 0);
    case Combine::kMultiply:
      return integer(t, 1);
    case Combine::kAnd:
      return integer(t, -1);
    case Combine::kMax:
      return integer(t, least);
    default:
      return integer(t, is_unsigned ? -1 : ~least);
  }
}

CpuEmitter::Code CpuEmitter::combine(Combine how, Code a, Code b, DType type) {
  const bool is_vector = a.is_vector || b.is_vector;
  ExprNode node{};
  node.type = type;
  static constexpr ExprOp kOps[] = {ExprOp::kAdd, ExprOp::kMultiply, ExprOp::kMin,
                                    ExprOp::kMax, ExprOp::kAnd,      ExprOp::kOr};
  node.op = kOps[static_cast<size_t>(how)];
  ExprNode operand{};
  operand.op = ExprOp::kRegister;
  operand.type = type;
  node.args = {&operand, &operand};
  const int width = is_vector ? lanes_.width : 1;
  return make_operation(&node, {widened(a, width), widened(b, width)}, is_vector);
}

void CpuEmitter::emit(const Accumulate& accumulate) {
  const Code before = registers_[static_cast<size_t>(accumulate.reg)].code;
  Code value = code_of(accumulate.value);
  go_to(scopes_.size() - 1);
  if (before.is_vector && lanes_.mask) {
    // Lanes that do not run leave the partial value as it is.
    const Value wide = widened(value, lanes_.width);
    const Value none = identity(accumulate.combine, accumulate.value->type, lanes_.width);
    value = {b_.create<arith::SelectOp>(at_, lanes_.mask, wide, none), true};
  }
  set_register(accumulate.reg, combine(accumulate.combine, before, value, accumulate.value->type));
}

// The lanes in halves, until one is left.
mlir::Value CpuEmitter::across_lanes(Combine how, Value vector, DType type) {
  for (int width = lanes_.width / 2; width >= 1; width /= 2) {
    const auto half = [&](int64_t offset) -> Value {
      return b_.create<vector::ExtractStridedSliceOp>(
          at_, vector, ArrayRef<int64_t>{offset}, ArrayRef<int64_t>{width}, ArrayRef<int64_t>{1});
    };
    const Code low{half(0), true}, high{half(width), true};
    vector = combine(how, low, high, type).value;
  }
  return b_.create<vector::ExtractOp>(at_, vector, ArrayRef<int64_t>{0});
}

// -- loops ---------------------------------------------------------------------------------------

void CpuEmitter::emit(const Loop& loop) {
  PADDLE_CHECK_RUNTIME(loop.kind != Loop::Kind::kThreads,
                       "cinn: a loop over threads of a block has no meaning in code for the CPU.");
  if (loop.kind == Loop::Kind::kSerial || loop.width <= 1) {
    emit_serial(loop);
  } else {
    PADDLE_CHECK_RUNTIME(!lanes_.variable, "cinn: a vector loop stands in another one.");
    emit_vector(loop);
  }
}

void CpuEmitter::emit_serial(const Loop& loop) {
  const Value extent = scalar(loop.extent);
  go_to(scopes_.size() - 1);
  const Value zero = integer(b_.getI64Type(), 0), one = integer(b_.getI64Type(), 1);
  const std::vector<int64_t> carried = changed_by(loop.body);
  llvm::SmallVector<Value> before;
  std::vector<Register> outer;
  for (const int64_t r : carried) {
    outer.push_back(registers_[static_cast<size_t>(r)]);
    before.push_back(outer.back().code.value);
  }
  auto made = b_.create<scf::ForOp>(at_, zero, extent, one, before);
  if (carried.empty()) made.getBody()->getTerminator()->erase();
  scope().open = made;
  scopes_.push_back({made.getBody(), nullptr, {}, {}});
  changed();
  variables_[loop.variable] = {made.getInductionVar(), scopes_.size() - 1};
  for (size_t i = 0; i < carried.size(); ++i) {
    set_register(carried[i],
                 {made.getRegionIterArg(static_cast<unsigned>(i)), outer[i].code.is_vector});
  }
  emit_body(loop.body);
  go_to(scopes_.size() - 1);
  llvm::SmallVector<Value> after;
  for (const int64_t r : carried) after.push_back(registers_[static_cast<size_t>(r)].code.value);
  b_.create<scf::YieldOp>(at_, after);
  scopes_.pop_back();
  changed();
  scope().open = nullptr;
  if (scopes_.size() == 2) scope().open = scope().block->getTerminator();
  go_to(scopes_.size() - 1);
  for (size_t i = 0; i < carried.size(); ++i) {
    set_register(carried[i], {made.getResult(static_cast<unsigned>(i)), outer[i].code.is_vector});
  }
}

void CpuEmitter::emit_vector(const Loop& loop) {
  const int width = loop.width, unroll = std::max(loop.unroll, 1);
  const Type i64 = b_.getI64Type();
  const Value extent = scalar(loop.extent);
  go_to(scopes_.size() - 1);
  const Value zero = integer(i64, 0);
  const auto whole = [&](int64_t step) -> Value {
    const Value rest = b_.create<arith::AndIOp>(at_, extent, integer(i64, step - 1));
    return b_.create<arith::SubIOp>(at_, extent, rest);
  };
  PADDLE_CHECK_RUNTIME((width & (width - 1)) == 0 && (unroll & (unroll - 1)) == 0,
                       "cinn: a vector loop has width ", width, " and is unrolled ", unroll,
                       " times; both must be powers of two.");
  const std::vector<int64_t> carried = changed_by(loop.body);
  std::vector<Register> outer;
  std::vector<Combine> how(carried.size(), Combine::kAdd);
  std::vector<DType> types(carried.size(), DType::kFloat32);
  for (const int64_t r : carried) outer.push_back(registers_[static_cast<size_t>(r)]);
  visit(loop.body, [&](const Statement& s) {
    if (const auto* a = std::get_if<Accumulate>(&s.is)) {
      const auto at = std::find(carried.begin(), carried.end(), a->reg);
      if (at == carried.end()) return;
      how[static_cast<size_t>(at - carried.begin())] = a->combine;
      types[static_cast<size_t>(at - carried.begin())] = a->value->type;
    }
  });
  // Partial values: of each register one vector for every copy of the body.
  llvm::SmallVector<Value> partial;
  for (int u = 0; u < unroll; ++u) {
    for (size_t i = 0; i < carried.size(); ++i)
      partial.push_back(identity(how[i], types[i], width));
  }

  const auto round = [&](Value begin, Value end, int copies, bool masked,
                         llvm::SmallVector<Value>& values) {
    go_to(scopes_.size() - 1);
    auto made =
        b_.create<scf::ForOp>(at_, begin, end, integer(i64, int64_t{width} * copies), values);
    if (values.empty()) made.getBody()->getTerminator()->erase();
    scope().open = made;
    scopes_.push_back({made.getBody(), nullptr, {}, {}});
    changed();
    llvm::SmallVector<Value> after;
    for (int u = 0; u < copies; ++u) {
      go_to(scopes_.size() - 1);
      scope().known.clear();
      scope().first_lane.clear();
      Value first = made.getInductionVar();
      if (u > 0) first = b_.create<arith::AddIOp>(at_, first, integer(i64, int64_t{u} * width));
      lanes_ = {loop.variable, width, first, Value(), scopes_.size() - 1};
      changed();
      if (masked) {
        const Value left = index(b_.create<arith::SubIOp>(at_, extent, first));
        lanes_.mask = b_.create<vector::CreateMaskOp>(at_, VectorType::get({width}, b_.getI1Type()),
                                                      ValueRange{left});
      }
      for (size_t i = 0; i < carried.size(); ++i) {
        const auto position = static_cast<unsigned>(static_cast<size_t>(u) * carried.size() + i);
        set_register(carried[i], {made.getRegionIterArg(position), true});
      }
      emit_body(loop.body);
      for (const int64_t r : carried)
        after.push_back(registers_[static_cast<size_t>(r)].code.value);
    }
    go_to(scopes_.size() - 1);
    b_.create<scf::YieldOp>(at_, after);
    scopes_.pop_back();
    changed();
    scope().open = scopes_.size() == 2 ? scope().block->getTerminator() : nullptr;
    go_to(scopes_.size() - 1);
    values.assign(made.getResults().begin(), made.getResults().end());
  };

  const Value main_end = whole(int64_t{width} * unroll);
  round(zero, main_end, unroll, false, partial);
  // The copies together, in pairs.
  for (int copies = unroll / 2; copies >= 1; copies /= 2) {
    for (int u = 0; u < copies; ++u) {
      for (size_t i = 0; i < carried.size(); ++i) {
        const size_t a = static_cast<size_t>(u) * carried.size() + i;
        const size_t b = static_cast<size_t>(u + copies) * carried.size() + i;
        partial[a] = combine(how[i], {partial[a], true}, {partial[b], true}, types[i]).value;
      }
    }
  }
  partial.resize(carried.size());
  const bool has_rest =
      known_divisor(loop.extent, kernel_.multiples) % (int64_t{width} * unroll) != 0;
  if (has_rest) round(main_end, extent, 1, true, partial);
  for (size_t i = 0; i < carried.size(); ++i) {
    const Value total = across_lanes(how[i], partial[i], types[i]);
    registers_[static_cast<size_t>(carried[i])].code.is_vector = false;
    const int width_before = lanes_.width;
    const Code both = combine(how[i], outer[i].code, {total}, types[i]);
    lanes_.width = width_before;
    set_register(carried[i], both);
  }
  lanes_ = {};
  changed();
}

// -- stores and conditions -----------------------------------------------------------------------

void CpuEmitter::emit(const Store& store) {
  const auto number = static_cast<size_t>(store.buffer);
  // Lanes that run along no elements would all be at one place.
  if (is_integer_constant(kernel_.buffers[number].elements, 0)) return;
  const DType stored = kernel_.buffers[number].dtype;
  const Value memory = memory_[number];
  const Code code = code_of(store.value);
  const bool by_lane = varies(store.index);
  go_to(scopes_.size() - 1);
  if (!by_lane) {
    PADDLE_CHECK_RUNTIME(!code.is_vector, "cinn: lanes store different values to one element of ",
                         kernel_.buffers[number].name, ".");
    const Value at = index(scalar(store.index));
    go_to(scopes_.size() - 1);
    b_.create<memref::StoreOp>(at_, to_memory(code.value, stored), memory, ValueRange{at});
  } else {
    const Value value = to_memory(widened(code, lanes_.width), stored);
    if (coefficient_of(store.index, lanes_.variable) == 1 && !reads_lane_register(store.index)) {
      const Value first = first_lane(store.index);
      const Value at = index(first);
      const auto bytes = static_cast<unsigned>(lanes_.width * static_cast<int>(size_of(stored)));
      if (store.streamed && !lanes_.mask && bytes >= 16) {
        const Type pointer = pointers_[number].getType();
        const Value address =
            b_.create<LLVM::GEPOp>(at_, pointer, memory_type(stored), pointers_[number],
                                   llvm::ArrayRef<LLVM::GEPArg>{first});
        b_.create<LLVM::StoreOp>(at_, value, address, std::min(bytes, 64u), false, true);
      } else if (lanes_.mask) {
        b_.create<vector::MaskedStoreOp>(at_, memory, ValueRange{at}, lanes_.mask, value);
      } else {
        b_.create<vector::StoreOp>(at_, value, memory, ValueRange{at});
      }
    } else {
      const auto mask_type = VectorType::get({lanes_.width}, b_.getI1Type());
      const Value mask = lanes_.mask ? lanes_.mask : integer(mask_type, 1);
      const Value at = lanes(store.index);
      go_to(scopes_.size() - 1);
      b_.create<vector::ScatterOp>(at_, memory, ValueRange{index(integer(b_.getI64Type(), 0))}, at,
                                   mask, value);
    }
  }
  forget([&](Expr e) { return e->op == ExprOp::kLoad && e->integer == store.buffer; });
}

// The vectors of neighbours in turn, two by two: what is stored is one stretch of memory.
mlir::Value CpuEmitter::interleaved(llvm::SmallVector<Value> parts) {
  while (parts.size() > 1) {
    const size_t half = parts.size() / 2;
    const auto width = cast<VectorType>(parts[0].getType()).getNumElements();
    llvm::SmallVector<int64_t> order;
    for (int64_t i = 0; i < width; ++i) order.append({i, width + i});
    for (size_t k = 0; k < half; ++k) {
      parts[k] = b_.create<vector::ShuffleOp>(at_, parts[k], parts[k + half], order);
    }
    parts.resize(half);
  }
  return parts[0];
}

void CpuEmitter::emit(const StoreRun& store) {
  const auto number = static_cast<size_t>(store.buffer);
  if (!lanes_.variable) {
    for (size_t k = 0; k < store.values.size(); ++k) {
      const Expr offset = kernel_.pool->integer(static_cast<int64_t>(k));
      emit(Store{store.buffer, kernel_.pool->add(store.index, offset), store.values[k]});
    }
    return;
  }
  const DType stored = kernel_.buffers[number].dtype;
  llvm::SmallVector<Value> values, masks;
  for (Expr value : store.values) {
    values.push_back(to_memory(lanes(value), stored));
    if (lanes_.mask) masks.push_back(lanes_.mask);
  }
  const Value at = index(first_lane(store.index));
  go_to(scopes_.size() - 1);
  const Value all = interleaved(std::move(values));
  if (masks.empty()) {
    b_.create<vector::StoreOp>(at_, all, memory_[number], ValueRange{at});
  } else {
    const Value mask = interleaved(std::move(masks));
    b_.create<vector::MaskedStoreOp>(at_, memory_[number], ValueRange{at}, mask, all);
  }
  forget([&](Expr e) { return e->op == ExprOp::kLoad && e->integer == store.buffer; });
}

void CpuEmitter::emit(const If& branch) {
  const Value condition = scalar(branch.condition);
  go_to(scopes_.size() - 1);
  const std::vector<int64_t> carried = changed_by(branch.body);
  llvm::SmallVector<Type> types;
  llvm::SmallVector<Value> before;
  for (const int64_t r : carried) {
    before.push_back(registers_[static_cast<size_t>(r)].code.value);
    types.push_back(before.back().getType());
  }
  std::vector<Code> codes;
  for (const int64_t r : carried) codes.push_back(registers_[static_cast<size_t>(r)].code);
  auto made = b_.create<scf::IfOp>(at_, types, condition, !carried.empty());
  scope().open = made;
  Block* block = &made.getThenRegion().front();
  if (!block->empty()) block->getTerminator()->erase();
  scopes_.push_back({block, nullptr, {}, {}});
  changed();
  emit_body(branch.body);
  go_to(scopes_.size() - 1);
  llvm::SmallVector<Value> after;
  for (const int64_t r : carried) after.push_back(registers_[static_cast<size_t>(r)].code.value);
  b_.create<scf::YieldOp>(at_, after);
  scopes_.pop_back();
  changed();
  if (!carried.empty()) {
    b_.setInsertionPointToEnd(&made.getElseRegion().front());
    b_.create<scf::YieldOp>(at_, before);
  }
  scope().open = scopes_.size() == 2 ? scope().block->getTerminator() : nullptr;
  go_to(scopes_.size() - 1);
  for (size_t i = 0; i < carried.size(); ++i) {
    set_register(carried[i], {made.getResult(static_cast<unsigned>(i)), codes[i].is_vector});
  }
}

void CpuEmitter::fail_where(Value condition) {
  auto made = b_.create<scf::IfOp>(at_, condition, false);
  const OpBuilder::InsertionGuard guard(b_);
  b_.setInsertionPointToStart(&made.getThenRegion().front());
  const Value one = integer(b_.getI32Type(), 1);
  b_.create<LLVM::StoreOp>(at_, one, failed_);
}

void CpuEmitter::emit(const Check& check) {
  const Code code = code_of(check.condition);
  go_to(scopes_.size() - 1);
  Value broken = b_.create<arith::XOrIOp>(at_, code.value, integer(code.value.getType(), -1));
  if (code.is_vector) {
    if (lanes_.mask) broken = b_.create<arith::AndIOp>(at_, broken, lanes_.mask);
    broken = b_.create<vector::ReductionOp>(at_, vector::CombiningKind::OR, broken);
  }
  fail_where(broken);
}

void CpuEmitter::emit(const Barrier&) {
  throw_error(ErrorKind::kRuntime, "cinn: a barrier has no meaning in code for the CPU.");
}

}  // namespace paddle::cinn
