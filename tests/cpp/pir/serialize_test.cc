// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Files: records of tensors byte by byte, programs with every kind of attribute and with regions,
// and damaged forms of both.
#include "pir/serialize/serialize.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "paddle_core/autograd/autograd.h"
#include "paddle_core/op/infer.h"
#include "paddle_core/op/saved_form.h"
#include "phi_kernels/cpu/loops/strided.h"
#include "phi_kernels/ops/core_ops.h"
#include "pir/serialize/after_reading/legalize.h"

namespace paddle::pir {
namespace {

constexpr DType kAll[] = {DType::kBool,    DType::kInt8,    DType::kUInt8,     DType::kInt16,
                          DType::kInt32,   DType::kInt64,   DType::kFloat16,   DType::kBFloat16,
                          DType::kFloat32, DType::kFloat64, DType::kComplex64, DType::kComplex128};

std::string bytes_of(const Tensor& t) {
  return {static_cast<const char*>(t.raw_data()),
          static_cast<size_t>(t.numel()) * size_of(t.dtype())};
}

Tensor patterned(const Shape& shape, DType dtype) {
  const Tensor t = Tensor::empty(shape, dtype);
  auto* bytes = static_cast<unsigned char*>(t.raw_data());
  const size_t n = static_cast<size_t>(t.numel()) * size_of(dtype);
  for (size_t i = 0; i < n; ++i) {
    bytes[i] = static_cast<unsigned char>(dtype == DType::kBool ? i % 2 : i * 37 + 1);
  }
  return t;
}

ErrorKind kind_raised(const std::function<void()>& fn) {
  try {
    fn();
  } catch (const Error& e) {
    return e.kind();
  }
  ADD_FAILURE() << "nothing was raised";
  return ErrorKind::kRuntime;
}

class SerializeTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    register_all_ops(Registry::global());
    ops::install_core_ops();
    cpu::install_copy_cpu();
    autograd::install_autograd();
  }
};

TEST_F(SerializeTest, TensorsOfEveryDtypeAndShapeRoundTrip) {
  TensorList tensors;
  for (const DType dtype : kAll) {
    for (const Shape& shape : {Shape{}, Shape{0}, Shape{2, 3}, Shape{1, 0, 4}, Shape{3, 1, 2, 1}}) {
      tensors.push_back(patterned(shape, dtype));
    }
  }
  const TensorList read = tensors_from_records(tensors_to_records(tensors), tensors.size());
  ASSERT_EQ(read.size(), tensors.size());
  for (size_t i = 0; i < read.size(); ++i) {
    EXPECT_EQ(read[i].dtype(), tensors[i].dtype()) << i;
    EXPECT_EQ(read[i].shape(), tensors[i].shape()) << i;
    EXPECT_EQ(bytes_of(read[i]), bytes_of(tensors[i])) << i;
  }
}

TEST_F(SerializeTest, RecordsAreThoseOfPaddlePaddle) {
  const Tensor t = Tensor::empty({1, 300}, DType::kFloat32);
  for (int64_t i = 0; i < 300; ++i) t.data<float>()[i] = static_cast<float>(i);
  std::string expected(4, '\0');               // version of the record
  expected += std::string(8, '\0');            // levels of offsets
  expected += std::string(4, '\0');            // version of the tensor
  expected += std::string("\x07\0\0\0", 4);    // size of the description
  expected += std::string("\x08\x05", 2);      // data_type: FP32
  expected += std::string("\x10\x01", 2);      // dims: 1
  expected += std::string("\x10\xac\x02", 3);  // dims: 300
  expected += bytes_of(t);
  EXPECT_EQ(tensors_to_records({t}), expected);
}

TEST_F(SerializeTest, ViewsAreWrittenByValue) {
  const Tensor t = patterned({2, 3}, DType::kInt32);
  const Tensor turned = Tensor::alias(t, {3, 2}, {1, 3}, 0);
  const Tensor read = tensors_from_records(tensors_to_records({turned}), 1)[0];
  for (int64_t i = 0; i < 3; ++i) {
    for (int64_t j = 0; j < 2; ++j) {
      EXPECT_EQ(read.data<int32_t>()[i * 2 + j], t.data<int32_t>()[j * 3 + i]);
    }
  }
}

