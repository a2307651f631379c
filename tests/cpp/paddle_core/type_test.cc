// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Tests of element types, 8- and 16-bit floats, promotion and scalars.
#include <gtest/gtest.h>

#include "paddle_core/base/error.h"
#include "paddle_core/type/promotion.h"

namespace paddle {
namespace {

TEST(DType, NamesAndDiskNumbersGoBothWays) {
  for (int i = 1; i < kNumDTypes; ++i) {
    const auto t = static_cast<DType>(i);
    EXPECT_EQ(dtype_from_name(name_of(t)), t);
    EXPECT_EQ(dtype_from_disk_number(disk_number_of(t)), t);
  }
  EXPECT_EQ(disk_number_of(DType::kBFloat16), 22);
  EXPECT_EQ(disk_number_of(DType::kFloat8E5M2), 33);
  EXPECT_EQ(dtype_from_name("float31"), DType::kUndefined);
  EXPECT_THROW(dtype_from_disk_number(7), Error);
}

TEST(Float16, EveryValueSurvivesTheRoundTrip) {
  for (int i = 0; i < 256; ++i) {
    float8_e4m3 a;
    a.bits = static_cast<uint8_t>(i);
    if (a == a) {
      EXPECT_EQ(float8_e4m3(static_cast<float>(a)).bits, i);
    }
    float8_e5m2 b;
    b.bits = static_cast<uint8_t>(i);
    if (b == b) {
      EXPECT_EQ(float8_e5m2(static_cast<float>(b)).bits, i);
    }
  }
  EXPECT_EQ(bfloat16(1.0f).bits, 0x3f80);
  EXPECT_EQ(float16(65536.0f).bits, 0x7c00);
}

TEST(Promotion, IsSymmetricAndFollowsTheLattice) {
  for (int i = 1; i < kNumDTypes; ++i) {
    for (int j = 1; j < kNumDTypes; ++j) {
      const auto a = static_cast<DType>(i), b = static_cast<DType>(j);
      EXPECT_EQ(promote_types(a, b), promote_types(b, a));
      EXPECT_EQ(promote_types(promote_types(a, b), a), promote_types(a, b));
    }
  }
  EXPECT_EQ(promote_types(DType::kUInt8, DType::kInt8), DType::kInt16);
  EXPECT_EQ(promote_types(DType::kUInt8, DType::kInt16), DType::kInt16);
  EXPECT_EQ(promote_types(DType::kFloat16, DType::kBFloat16), DType::kFloat32);
  EXPECT_EQ(promote_types(DType::kInt64, DType::kFloat16), DType::kFloat16);
  EXPECT_EQ(promote_types(DType::kFloat64, DType::kComplex64), DType::kComplex128);
  EXPECT_EQ(promote_types(DType::kInt64, DType::kComplex64), DType::kComplex64);
}

TEST(Promotion, AScalarOnlyRaisesTheKind) {
  EXPECT_EQ(promote_with_scalar(DType::kInt8, 3, DType::kFloat32), DType::kInt8);
  EXPECT_EQ(promote_with_scalar(DType::kBool, 3, DType::kFloat32), DType::kInt64);
  EXPECT_EQ(promote_with_scalar(DType::kInt8, 3.5, DType::kFloat32), DType::kFloat32);
  EXPECT_EQ(promote_with_scalar(DType::kFloat16, 3.5, DType::kFloat32), DType::kFloat16);
  EXPECT_EQ(promote_with_scalar(DType::kFloat64, std::complex<double>(0, 1), DType::kFloat32),
            DType::kComplex128);
}

TEST(Scalar, IsPrintedAsPythonPrintsIt) {
  EXPECT_EQ(str(Scalar(true), ' ', Scalar(3), ' ', Scalar(2.0), ' ', Scalar(0.1)),
            "True 3 2.0 0.1");
  EXPECT_EQ(str(Scalar(std::complex<double>(1, -2))), "(1-2j)");
}

}  // namespace
}  // namespace paddle
