// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Differentiation from C++: versions of what gradients read, views that are written through, hooks,
// freed graphs, gradients of gradients, long graphs, threads.
#include "paddle_core/autograd/autograd.h"

#include <barrier>
#include <thread>

#include "paddle_core/autograd/saved_tensors.h"
#include "phi_kernels/ops/elementwise.h"
#include "phi_kernels/ops/reduce.h"
#include "phi_kernels/ops/shape.h"
#include "tests/cpp/operators.h"

namespace paddle {
namespace {

using testing::grad_values;
using testing::leaf_of;
using testing::raised_by;
using testing::values_of;
using testing::vector_of;
using Floats = std::vector<float>;

class AutogradTest : public testing::WithOperators {};

void add_in_place(const Tensor& target, const Tensor& value) {
  const Slot args[] = {Slot::of(target), Slot::of(value)};
  call_inplace(Registry::global().at("add"), args);
}

Tensor part(const Tensor& t, int64_t from, int64_t to) {
  return ops::slice(t, {0}, {from}, {to}, {}, {});
}

// -- leaves and graphs ---------------------------------------------------------------------------

TEST_F(AutogradTest, LeavesAddUpAndResultsKeepNoGradient) {
  const Tensor x = leaf_of({1, 2, 3});
  const Tensor y = ops::multiply(x, x);
  autograd::backward({ops::sum(y)}, {}, false);
  EXPECT_EQ(grad_values(x), (Floats{2, 4, 6}));
  EXPECT_FALSE(autograd::grad_of(y).defined());
  autograd::backward({ops::sum(ops::multiply(x, x))}, {}, false);
  EXPECT_EQ(grad_values(x), (Floats{4, 8, 12}));
  autograd::zero_grad(x);
  EXPECT_EQ(grad_values(x), (Floats{0, 0, 0}));
  autograd::backward({ops::sum(x)}, {}, false);
  EXPECT_EQ(grad_values(x), (Floats{1, 1, 1}));
}

TEST_F(AutogradTest, AFreedGraphSaysHowToKeepIt) {
  const Tensor x = leaf_of({1, 2});
  const Tensor y = ops::sum(ops::multiply(x, x));
  autograd::backward({y}, {}, true);
  autograd::backward({y}, {}, false);
  EXPECT_EQ(grad_values(x), (Floats{4, 8}));
  const auto raised = raised_by([&] { autograd::backward({y}, {}, false); });
  EXPECT_EQ(raised.kind, ErrorKind::kRuntime);
  EXPECT_TRUE(raised.says("retain_graph=True")) << raised.message;
  EXPECT_EQ(grad_values(x), (Floats{4, 8}));
}

TEST_F(AutogradTest, AFreedGraphHoldsNoMemory) {
  const Tensor x = leaf_of({1, 2}), factor = vector_of({3, 4});
  const Tensor y = ops::sum(ops::multiply(x, factor));
  EXPECT_GT(factor->storage->use_count() + factor->use_count(), 2u);
  autograd::backward({y}, {}, false);
  EXPECT_EQ(factor->storage->use_count(), 1u);
  EXPECT_EQ(factor->use_count(), 1u);
}

TEST_F(AutogradTest, AnErrorInARuleLeavesLeavesAsTheyWere) {
  const Tensor x = leaf_of({1, 2}), late = leaf_of({1, 1});
  const Tensor read = ops::scale(late, 2.0);
  const Tensor y = ops::sum(ops::add(ops::multiply(read, x), late));
  add_in_place(read, vector_of({1, 1}));
  EXPECT_THROW(autograd::backward({y}, {}, true), Error);
  EXPECT_FALSE(autograd::grad_of(x).defined());
  EXPECT_FALSE(autograd::grad_of(late).defined());
}

TEST_F(AutogradTest, GradientsHaveGradients) {
  const Tensor x = leaf_of({2, 3});
  const Tensor cube = ops::multiply(ops::multiply(x, x), x);
  const Tensor first = autograd::grad({ops::sum(cube)}, {x}, {}, true, true, false, {})[0];
  EXPECT_EQ(values_of(first), (Floats{12, 27}));
  const Tensor second = autograd::grad({ops::sum(first)}, {x}, {}, true, true, false, {})[0];
  EXPECT_EQ(values_of(second), (Floats{12, 18}));
  const Tensor third = autograd::grad({ops::sum(second)}, {x}, {}, false, false, false, {})[0];
  EXPECT_EQ(values_of(third), (Floats{6, 6}));
  EXPECT_TRUE(third->stop_gradient);
  EXPECT_FALSE(autograd::grad_of(x).defined());
}

TEST_F(AutogradTest, WhatIsNotReachedIsNamedByItsPosition) {
  const Tensor x = leaf_of({1}), other = leaf_of({1});
  const Tensor y = ops::scale(x, 5.0);
  const auto raised = raised_by([&] {
    autograd::grad({y}, {x, other}, {}, true, false, false, {});
  });
  EXPECT_EQ(raised.kind, ErrorKind::kValue);
  EXPECT_TRUE(raised.says("input 1")) << raised.message;
  const TensorList found = autograd::grad({y}, {x, other}, {}, true, false, true, {});
  EXPECT_EQ(values_of(found[0]), (Floats{5}));
  EXPECT_FALSE(found[1].defined());
  // Nothing flows through what is excluded.
  const Tensor middle = ops::scale(x, 2.0);
  const Tensor sum = ops::add(ops::scale(middle, 10.0), x);
  EXPECT_EQ(values_of(autograd::grad({sum}, {x}, {}, false, false, false, {middle})[0]),
            (Floats{1}));
}

TEST_F(AutogradTest, GradientsThatAreGivenHaveTheShapeOfTheirOutput) {
  const Tensor x = leaf_of({1, 2, 3});
  const Tensor y = ops::scale(x, 2.0);
  const auto raised = raised_by([&] { autograd::backward({y}, {vector_of({1, 2})}, true); });
  EXPECT_EQ(raised.kind, ErrorKind::kValue);
  EXPECT_TRUE(raised.says("[3]") && raised.says("[2]")) << raised.message;
  autograd::backward({y}, {vector_of({1, 10, 100})}, false);
  EXPECT_EQ(grad_values(x), (Floats{2, 20, 200}));
  EXPECT_THROW(autograd::set_grad(x, vector_of({1})), Error);
}

TEST_F(AutogradTest, AGradientIsSummedOverWhatWasBroadcast) {
  const Tensor x = leaf_of({1, 2, 3}), one = leaf_of({4});
  autograd::backward({ops::sum(ops::multiply(x, one))}, {}, false);
  EXPECT_EQ(grad_values(one), (Floats{6}));
  EXPECT_EQ(grad_values(x), (Floats{4, 4, 4}));
}

TEST_F(AutogradTest, ALongChainRunsAndDiesWithoutRecursion) {
  const Tensor x = leaf_of({1});
  Tensor y = x;
  for (int i = 0; i < 200000; ++i) y = ops::add(y, x);
  autograd::backward({y}, {}, true);
  EXPECT_EQ(grad_values(x), (Floats{200001}));
  y = Tensor();  // frees the chain
}

TEST_F(AutogradTest, NothingIsRecordedWhereItIsSwitchedOff) {
  const Tensor x = leaf_of({1, 2});
  {
    const ModeGuard off(kModeAutograd);
    EXPECT_TRUE(ops::multiply(x, x)->stop_gradient);
    add_in_place(x, vector_of({1, 1}));  // a leaf may be written here
  }
  EXPECT_EQ(values_of(x), (Floats{2, 3}));
  EXPECT_TRUE(autograd::is_leaf(x));
  EXPECT_FALSE(ops::multiply(x, x)->stop_gradient);
  EXPECT_TRUE(x.detach()->stop_gradient);
}

// -- versions ------------------------------------------------------------------------------------

TEST_F(AutogradTest, AWriteAfterTheUseIsRefusedByTheRuleThatReadsIt) {
  const Tensor x = leaf_of({1, 2});
  const Tensor factor = vector_of({3, 4});
  const Tensor y = ops::multiply(x, factor);
  add_in_place(factor, vector_of({1, 1}));
  const auto raised = raised_by([&] { autograd::backward({y}, {vector_of({1, 1})}, true); });
  EXPECT_EQ(raised.kind, ErrorKind::kRuntime);
  EXPECT_TRUE(raised.says("multiply") && raised.says("in place")) << raised.message;
  EXPECT_FALSE(autograd::grad_of(x).defined());
}

TEST_F(AutogradTest, AWriteToWhatNoRuleReadsIsAllowed) {
  const Tensor x = leaf_of({1, 2});
  const Tensor term = vector_of({3, 4});
  const Tensor y = ops::add(x, term);  // its gradient reads no values
  add_in_place(term, vector_of({1, 1}));
  autograd::backward({y}, {vector_of({1, 2})}, false);
  EXPECT_EQ(grad_values(x), (Floats{1, 2}));
}

TEST_F(AutogradTest, AWriteThroughAnyAliasCounts) {
  const Tensor x = leaf_of({1, 2, 3, 4}), factor = vector_of({1, 2, 3, 4});
  const Tensor y = ops::sum(ops::multiply(x, factor));
  const Tensor alias = part(factor, 1, 3);
  ASSERT_TRUE(alias.shares_storage(factor));
  add_in_place(alias, vector_of({10, 10}));
  EXPECT_EQ(values_of(factor), (Floats{1, 12, 13, 4}));
  EXPECT_THROW(autograd::backward({y}, {}, false), Error);
}

TEST_F(AutogradTest, AnOverwriteIsSeenByGradientsAndRaisesNoError) {
  const Tensor x = leaf_of({1, 2}), factor = vector_of({3, 4});
  const Tensor y = ops::sum(ops::multiply(x, factor));
  const uint32_t writes = factor->storage->inplace_version(), all = factor->storage->version();
  factor.overwrite_from(vector_of({5, 6}));
  EXPECT_EQ(factor->storage->inplace_version(), writes);
  EXPECT_GT(factor->storage->version(), all);
  autograd::backward({y}, {}, false);
  EXPECT_EQ(grad_values(x), (Floats{5, 6}));
}

TEST_F(AutogradTest, AResultWrittenInPlaceCarriesBothHistories) {
  const Tensor x = leaf_of({1, 2}), z = leaf_of({5, 6});
  const Tensor y = ops::scale(x, 3.0);
  add_in_place(y, ops::scale(z, 2.0));
  EXPECT_EQ(values_of(y), (Floats{13, 18}));
  autograd::backward({ops::sum(y)}, {}, false);
  EXPECT_EQ(grad_values(x), (Floats{3, 3}));
  EXPECT_EQ(grad_values(z), (Floats{2, 2}));
}

TEST_F(AutogradTest, ALeafThatNeedsAGradientIsNotWritten) {
  const Tensor x = leaf_of({1, 2});
  const auto raised = raised_by([&] { add_in_place(x, vector_of({1})); });
  EXPECT_EQ(raised.kind, ErrorKind::kValue);
  EXPECT_TRUE(raised.says("leaf")) << raised.message;
  EXPECT_EQ(values_of(x), (Floats{1, 2}));
  add_in_place(part(x, 0, 1), vector_of({1}));  // a view of it shares the memory alone
  EXPECT_EQ(values_of(x), (Floats{2, 2}));
}

// -- views ---------------------------------------------------------------------------------------

TEST_F(AutogradTest, WritesThroughAViewReachTheBaseAndItsHistory) {
  const Tensor x = leaf_of({1, 2, 3, 4}), z = leaf_of({10, 20});
  const Tensor base = ops::scale(x, 1.0);
  const Tensor middle = part(base, 1, 3);
  add_in_place(middle, z);
  EXPECT_EQ(values_of(base), (Floats{1, 12, 23, 4}));
  autograd::backward({ops::sum(ops::multiply(base, base))}, {}, false);
  EXPECT_EQ(grad_values(x), (Floats{2, 24, 46, 8}));
  EXPECT_EQ(grad_values(z), (Floats{24, 46}));
}

TEST_F(AutogradTest, AViewFollowsWhatIsWrittenToItsBase) {
  const Tensor x = leaf_of({1, 2, 3, 4}), z = leaf_of({1, 1, 1, 1});
  const Tensor base = ops::scale(x, 2.0);
  const Tensor tail = part(ops::reshape(base, {4}), 2, 4);
  add_in_place(base, ops::scale(z, 5.0));
  EXPECT_EQ(values_of(tail), (Floats{11, 13}));
  autograd::backward({ops::sum(tail)}, {}, false);
  EXPECT_EQ(grad_values(x), (Floats{0, 0, 2, 2}));
  EXPECT_EQ(grad_values(z), (Floats{0, 0, 5, 5}));
}

TEST_F(AutogradTest, AViewSeesWhatAnotherViewWrites) {
  const Tensor x = leaf_of({1, 2, 3, 4, 5, 6}), z = leaf_of({7});
  const Tensor base = ops::reshape(ops::scale(x, 1.0), {2, 3});
  const Tensor columns = ops::transpose(base, {1, 0});
  const Tensor row = part(base, 1, 2);
  const Tensor last = part(columns, 2, 3);  // [[3, 6]]
  add_in_place(row, z);
  EXPECT_EQ(values_of(last), (Floats{3, 13}));
  autograd::backward({ops::sum(ops::multiply(last, last))}, {}, false);
  EXPECT_EQ(grad_values(x), (Floats{0, 0, 6, 0, 0, 26}));
  EXPECT_EQ(grad_values(z), (Floats{26}));
}

TEST_F(AutogradTest, AViewThatLeftItsBaseIsApart) {
  const Tensor base = vector_of({1, 2, 3});
  const Tensor view = part(base, 0, 2);
  autograd::leave_base(view);
  EXPECT_FALSE(view.shares_storage(base));
  add_in_place(view, vector_of({10, 10}));
  EXPECT_EQ(values_of(view), (Floats{11, 12}));
  EXPECT_EQ(values_of(base), (Floats{1, 2, 3}));
}

TEST_F(AutogradTest, ABroadcastViewIsWrittenInMemoryOfItsOwn) {
  const Tensor base = vector_of({1});
  const Tensor wide = ops::expand(base, {3});
  add_in_place(wide, vector_of({1, 2, 3}));
  EXPECT_EQ(values_of(wide), (Floats{2, 3, 4}));
  EXPECT_EQ(values_of(base), (Floats{1}));
}

// -- hooks ---------------------------------------------------------------------------------------

TEST_F(AutogradTest, HooksSeeAndReplaceGradientsInTheirOrder) {
  const Tensor x = leaf_of({1, 2});
  const Tensor y = ops::scale(x, 3.0);
  std::vector<std::string> order;
  autograd::add_hook(y, [&](const Tensor& grad) {
    order.push_back("result " + std::to_string(values_of(grad)[0]));
    return ops::scale(grad, 10.0);
  });
  autograd::add_hook(x, [&](const Tensor& grad) {
    order.push_back("leaf " + std::to_string(values_of(grad)[0]));
    EXPECT_FALSE(autograd::grad_of(x).defined());
    return Tensor();
  });
  autograd::add_hook(
      x,
      [&](const Tensor&) {
        order.push_back("after " + std::to_string(grad_values(x)[0]));
        return Tensor();
      },
      true);
  autograd::backward({ops::sum(y)}, {}, false);
  EXPECT_EQ(order,
            (std::vector<std::string>{"result 1.000000", "leaf 30.000000", "after 30.000000"}));
  EXPECT_EQ(grad_values(x), (Floats{30, 30}));
}

TEST_F(AutogradTest, ARemovedHookIsNotCalledAgain) {
  const Tensor x = leaf_of({1});
  int calls = 0;
  const uint64_t id = autograd::add_hook(x, [&](const Tensor&) {
    ++calls;
    return Tensor();
  });
  autograd::backward({x}, {}, false);
  EXPECT_TRUE(autograd::remove_hook(x, id));
  EXPECT_FALSE(autograd::remove_hook(x, id));
  autograd::backward({x}, {}, false);
  EXPECT_EQ(calls, 1);
  EXPECT_THROW(autograd::add_hook(vector_of({1}), [](const Tensor& g) { return g; }), Error);
}

TEST_F(AutogradTest, AHookMayRunABackwardAndRaise) {
  const Tensor x = leaf_of({2}), inner = leaf_of({3});
  autograd::add_hook(x, [&](const Tensor&) {
    autograd::backward({ops::multiply(inner, inner)}, {}, false);
    return Tensor();
  });
  autograd::backward({ops::multiply(x, x)}, {}, false);
  EXPECT_EQ(grad_values(inner), (Floats{6}));
  EXPECT_EQ(grad_values(x), (Floats{4}));
  const Tensor y = leaf_of({1});
  autograd::add_hook(y, [](const Tensor&) -> Tensor { throw std::runtime_error("of the user"); });
  EXPECT_THROW(autograd::backward({ops::scale(y, 2.0)}, {}, false), std::runtime_error);
  EXPECT_FALSE(autograd::grad_of(y).defined());
}

TEST_F(AutogradTest, ResultsKeepTheirGradientWhereItIsAskedFor) {
  const Tensor x = leaf_of({1, 2});
  const Tensor y = ops::scale(x, 3.0);
  autograd::retain_grads(y);
  autograd::backward({ops::sum(ops::multiply(y, y))}, {}, false);
  EXPECT_EQ(grad_values(y), (Floats{6, 12}));
  EXPECT_EQ(grad_values(x), (Floats{18, 36}));
}

TEST_F(AutogradTest, SavedTensorsGoThroughTheHooksOfTheirCall) {
  const Tensor x = leaf_of({1, 2}), factor = vector_of({3, 4});
  int packed = 0, unpacked = 0;
  const auto hooks = std::make_shared<autograd::SavedTensorHooks>();
  hooks->pack = [&](const Tensor& t) {
    ++packed;
    return std::make_shared<Tensor>(ops::scale(t.detach(), 100.0));
  };
  hooks->unpack = [&](const std::shared_ptr<void>& handle) {
    ++unpacked;
    return *std::static_pointer_cast<Tensor>(handle);
  };
  autograd::push_saved_tensor_hooks(hooks);
  const Tensor y = ops::multiply(x, factor);
  autograd::pop_saved_tensor_hooks();
  EXPECT_THROW(autograd::pop_saved_tensor_hooks(), Error);
  EXPECT_GT(packed, 0);
  autograd::backward({ops::sum(y)}, {}, false);
  EXPECT_GT(unpacked, 0);
  EXPECT_EQ(grad_values(x), (Floats{300, 400}));
}

// -- threads -------------------------------------------------------------------------------------

TEST_F(AutogradTest, ThreadsAddUpInOneLeaf) {
  constexpr int kThreads = 4, kRounds = 200;
  const Tensor x = leaf_of({1, 2, 3});
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      for (int round = 0; round < kRounds; ++round) {
        autograd::backward({ops::sum(ops::scale(x, 2.0))}, {}, false);
      }
    });
  }
  for (std::thread& t : threads) t.join();
  constexpr float kSum = 2.0F * kThreads * kRounds;
  EXPECT_EQ(grad_values(x), (Floats{kSum, kSum, kSum}));
}