TEST_F(SerializeTest, DamagedRecordsAreValueErrors) {
  const std::string good =
      tensors_to_records({patterned({2, 3}, DType::kFloat32), patterned({4}, DType::kInt64)});
  for (size_t n = 0; n < good.size(); ++n) {
    EXPECT_EQ(kind_raised([&] { tensors_from_records(good.substr(0, n), 2); }), ErrorKind::kValue);
  }
  EXPECT_EQ(kind_raised([&] { tensors_from_records(good, 3); }), ErrorKind::kValue);
  for (size_t at = 0; at < good.size(); ++at) {  // any outcome but a crash
    for (const int flip : {1, 0x80, 0xff}) {
      std::string bad = good;
      bad[at] = static_cast<char>(bad[at] ^ flip);
      try {
        tensors_from_records(bad, 2);
      } catch (const Error& e) {
        EXPECT_EQ(e.kind(), ErrorKind::kValue) << at << ' ' << e.message();
      }
    }
  }
}

// An extent far above what the file holds is found before memory is taken for it.
TEST_F(SerializeTest, ExtentsAreCheckedAgainstTheFile) {
  std::string record = tensors_to_records({patterned({1}, DType::kFloat64)});
  const std::string extents("\x10\x01", 2);
  const size_t at = record.find(extents, 20);
  ASSERT_NE(at, std::string::npos);
  record.replace(at, 2, std::string("\x10\xff\xff\xff\xff\xff\x07", 7));
  record[16] = static_cast<char>(record[16] + 5);
  host_allocator().reset_peak();
  const size_t before = host_allocator().stats().peak_allocated;
  EXPECT_EQ(kind_raised([&] { tensors_from_records(record, 1); }), ErrorKind::kValue);
  EXPECT_LT(host_allocator().stats().peak_allocated, before + (size_t{1} << 24));
}

TEST_F(SerializeTest, EveryKindOfAttributeRoundTrips) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  Program program;
  Builder b(program.block());
  const std::vector<NamedAttribute> attributes = {
      {"flag", true},
      {"small", int32_t{-7}},
      {"large", int64_t{1} << 62},
      {"single", Float32{0.1f}},
      {"double", 0.1},
      {"inf", kInf},
      {"minus", Float32{-kInf}},
      {"nan", std::numeric_limits<double>::quiet_NaN()},
      {"text", std::string("\"quoted\" \\ \n\t\x01 \xc3\xa4")},
      {"list", AttributeArray{int32_t{1}, std::string("two"), AttributeArray{3.0}}},
      {"empty", AttributeArray{}},
      {"dtype", DType::kBFloat16},
      {"dims", Shape{2, -1, 0}},
      {"complex", std::complex<double>(1.5, -2.5)}};
  b.create("pd_op.data", {}, {Type::tensor(DType::kFloat32, {2, -1})}, attributes);
  const auto read = program_from_json(program_to_json(program));
  const Operation& op = *read->block().operations().front();
  for (const NamedAttribute& a : attributes) {
    EXPECT_TRUE(op.attribute(a.first).is(a.second.kind())) << a.first;
    EXPECT_EQ(str(op.attribute(a.first)), str(a.second)) << a.first;
  }
  EXPECT_TRUE(op.result()->type() == Type::tensor(DType::kFloat32, {2, -1}));
}

constexpr const char* kBranches =
    "(%0) = \"pd_op.data\" () {name: \"x\", shape: ints<2>, dtype: dtype<float32>, place: "
    "place<0, 0>} : () -> (tensor<2xfloat32>)\n"
    "(%1) = \"pd_op.data\" () {name: \"c\", shape: ints<1>, dtype: dtype<bool>, place: "
    "place<0, 0>} : () -> (tensor<1xbool>)\n"
    "(%2) = \"pd_op.if\" (%1) {} : (tensor<1xbool>) -> (tensor<2xfloat32>) ({ ^()\n"
    "  (%3) = \"pd_op.add\" (%0, %0) {} : (tensor<2xfloat32>, tensor<2xfloat32>) -> "
    "(tensor<2xfloat32>)\n"
    "  () = \"cf.yield\" (%3) {} : (tensor<2xfloat32>) -> ()\n"
    "}, { ^()\n"
    "  (%4) = \"pd_op.multiply\" (%0, %0) {} : (tensor<2xfloat32>, tensor<2xfloat32>) -> "
    "(tensor<2xfloat32>)\n"
    "  () = \"cf.yield\" (%4) {} : (tensor<2xfloat32>) -> ()\n"
    "})\n"
    "(%5) = \"pd_op.fetch\" (%2) {name: \"y\", col: 0:i32} : (tensor<2xfloat32>) -> "
    "(tensor<2xfloat32>)\n";

TEST_F(SerializeTest, RegionsRoundTripAndRun) {
  const std::string file = program_to_json(*parse(kBranches));
  const SavedProgram loaded = load_program_from_memory(file, "");
  const Tensor x = Tensor::full({2}, Scalar(5.0), DType::kFloat32);
  for (const bool taken : {true, false}) {
    const Tensor c = Tensor::full({1}, Scalar(taken), DType::kBool);
    EXPECT_EQ(loaded.run({x, c})[0].data<float>()[1], taken ? 10 : 25);
  }
}

