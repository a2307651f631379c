// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// From the values of a call to the parameters of a C++ function: what parameter types a kernel, a
// shape rule or a dtype rule may have, what each is called in a declaration, how it is read.
#pragma once

#include <string_view>
#include <tuple>

#include "paddle/extension/tensor.h"

PADDLE_EXTENSION_BEGIN
namespace detail {

using ShapeOf = std::vector<int64_t>;

// Lists of texts travel as one text: the texts, each followed by the unit separator.
inline constexpr char kTextSeparator = '\x1f';

// Reader<T>: `kind` as a declaration names it, `read` from a value.
template <typename T>
struct Reader;

#define PADDLE_EXTENSION_NUMBER(T, KIND, FIELD)                             \
  template <>                                                               \
  struct Reader<T> {                                                        \
    static constexpr std::string_view kind = KIND;                          \
    static T read(const PaddleValue& v) { return static_cast<T>(v.FIELD); } \
  };
PADDLE_EXTENSION_NUMBER(bool, "bool", i)
PADDLE_EXTENSION_NUMBER(int, "int", i)
PADDLE_EXTENSION_NUMBER(int64_t, "int64_t", i)
PADDLE_EXTENSION_NUMBER(float, "float", f)
PADDLE_EXTENSION_NUMBER(double, "double", f)
#undef PADDLE_EXTENSION_NUMBER

template <>
struct Reader<std::string> {
  static constexpr std::string_view kind = "std::string";
  static std::string read(const PaddleValue& v) { return {v.text, v.count}; }
};
template <>
struct Reader<std::vector<int>> {
  static constexpr std::string_view kind = "std::vector<int>";
  static std::vector<int> read(const PaddleValue& v) {
    std::vector<int> out;
    for (uint64_t k = 0; k < v.count; ++k) out.push_back(static_cast<int>(v.ints[k]));
    return out;
  }
};
template <>
struct Reader<std::vector<int64_t>> {
  static constexpr std::string_view kind = "std::vector<int64_t>";
  static std::vector<int64_t> read(const PaddleValue& v) { return {v.ints, v.ints + v.count}; }
};
template <>
struct Reader<std::vector<float>> {
  static constexpr std::string_view kind = "std::vector<float>";
  static std::vector<float> read(const PaddleValue& v) {
    std::vector<float> out;
    for (uint64_t k = 0; k < v.count; ++k) out.push_back(static_cast<float>(v.floats[k]));
    return out;
  }
};
template <>
struct Reader<std::vector<std::string>> {
  static constexpr std::string_view kind = "std::vector<std::string>";
  static std::vector<std::string> read(const PaddleValue& v) {
    std::vector<std::string> out;
    std::string_view rest(v.text, v.count);
    for (size_t end; (end = rest.find(kTextSeparator)) != std::string_view::npos;) {
      out.emplace_back(rest.substr(0, end));
      rest.remove_prefix(end + 1);
    }
    return out;
  }
};
template <>
struct Reader<Tensor> {
  static constexpr std::string_view kind = "Tensor";
  static Tensor read(const PaddleValue& v) {
    return Tensor(Handle::share(v.kind == PADDLE_VALUE_TENSOR ? v.tensor : nullptr));
  }
};
template <>
struct Reader<std::vector<Tensor>> {
  static constexpr std::string_view kind = "Tensor list";
  static std::vector<Tensor> read(const PaddleValue& v) {
    std::vector<Tensor> out;
    if (v.kind != PADDLE_VALUE_TENSORS) return out;
    for (uint64_t k = 0; k < v.count; ++k) out.emplace_back(Handle::share(v.tensors[k]));
    return out;
  }
};
template <>
struct Reader<optional<Tensor>> {
  static constexpr std::string_view kind = "optional Tensor";
  static optional<Tensor> read(const PaddleValue& v) {
    if (v.kind == PADDLE_VALUE_NONE) return {};
    return Reader<Tensor>::read(v);
  }
};
template <>
struct Reader<optional<std::vector<Tensor>>> {
  static constexpr std::string_view kind = "optional Tensor list";
  static optional<std::vector<Tensor>> read(const PaddleValue& v) {
    if (v.kind == PADDLE_VALUE_NONE) return {};
    return Reader<std::vector<Tensor>>::read(v);
  }
};

// What a rule sees of an input: its shapes (ShapeOf) or its dtypes (DataType).
template <typename Item>
struct Inputs;
template <>
struct Inputs<ShapeOf> {
  const PaddleShapes* inputs;
  uint64_t count(size_t i) const { return inputs[i].count; }
  ShapeOf at(size_t i, uint64_t k) const {
    return {inputs[i].dims[k], inputs[i].dims[k] + inputs[i].ndims[k]};
  }
};
template <>
struct Inputs<DataType> {
  const PaddleDTypes* inputs;
  uint64_t count(size_t i) const { return inputs[i].count; }
  DataType at(size_t i, uint64_t k) const { return static_cast<DataType>(inputs[i].dtypes[k]); }
};

// RuleReader<T, Item>: parameter i of a rule over shapes or dtypes, an input or an attribute.
template <typename T, typename Item>
struct RuleReader {
  static std::string_view input_kind() { return "attribute"; }
  static T read_input(const Inputs<Item>&, size_t) { return T(); }
};
template <typename Item>
struct RuleReader<Item, Item> {
  static std::string_view input_kind() { return Reader<Tensor>::kind; }
  static Item read_input(const Inputs<Item>& in, size_t i) {
    return in.count(i) ? in.at(i, 0) : Item();
  }
};
template <typename Item>
struct RuleReader<std::vector<Item>, Item> {
  static std::string_view input_kind() { return Reader<std::vector<Tensor>>::kind; }
  static std::vector<Item> read_input(const Inputs<Item>& in, size_t i) {
    std::vector<Item> out;
    for (uint64_t k = 0; k < in.count(i); ++k) out.push_back(in.at(i, k));
    return out;
  }
};
template <typename Item>
struct RuleReader<optional<Item>, Item> {
  static std::string_view input_kind() { return Reader<optional<Tensor>>::kind; }
  static optional<Item> read_input(const Inputs<Item>& in, size_t i) {
    if (!in.count(i)) return {};
    return in.at(i, 0);
  }
};
template <typename Item>
struct RuleReader<optional<std::vector<Item>>, Item> {
  static std::string_view input_kind() { return Reader<optional<std::vector<Tensor>>>::kind; }
  static optional<std::vector<Item>> read_input(const Inputs<Item>& in, size_t i) {
    if (!in.count(i)) return {};
    return RuleReader<std::vector<Item>, Item>::read_input(in, i);
  }
};

template <typename T, typename = void>
struct HasReader : std::false_type {};
template <typename T>
struct HasReader<T, std::void_t<decltype(Reader<T>::kind)>> : std::true_type {};

template <typename T>
constexpr std::string_view attribute_kind() {
  if constexpr (HasReader<T>::value) {
    return Reader<T>::kind;
  } else {
    return "input";
  }
}
template <typename T>
T read_attribute(const PaddleValue& v) {
  if constexpr (HasReader<T>::value) {
    return Reader<T>::read(v);
  } else {
    return T();
  }
}

}  // namespace detail
PADDLE_EXTENSION_END
