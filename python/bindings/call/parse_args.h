// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Python objects into the slots of an operator call. The ArgArena owns what slots point to beyond
// the Python objects themselves; it lives on the caller's stack for one call.
#pragma once

#include <new>

#include "paddle_core/op/args.h"
#include "paddle_core/op/op_def.h"
#include "python/bindings/base/reference.h"
#include "python/bindings/values/tensor_object.h"

namespace paddle::bindings {

class ArgArena {
 public:
  ArgArena() {}
  ~ArgArena() {
    if (num_tensors_) [[unlikely]]
      destroy_tensors();
    if (overflow_) [[unlikely]]
      free_overflow();
  }
  ArgArena(const ArgArena&) = delete;
  ArgArena& operator=(const ArgArena&) = delete;

  template <typename T>
  T* array(size_t n) {
    static_assert(std::is_trivially_destructible_v<T>);
    return static_cast<T*>(bytes(n * sizeof(T)));
  }
  const Scalar* keep(const Scalar& s) { return new (bytes(sizeof(Scalar))) Scalar(s); }
  TensorImpl* keep(Tensor t);
  Tensor* tensors(size_t n);
  PyObject* keep_object(Ref o);

  // Python numbers in Tensor positions, turned into tensors when all arguments are known.
  struct Number {
    int arg;
    Scalar value;
  };
  void add_number(int arg, const Scalar& s) {
    Number* n = array<Number>(1);
    *n = {arg, s};
    if (num_numbers_ < kMaxNumbers) numbers_[num_numbers_++] = n;
  }
  int num_numbers() const { return num_numbers_; }
  const Number& number(int i) const { return *numbers_[i]; }

 private:
  void* bytes(size_t n) {
    n = (n + 15) & ~size_t{15};
    if (n > sizeof(room_) - used_) [[unlikely]]
      return more(n);
    void* p = room_ + used_;
    used_ += n;
    return p;
  }
  void* more(size_t n);
  void destroy_tensors();
  void free_overflow();

  static constexpr int kMaxNumbers = 8;
  struct TensorBlock {
    TensorBlock* next;
    size_t count;
    PyObject* object;
  };
  struct Overflow {
    Overflow* next;
    void* pad;
  };
  int num_numbers_ = 0;
  int num_tensors_ = 0;
  size_t used_ = 0;
  TensorBlock* blocks_ = nullptr;
  Overflow* overflow_ = nullptr;
  Number* numbers_[kMaxNumbers];
  alignas(16) char room_[512];
};

// Converts `value` for argument `arg` of op. None leaves the slot as it is.
// `fn` and `name` are the function and parameter as the user sees them.
void fill_slot(const OpDef& op, int arg, PyObject* value, Slot& slot, ArgArena& arena,
               const char* fn, const char* name);
// After all fill_slot calls: dtypes for the Python numbers among the tensor arguments.
void resolve_numbers(const OpDef& op, Slot* slots, ArgArena& arena);
// A 0-d tensor of a number, as an operand next to a tensor of type `other` (kUndefined: alone).
Tensor number_tensor(const Scalar& s, DType other);
// x to a power that is a number, where the dtype stays: the operator with a constant exponent,
// whose gradient takes less. False where the exponent must become a tensor.
bool power_of_constant(const Tensor& x, const Scalar& exponent, Tensor& out);
// What an absent argument is: the schema's default, else the type's neutral value.
Slot default_slot(const ArgSpec& spec);
// One integer or tensor, or a sequence of them.
void fill_ints(PyObject* value, Slot& slot, ArgArena& arena, const char* fn, const char* name);

}  // namespace paddle::bindings
