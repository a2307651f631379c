// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Handles of tensors, and calls of the framework's operators by name:
//
//   const Tensor out(std::move(Call("matmul").arg("x", x).arg("y", y).run()[0]));
//
// paddle/extension/functions.h has a typed function for every operator.
#pragma once

#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "paddle/extension/types.h"

PADDLE_EXTENSION_BEGIN

class Tensor;

namespace detail {

// One reference to a tensor of the host.
class Handle {
 public:
  Handle() = default;
  static Handle adopt(PaddleTensor t) {
    Handle h;
    h.raw_ = t;
    return h;
  }
  static Handle share(PaddleTensor t) {
    if (t) host().retain(t);
    return adopt(t);
  }
  Handle(const Handle& other) : raw_(other.raw_) {
    if (raw_) host().retain(raw_);
  }
  Handle(Handle&& other) noexcept : raw_(std::exchange(other.raw_, nullptr)) {}
  Handle& operator=(Handle other) noexcept {
    std::swap(raw_, other.raw_);
    return *this;
  }
  ~Handle() {
    if (raw_) installed_host->release(raw_);
  }
  PaddleTensor raw() const { return raw_; }
  PaddleTensor release() { return std::exchange(raw_, nullptr); }

 private:
  PaddleTensor raw_ = nullptr;
};

PaddleTensor raw_of(const Tensor& t);

class Call {
 public:
  explicit Call(const char* op) : op_(op) {}

  Call& arg(const char* name, const Tensor& v) {
    PaddleValue& slot = add(name, PADDLE_VALUE_TENSOR);
    slot.tensor = raw_of(v);
    if (!slot.tensor) slot.kind = PADDLE_VALUE_NONE;
    return *this;
  }
  template <typename T>
  Call& arg(const char* name, const optional<T>& v) {
    return v ? arg(name, *v) : (add(name, PADDLE_VALUE_NONE), *this);
  }
  Call& arg(const char* name, const std::vector<Tensor>& v);
  Call& arg(const char* name, bool v) { return integer(name, PADDLE_VALUE_BOOL, v); }
  Call& arg(const char* name, int v) { return integer(name, PADDLE_VALUE_INT, v); }
  Call& arg(const char* name, int64_t v) { return integer(name, PADDLE_VALUE_INT, v); }
  Call& arg(const char* name, double v) {
    add(name, PADDLE_VALUE_FLOAT).f = v;
    return *this;
  }
  Call& arg(const char* name, float v) { return arg(name, static_cast<double>(v)); }
  Call& arg(const char* name, DataType v) {
    return integer(name, PADDLE_VALUE_DTYPE, static_cast<int64_t>(v));
  }
  Call& arg(const char* name, const Place& v) {
    add(name, PADDLE_VALUE_PLACE).place = v.defined() ? v.raw() : CPUPlace().raw();
    return *this;
  }
  Call& arg(const char* name, const Scalar& v) {
    arguments_.push_back({name, v.raw()});
    return *this;
  }
  Call& arg(const char* name, const std::string& v) {
    PaddleValue& slot = add(name, PADDLE_VALUE_TEXT);
    slot.text = v.data();
    slot.count = v.size();
    return *this;
  }
  Call& arg(const char* name, const std::vector<int64_t>& v) {
    PaddleValue& slot = add(name, PADDLE_VALUE_INTS);
    slot.ints = v.data();
    slot.count = v.size();
    return *this;
  }
  Call& arg(const char* name, const IntArray& v) { return arg(name, v.GetData()); }
  Call& arg(const char* name, const std::vector<int>& v) {
    return arg(name, ints_.emplace_back(v.begin(), v.end()));
  }
  Call& arg(const char* name, const std::vector<double>& v) {
    PaddleValue& slot = add(name, PADDLE_VALUE_FLOATS);
    slot.floats = v.data();
    slot.count = v.size();
    return *this;
  }
  Call& arg(const char* name, const std::vector<float>& v) {
    return arg(name, floats_.emplace_back(v.begin(), v.end()));
  }

  std::vector<Handle> run() const {
    std::vector<Handle> results;
    check(host().call(
        op_, arguments_.data(), arguments_.size(),
        [](void* receiver, PaddleTensor t) {
          static_cast<std::vector<Handle>*>(receiver)->push_back(Handle::adopt(t));
        },
        &results));
    return results;
  }

 private:
  PaddleValue& add(const char* name, PaddleValueKind kind) {
    PaddleArgument& a = arguments_.emplace_back();
    a.name = name;
    a.value.kind = kind;
    return a.value;
  }
  Call& integer(const char* name, PaddleValueKind kind, int64_t v) {
    add(name, kind).i = v;
    return *this;
  }

  const char* op_;
  std::vector<PaddleArgument> arguments_;
  std::deque<std::vector<PaddleTensor>> tensors_;
  std::deque<std::vector<int64_t>> ints_;
  std::deque<std::vector<double>> floats_;
};

}  // namespace detail

PADDLE_EXTENSION_END
