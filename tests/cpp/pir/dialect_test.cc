// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Types and operations of a library that pir does not know (test_dialect), through all that can be
// done with a program; compilers of regions; places in types.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <deque>

#include "paddle_core/autograd/autograd.h"
#include "phi_kernels/cpu/loops/strided.h"
#include "phi_kernels/ops/core_ops.h"
#include "pir/dialect/effects.h"
#include "pir/dialect/operation_record.h"
#include "pir/interpreter/interpreter.h"
#include "pir/interpreter/region_compiler.h"
#include "pir/ir/clone.h"
#include "pir/ir/extension_type.h"
#include "pir/serialize/serialize.h"
#include "pir/transform/transform.h"

namespace paddle::pir {
namespace {

constexpr const char* kProgram =
    "(%0) = \"pd_op.data\" () {name: \"x\", shape: ints<4, 2>, dtype: dtype<float32>, place: "
    "place<0, 0>} : () -> (tensor<4x2xfloat32>)\n"
    "(%1) = \"dist.shard\" (%0) {parts: 2:i64, rank: 1:i64} : (tensor<4x2xfloat32>) -> "
    "(!dist.tensor<tensor<4x2xfloat32>, 2>)\n"
    "(%2) = \"dist.square\" (%1) {} : (!dist.tensor<tensor<4x2xfloat32>, 2>) -> "
    "(!dist.tensor<tensor<4x2xfloat32>, 2>)\n"
    "(%3) = \"dist.local\" (%2) {} : (!dist.tensor<tensor<4x2xfloat32>, 2>) -> "
    "(tensor<2x2xfloat32>)\n"
    "(%4) = \"fuse.group\" (%3) {} : (tensor<2x2xfloat32>) -> (tensor<2x2xfloat32>) ({ "
    "^(%5: tensor<2x2xfloat32>)\n"
    "  (%6) = \"pd_op.add\" (%5, %5) {} : (tensor<2x2xfloat32>, tensor<2x2xfloat32>) -> "
    "(tensor<2x2xfloat32>)\n"
    "  () = \"cf.yield\" (%6) {} : (tensor<2x2xfloat32>) -> ()\n"
    "})\n"
    "(%7) = \"pd_op.fetch\" (%4) {name: \"fetch_name_0\", col: 0:i32} : (tensor<2x2xfloat32>) -> "
    "(tensor<2x2xfloat32>)\n";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

Tensor numbers(const Shape& shape) {  // 0, 1, 2, ...
  Tensor t = Tensor::empty(shape, DType::kFloat32);
  for (int64_t i = 0; i < t.numel(); ++i) t.data<float>()[i] = static_cast<float>(i);
  return t;
}

std::vector<float> values(const Tensor& t) {
  return {t.data<float>(), t.data<float>() + t.numel()};
}

// The interpreter of a program with its pd_op.data operations as inputs and what pd_op.fetch reads
// as outputs.
Interpreter interpreter_of(const Program& program) {
  std::vector<const Operation*> operations;
  std::vector<Value*> inputs, outputs;
  for (const auto& op : program.block().operations()) {
    operations.push_back(op.get());
    if (op->is("pd_op.data")) inputs.push_back(op->result());
    if (op->is("pd_op.fetch")) outputs.push_back(op->operand(0));
  }
  return Interpreter(operations, inputs, outputs);
}

TensorList run(const Program& program, const Tensor& x) { return interpreter_of(program).run({x}); }

TensorList run_recorded(const Program& program, const Tensor& x) {
  SymbolValues symbols;
  return interpreter_of(program).run_recorded({x}, &symbols, true);
}

template <typename Fn>
std::string message_of(Fn&& fn) {
  try {
    fn();
  } catch (const Error& e) {
    return e.message();
  }
  return "nothing was raised";
}

class DialectTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    static const bool once = [] {
      register_all_ops(Registry::global());
      ops::install_core_ops();
      cpu::install_copy_cpu();
      autograd::install_autograd();
      const std::string unknown = message_of([] { parse_type("!dist.tensor<int32, 2>"); });
      EXPECT_NE(unknown.find("load the library"), std::string::npos) << unknown;
      void* library = dlopen(PADDLE_LIB_test_dialect, RTLD_NOW | RTLD_LOCAL);
      if (!library) throw std::runtime_error(dlerror());
      reinterpret_cast<void (*)()>(dlsym(library, "register_test_dialect"))();
      return true;
    }();
    ASSERT_TRUE(once);
  }
  const std::unique_ptr<Program> program_ = parse(kProgram);
  Operation* find(OpId name) {
    for (const auto& op : program_->block().operations()) {
      if (op->is(name)) return op.get();
    }
    return nullptr;
  }
};