TEST_F(SerializeTest, DamagedProgramsAreErrors) {
  const std::string good = program_to_json(*parse(kBranches));
  for (size_t n = 0; n < good.size(); n += 3) {
    EXPECT_EQ(kind_raised([&] { load_program_from_memory(good.substr(0, n), ""); }),
              ErrorKind::kValue)
        << n;
  }
  for (size_t at = 0; at < good.size(); at += 2) {  // any outcome but a crash
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 1);
    try {
      load_program_from_memory(bad, "");
    } catch (const Error&) {
    }
  }
}

template <int kFactor>
void give_factor(SavedForm& f) {
  f.set_attribute("factor", Float32{kFactor});
}

// An operator whose form has changed twice, and which had another name.
const OpDef& times() {
  static const OpDef& made = [&]() -> const OpDef& {
    OpDef op;
    op.schema("test_times(Tensor x, float factor) -> (Tensor out)")
        .infer(infer::same_as_x)
        .opaque("a test")
        .since_version(3)
        .upgrade("test_times", give_factor<2>, 2)
        .upgrade("test_times", give_factor<1>, 1)
        .upgrade("test_scaled");
    op.kernels.set(Place(), DType::kFloat32, Kernel{[](KernelContext&) {}, false});
    return Registry::global().add(std::move(op));
  }();
  return made;
}

std::unique_ptr<Program> one_operation(const std::string& name,
                                       std::vector<NamedAttribute> attributes) {
  auto program = std::make_unique<Program>();
  Builder b(program->block());
  const Type type = Type::tensor(DType::kFloat32, {2});
  Value* x = b.create("pd_op.data", {}, {type}, {{"name", std::string("x")}})->result();
  Value* y = b.create(name, {x}, {type}, std::move(attributes))->result();
  for (Value* v : {x, y}) b.create("pd_op.fetch", {v}, {type}, {{"name", std::string("y")}});
  return program;
}

TEST_F(SerializeTest, AnOperationIsReadByTheFormOfItsVersion) {
  times();
  for (const int version : {1, 2, 3, 4}) {
    const auto program = one_operation("pd_op.test_times", {});
    program->block().operations().back()->operand(0)->producer()->def = &times();
    legalize(*program, version);
    const Operation* op = program->block().operations().back()->operand(0)->producer();
    const Attribute* factor = op->find_attribute("factor");
    ASSERT_EQ(factor != nullptr, version < 3) << version;
    EXPECT_EQ(factor ? factor->to_double() : version, version);
  }
}

TEST_F(SerializeTest, AnOperationOfAnotherNameIsReadByTheRecordThatNamesIt) {
  times();
  for (const bool in_place : {false, true}) {
    const auto program =
        one_operation(in_place ? "pd_op.test_scaled_" : "pd_op.test_scaled", {{"factor", 3.0}});
    legalize(*program, kSavedVersion);
    std::vector<const Operation*> fetched;
    for (const auto& op : program->block().operations()) {
      if (op->is("pd_op.fetch")) fetched.push_back(op->operand(0)->producer());
    }
    EXPECT_EQ(fetched[1]->name(), "pd_op.test_times");
    EXPECT_EQ(fetched[1]->def, &times());
    EXPECT_EQ(fetched[1]->attribute("factor").to_double(), 3.0);
    // What was written is read as the new value.
    EXPECT_EQ(fetched[0]->name(), in_place ? "pd_op.test_times" : "pd_op.data");
  }
}

TEST_F(SerializeTest, RulesOfDamagedOperationsAreValueErrors) {
  for (const char* name : {"pd_op.set_value_", "pd_op.set_value_with_tensor", "pd_op.shape",
                           "pd_op.legacy_reshape", "pd_op.reverse", "pd_op.put_along_axis"}) {
    const auto program = std::make_unique<Program>();
    Builder(program->block()).create(name, {}, {});
    program->block().operations().front()->def = find_def(name);
    EXPECT_EQ(kind_raised([&] { legalize(*program, kSavedVersion); }), ErrorKind::kValue) << name;
  }
}

TEST_F(SerializeTest, OnlyKnownVersionsAreRead) {
  const std::string good = program_to_json(*parse(kBranches));
  const std::string version = "\"version\":4";
  const size_t at = good.find(version);
  ASSERT_NE(at, std::string::npos);
  for (const char* other : {"\"version\":0", "\"version\":5", "\"version\":\"4\""}) {
    std::string bad = good;
    bad.replace(at, version.size(), other);
    EXPECT_EQ(kind_raised([&] { program_from_json(bad); }), ErrorKind::kValue) << other;
  }
}

}  // namespace
}  // namespace paddle::pir
