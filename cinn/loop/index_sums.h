// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Index arithmetic: int64 expressions as sums of products, in which terms cancel.
#pragma once

#include <map>
#include <vector>

#include "cinn/loop/expr.h"

namespace paddle::cinn {

// The factors of a term, sorted by their numbers; none for the constant.
using Product = std::vector<Expr>;
struct ByNumber {
  bool operator()(const Product& a, const Product& b) const;
};
// Products and what each is multiplied with, which is not 0.
using Sum = std::map<Product, int64_t, ByNumber>;

// Index arithmetic stays below; what users compute with integers need not.
inline constexpr size_t kMostTerms = 24, kMostFactors = 8;

// What would be more stays one term.
Sum sum_of(Expr e);

}  // namespace paddle::cinn