TEST_F(DialectTest, TextRoundTrips) {
  EXPECT_EQ(print(*program_), kProgram);
  const Type& type = find("dist.shard")->result()->type();
  EXPECT_TRUE(type.is_extension());
  EXPECT_EQ(type.shape(), (Shape{4, 2}));
  EXPECT_EQ(type.local_shape(), (Shape{2, 2}));
  EXPECT_EQ(type.dtype(), DType::kFloat32);
  EXPECT_TRUE(type == find("dist.square")->result()->type());
  EXPECT_FALSE(type == parse_type("!dist.tensor<tensor<4x2xfloat32>, 4>"));
}

TEST_F(DialectTest, SymbolsOfTypesWithinTypesAreThoseOfTheText) {
  SymbolScope scope;
  const Type type = parse_type("vec<tensor<s0x2xfloat32>, !dist.tensor<tensor<s0x2xfloat32>, 2>>");
  EXPECT_TRUE(type.elements()[0].shape() == type.elements()[1].shape());
}

TEST_F(DialectTest, MalformedTypesAreValueErrors) {
  for (const char* text : {"!dist.tensor<tensor<4x2xfloat32>, x>",
                           "!dist.tensor<tensor<4x2xfloat32>, 2", "!dist.tensor", "!dist.tensor<>",
                           "!other.tensor<1>", "!dist.tensor<tensor<4x2xfloat32>, 2> 1"}) {
    EXPECT_THROW(parse_type(text), Error) << text;
  }
  std::string deep = "tensor<2xfloat32>";
  for (int i = 0; i < 5000; ++i) deep = "!dist.tensor<" + deep + ", 1>";
  EXPECT_NE(message_of([&] { parse_type(deep); }).find("nested too deeply"), std::string::npos);
}

TEST_F(DialectTest, VerifierAsksTheRecords) {
  verify(*program_);
  const auto fails = [](const std::string& from, const std::string& to) {
    return message_of([&] { verify(*parse(replaced(kProgram, from, to))); });
  };
  EXPECT_NE(fails("parts: 2", "parts: 4").find("its shape rule gives !dist.tensor"),
            std::string::npos);
  EXPECT_NE(fails("-> (!dist.tensor<tensor<4x2xfloat32>, 2>)",
                  "-> (!dist.tensor<tensor<4x2xfloat32>, 3>)")
                .find("its shape rule gives"),
            std::string::npos);
  EXPECT_NE(fails("\"dist.square\" (%1)", "\"dist.square\" (%0)").find("a dist.tensor is expected"),
            std::string::npos);
  EXPECT_NE(fails("cf.yield", "pd_op.relu").find("does not end in cf.yield"), std::string::npos);
  const std::string uneven = replaced(replaced(kProgram, "parts: 2", "parts: 3"),
                                      "-> (!dist.tensor<tensor<4x2xfloat32>, 2>)",
                                      "-> (!dist.tensor<tensor<4x2xfloat32>, 3>)");
  EXPECT_NE(message_of([&] { verify(*parse(uneven)); }).find("cannot be cut into 3 parts"),
            std::string::npos);
}

TEST_F(DialectTest, TypesAreInferred) {
  EXPECT_TRUE(infer_types(*find("dist.shard"))[0] == find("dist.shard")->result()->type());
  EXPECT_TRUE(infer_types(*find("fuse.group"))[0] == find("fuse.group")->result()->type());
  EXPECT_THROW(infer_types(Operation("dist.ones", {}, {Type()}, {})), Error);
}

TEST_F(DialectTest, CopiesHoldRegionsAndHandles) {
  auto handle = std::make_shared<int>(7);
  find("fuse.group")->handle = handle;
  const auto copy = clone(*program_);
  EXPECT_EQ(print(*copy), kProgram);
  for (const auto& op : copy->block().operations()) {
    EXPECT_EQ(op->handle == handle, op->is("fuse.group"));
  }
  verify(*copy);
  EXPECT_EQ(values(run(*copy, numbers({4, 2}))[0]), (std::vector<float>{32, 50, 72, 98}));
}

TEST_F(DialectTest, ProgramsRun) {
  const TensorList out = run(*program_, numbers({4, 2}));
  EXPECT_EQ(values(out[0]), (std::vector<float>{32, 50, 72, 98}));
}