TEST_F(AutogradTest, ThreadsReadTheGradientWhileOthersMakeIt) {
  const Tensor x = leaf_of({1, 2, 3});
  std::atomic<bool> done{false};
  std::atomic<int> wrong{0};
  std::thread reader([&] {
    while (!done) {
      const Tensor grad = autograd::grad_of(x);
      wrong += grad.defined() && !(grad.shape() == Shape{3});
    }
  });
  for (int round = 0; round < 300; ++round) {
    autograd::backward({ops::sum(ops::scale(x, 2.0))}, {}, false);
    autograd::set_grad(x, Tensor());
  }
  done = true;
  reader.join();
  EXPECT_EQ(wrong.load(), 0);
}

TEST_F(AutogradTest, ThreadsMakeTheFirstViewsOfOneTensor) {
  constexpr int kThreads = 4, kRounds = 200;
  std::vector<Tensor> shared(kRounds);
  for (Tensor& t : shared) t = vector_of({1, 2, 3, 4, 5});
  std::barrier together(kThreads);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int n = 0; n < kThreads; ++n) {
    threads.emplace_back([&, n] {
      for (const Tensor& base : shared) {
        together.arrive_and_wait();
        const Tensor view = part(base, n, n + 2);
        wrong += values_of(ops::add(view, view)) != Floats{2.0F * n + 2, 2.0F * n + 4};
        wrong += !autograd::meta_of(view)->view->base.same_impl(base);
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong.load(), 0);
}

TEST_F(AutogradTest, ThreadsGoThroughOneGraph) {
  constexpr int kThreads = 4, kRounds = 100;
  const Tensor x = leaf_of({1, 2, 3}), z = leaf_of({2, 2, 2});
  const Tensor y = ops::sum(ops::multiply(ops::multiply(x, x), z));
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      for (int round = 0; round < kRounds; ++round) {
        const TensorList found = autograd::grad({y}, {x, z}, {}, true, false, false, {});
        wrong += values_of(found[0]) != Floats{4, 8, 12};
        wrong += values_of(found[1]) != Floats{1, 4, 9};
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong.load(), 0);
}

TEST_F(AutogradTest, AGraphThatOneThreadFreesIsWalkedWholeOrRefused) {
  constexpr int kRounds = 300;
  std::barrier together(2);
  std::atomic<int> wrong{0}, refused{0};
  std::vector<Tensor> results(kRounds);
  const Tensor x = leaf_of({1, 2, 3}), z = leaf_of({2, 2, 2});
  for (Tensor& y : results) y = ops::sum(ops::multiply(ops::multiply(x, x), z));
  const auto walk = [&](bool retain) {
    for (const Tensor& y : results) {
      together.arrive_and_wait();
      try {
        const TensorList found = autograd::grad({y}, {x, z}, {}, retain, false, false, {});
        wrong += values_of(found[0]) != Floats{4, 8, 12} || values_of(found[1]) != Floats{1, 4, 9};
      } catch (const Error& e) {
        wrong += e.message().find("was freed by an earlier backward") == std::string::npos;
        ++refused;
      }
    }
  };
  std::thread keeps([&] { walk(true); });
  walk(false);
  keeps.join();
  EXPECT_EQ(wrong.load(), 0);
  EXPECT_LE(refused.load(), kRounds);
}

TEST_F(AutogradTest, ThreadsFreeTheGraphsOfOthers) {
  constexpr int kRounds = 300;
  std::vector<Tensor> results(kRounds);
  const Tensor x = leaf_of({1, 2});
  for (Tensor& y : results) y = ops::sum(ops::multiply(x, x));
  std::thread first([&] {
    for (int i = 0; i < kRounds; i += 2) results[static_cast<size_t>(i)] = Tensor();
  });
  std::thread second([&] {
    for (int i = 1; i < kRounds; i += 2) {
      autograd::backward({results[static_cast<size_t>(i)]}, {}, false);
      results[static_cast<size_t>(i)] = Tensor();
    }
  });
  first.join();
  second.join();
  EXPECT_EQ(grad_values(x), (Floats{kRounds, 2 * kRounds}));
}

}  // namespace
}  // namespace paddle