TEST_F(DialectTest, PassesFollowTraits) {
  find("fuse.group")->set_operand(0, find("dist.local")->result());
  EXPECT_TRUE(is_pure(*find("dist.square")));
  EXPECT_TRUE(is_pure(*find("fuse.group")));
  const auto twice = parse(replaced(kProgram, "(%3) = ",
                                    "(%8) = \"dist.square\" (%1) {} : (null) -> "
                                    "(!dist.tensor<tensor<4x2xfloat32>, 2>)\n(%3) = "));
  const size_t before = twice->num_operations();
  eliminate_dead_code(twice->block(), {});
  EXPECT_EQ(twice->num_operations(), before - 1);
  // A group that writes is not pure: it stays, though nothing reads it.
  const auto writes =
      parse(replaced(replaced(kProgram, "pd_op.add\" (%5, %5)", "pd_op.add_\" (%5, %5)"),
                     "\"pd_op.fetch\" (%4)", "\"pd_op.fetch\" (%3)"));
  for (const auto& op : writes->block().operations()) {
    EXPECT_TRUE(!op->is("fuse.group") || !is_pure(*op));
  }
}

TEST_F(DialectTest, ConstantsOfOtherLibrariesFold) {
  const auto program = parse(
      "(%0) = \"dist.ones\" () {} : () -> (tensor<2xfloat32>)\n"
      "(%1) = \"pd_op.add\" (%0, %0) {} : (tensor<2xfloat32>, tensor<2xfloat32>) -> "
      "(tensor<2xfloat32>)\n"
      "(%2) = \"pd_op.exp\" (%1) {} : (tensor<2xfloat32>) -> (tensor<2xfloat32>)\n"
      "(%3) = \"pd_op.fetch\" (%2) {name: \"y\", col: 0:i32} : (tensor<2xfloat32>) -> "
      "(tensor<2xfloat32>)\n");
  const float unfolded = values(interpreter_of(*program).run({})[0])[1];
  EXPECT_FLOAT_EQ(unfolded, std::exp(2.0f));
  EXPECT_GT(fold_constants(program->block()), 0u);
  EXPECT_FLOAT_EQ(values(interpreter_of(*program).run({})[0])[1], unfolded);
}

TEST_F(DialectTest, DerivativesOfEveryOrder) {
  // Of y = 2 x^2, where x is what dist.shard would give.
  const auto program =
      parse(replaced(replaced(kProgram, "\"dist.shard\" (%0) {parts: 2:i64, rank: 1:i64}",
                              "\"dist.square\" (%0) {}"),
                     "(tensor<4x2xfloat32>) -> (!dist", "(tensor<2x2xfloat32>) -> (!dist"));
  Tensor x = numbers({2, 2});
  autograd::set_stop_gradient(x, false);
  const TensorList y = run_recorded(*program, x);  // 2 (x^2)^2
  const TensorList ones = {Tensor::full({2, 2}, Scalar(1.0), DType::kFloat32)};
  const TensorList slope = autograd::grad(y, {x}, ones, true, true, false, {});
  const TensorList curve = autograd::grad(slope, {x}, ones, true, true, false, {});
  const TensorList third = autograd::grad(curve, {x}, ones, false, false, false, {});
  for (int64_t i = 0; i < 4; ++i) {
    const auto v = static_cast<float>(i);
    EXPECT_FLOAT_EQ(slope[0].data<float>()[i], 8 * v * v * v);
    EXPECT_FLOAT_EQ(curve[0].data<float>()[i], 24 * v * v);
    EXPECT_FLOAT_EQ(third[0].data<float>()[i], 48 * v);
  }
}

TEST_F(DialectTest, OperationsWithoutAGradientRuleSaySo) {
  Tensor x = numbers({4, 2});
  autograd::set_stop_gradient(x, false);
  const TensorList y = run_recorded(*program_, x);
  EXPECT_FALSE(y[0]->stop_gradient);
  const std::string message = message_of([&] {
    autograd::backward(y, {Tensor::full({2, 2}, Scalar(1.0), DType::kFloat32)}, false);
  });
  EXPECT_NE(message.find("dist.shard"), std::string::npos) << message;
  EXPECT_NE(message.find("no gradient rule"), std::string::npos) << message;
}

TEST_F(DialectTest, FilesHoldWhatMayBeSaved) {
  const std::string file = program_to_json(*program_);
  EXPECT_EQ(file.find("handle"), std::string::npos);
  const SavedProgram loaded = load_program_from_memory(file, "");
  EXPECT_EQ(values(loaded.run({numbers({4, 2})})[0]), (std::vector<float>{32, 50, 72, 98}));
  const auto again = program_from_json(file);
  verify(*again);
  EXPECT_EQ(
      program_to_json(*again).size(),
      file.size() + std::string_view(R"({"AT":{"#":"0.a_i64","D":2},"N":"version"},)").size());
  // from_saved is asked, types are read by their library.
  EXPECT_THROW(
      program_from_json(replaced(file, "\"D\":2},\"N\":\"version\"", "\"D\":3},\"N\":\"version\"")),
      Error);
  EXPECT_THROW(program_from_json(replaced(file, "!dist.tensor", "!dist.sensor")), Error);
  EXPECT_THROW(program_from_json(replaced(file, "dist.square", "dist.cube")), Error);
}

TEST_F(DialectTest, WhatCannotBeSavedSaysSo) {
  const auto program = parse(replaced(kProgram, "pd_op.add\" (%5, %5)", "dist.clip\" (%5)"));
  EXPECT_EQ(values(run(*program, numbers({4, 2}))[0]), (std::vector<float>{1, 1, 1, 1}));
  const std::string message = message_of([&] { program_to_json(*program); });
  EXPECT_NE(message.find("dist.clip cannot be saved"), std::string::npos) << message;
}

TEST_F(DialectTest, RecordsAreRegisteredOnce) {
  EXPECT_THROW(register_operation({.name = "dist.square"}), Error);
  EXPECT_THROW(register_operation({.name = "pd_op.mine"}), Error);
  EXPECT_THROW(register_operation({.name = "nodialect"}), Error);
  EXPECT_THROW(register_operation({.name = "dist.two", .traits = kConstant}), Error);
  EXPECT_THROW(register_type({"dist.tensor", [](std::string_view) { return nullptr; }}), Error);
  EXPECT_THROW(register_type({"dist.other"}), Error);
}

// -- compilers of regions ----------------------------------------------------------------------

class Constant final : public RegionExecutable {
 public:
  explicit Constant(double value) : value_(value) {}
  TensorList run(const TensorList& inputs) override {
    return {Tensor::full(inputs.at(0).shape(), Scalar(value_), inputs[0].dtype())};
  }

 private:
  double value_;
};

// Answers what the test says.
class Scripted final : public RegionCompiler {
 public:
  CompileReply<RegionExecutable> ask(const RegionRequest& request) override {
    ++asked;
    EXPECT_TRUE(request.op.is("fuse.group"));
    EXPECT_EQ(request.inputs.size(), 1u);
    EXPECT_EQ(request.region.blocks().size(), 1u);
    return reply;
  }
  CompileReply<RegionExecutable> reply = CompileReply<RegionExecutable>::pending();
  int asked = 0;
};

TEST_F(DialectTest, RegionCompilersPendAnswerAndRevoke) {
  const Interpreter interpreter = interpreter_of(*program_);
  const auto first = [&] { return values(interpreter.run({numbers({4, 2})})[0])[0]; };
  const auto compiler = std::make_shared<Scripted>(), later = std::make_shared<Scripted>(),
             foreign = std::make_shared<Scripted>();
  using Reply = CompileReply<RegionExecutable>;
  later->reply = Reply::declined();
  foreign->reply = Reply::ready(std::make_shared<Constant>(-1));
  Place gpu;
  gpu.kind = DeviceKind::kGpu;
  const uint64_t third = install_region_compiler(gpu, 9, foreign);
  const uint64_t second = install_region_compiler(Place(), 0, later);
  const uint64_t number = install_region_compiler(Place(), 1, compiler);
  EXPECT_EQ(first(), 32);  // pending, then declined
  EXPECT_EQ(compiler->asked, 1);
  EXPECT_EQ(later->asked, 1);
  compiler->reply = Reply::ready(std::make_shared<Constant>(5));
  EXPECT_EQ(first(), 5);
  EXPECT_EQ(later->asked, 1);  // not asked: the first one had an executable
  compiler->reply = Reply::ready(std::make_shared<Constant>(6));  // replaced
  EXPECT_EQ(first(), 6);
  compiler->reply = Reply::declined();  // revoked
  later->reply = Reply::ready(std::make_shared<Constant>(7));
  EXPECT_EQ(first(), 7);
  EXPECT_EQ(foreign->asked, 0);
  EXPECT_TRUE(remove_region_compiler(second));
  EXPECT_FALSE(remove_region_compiler(second));
  EXPECT_EQ(first(), 32);
  EXPECT_TRUE(remove_region_compiler(number));
  EXPECT_TRUE(remove_region_compiler(third));
  const int asked = compiler->asked;
  EXPECT_EQ(first(), 32);
  EXPECT_EQ(compiler->asked, asked);
}

TEST_F(DialectTest, RecordedRunsDoNotAskCompilers) {
  const auto compiler = std::make_shared<Scripted>();
  compiler->reply = CompileReply<RegionExecutable>::ready(std::make_shared<Constant>(5));
  const uint64_t number = install_region_compiler(Place(), 0, compiler);
  EXPECT_EQ(values(run_recorded(*program_, numbers({4, 2}))[0])[0], 32);
  EXPECT_TRUE(remove_region_compiler(number));
  EXPECT_EQ(compiler->asked, 0);
}

TEST_F(DialectTest, ResultsOfExecutablesAreChecked) {
  class Wrong final : public RegionExecutable {
   public:
    TensorList run(const TensorList&) override {
      return {Tensor::full({2, 2}, Scalar(1.0), DType::kFloat64)};
    }
  };
  const auto compiler = std::make_shared<Scripted>();
  compiler->reply = CompileReply<RegionExecutable>::ready(std::make_shared<Wrong>());
  const uint64_t number = install_region_compiler(Place(), 0, compiler);
  EXPECT_THROW(run(*program_, numbers({4, 2})), Error);
  EXPECT_TRUE(remove_region_compiler(number));
}

// -- places ------------------------------------------------------------------------------------

TEST_F(DialectTest, TypesCarryThePlace) {
  Place gpu;
  gpu.kind = DeviceKind::kGpu;
  gpu.index = 3;
  const Type type = Type::of(Tensor::meta({2, 3}, DType::kFloat32, gpu));
  EXPECT_TRUE(type.place() == gpu);
  EXPECT_FALSE(type == Type::tensor(DType::kFloat32, {2, 3}));
  EXPECT_EQ(str(type), "tensor<2x3xfloat32, \"gpu:3\">");
  EXPECT_TRUE(parse_type(str(type)) == type);
  EXPECT_EQ(str(Type::of(Tensor::meta({}, DType::kFloat32))), "tensor<float32>");
  EXPECT_THROW(parse_type("tensor<2xfloat32, \"moon:1\">"), Error);
  EXPECT_THROW(parse_type("tensor<2xfloat32, 3>"), Error);
}

TEST_F(DialectTest, TextsAndFilesKeepPlaces) {
  const std::string text =
      "(%0) = \"pd_op.data\" () {name: \"x\", place: place<\"gpu:1\">} : () -> "
      "(tensor<2xfloat32, \"gpu:1\">)\n"
      "(%1) = \"pd_op.relu\" (%0) {} : (tensor<2xfloat32, \"gpu:1\">) -> "
      "(tensor<2xfloat32, \"gpu:1\">)\n";
  const auto program = parse(text);
  EXPECT_EQ(print(*program), text);
  const auto read = program_from_json(program_to_json(*program));
  Place gpu;
  gpu.kind = DeviceKind::kGpu;
  gpu.index = 1;
  for (const auto& op : read->block().operations()) {
    EXPECT_TRUE(op->result()->type().place() == gpu) << print(*op);
  }
  EXPECT_TRUE(read->block().operations().front()->attribute("place").get<Place>() == gpu);
  EXPECT_TRUE(infer_types(*read->block().operations().back())[0].place() == gpu);
  // What is on the host is written as before.
  EXPECT_EQ(program_to_json(*program_).find("cpu"), std::string::npos);
}

// -- names -------------------------------------------------------------------------------------

TEST(OpNames, AreInterned) {
  const OpName name = "some.name", same = std::string("some.") + "name";
  EXPECT_TRUE(name == same);
  EXPECT_EQ(&name.text(), &same.text());
  EXPECT_TRUE(name.id() == OpId("some.name"));
  EXPECT_FALSE(name == OpName("some.other"));
  std::vector<OpName> many;
  for (int i = 0; i < 20000; ++i) many.emplace_back("many." + std::to_string(i));
  for (int i = 0; i < 20000; ++i) {
    ASSERT_TRUE(many[static_cast<size_t>(i)] == OpName("many." + std::to_string(i)));
    ASSERT_EQ(many[static_cast<size_t>(i)].text(), "many." + std::to_string(i));
  }
}

}  // namespace
}  // namespace paddle::pir
