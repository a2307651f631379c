// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// What a rule of a record's saved form sees (OpDef::saved_form, OpDef::upgrade): one operation of a
// program that is written to a file, or was read from one, and the means to spell it otherwise. A
// rule changes operands and attributes of the operation, or makes others before it, which become
// its results. pir/serialize implements it.
#pragma once

#include <functional>

#include "paddle_core/op/attribute.h"
#include "paddle_core/op/op_def.h"

namespace paddle {

// A tensor, or a list of tensors, of the program; a handle. Absent values are false.
class FormValue {
 public:
  FormValue() = default;
  explicit FormValue(void* value) : value_(value) {}
  explicit operator bool() const { return value_ != nullptr; }
  void* get() const { return value_; }

 private:
  void* value_ = nullptr;
};
using FormValues = std::vector<FormValue>;

// The type of a result that a rule makes: that of a value, or a tensor on the host, or a list.
struct FormType {
  FormType(FormValue of) : like(of) {}  // NOLINT(google-explicit-constructor)
  FormType(DType dtype_, Shape shape_) : dtype(dtype_), shape(std::move(shape_)) {}
  static FormType list(std::vector<FormType> elements) {
    FormType out{FormValue()};
    out.is_list = true;
    out.elements = std::move(elements);
    return out;
  }
  FormValue like;
  DType dtype = DType::kUndefined;
  Shape shape;
  bool is_list = false;
  std::vector<FormType> elements;
};

// An operation as files have it. Its accessors raise ValueError where the program lacks what is
// asked for: files may be damaged.
class PADDLE_API FormOperation {
 public:
  virtual ~FormOperation() = default;
  virtual const std::string& name() const = 0;  // with its dialect: "pd_op.split"
  virtual size_t num_operands() const = 0;
  virtual FormValue operand(size_t i) const = 0;
  virtual size_t num_results() const = 0;
  virtual FormValue result(size_t i = 0) const = 0;
  virtual const std::vector<NamedAttribute>& attributes() const = 0;

  const Attribute& attribute(std::string_view name) const;
  int64_t i(std::string_view name) const { return attribute(name).to_int(); }
  bool b(std::string_view name) const { return attribute(name).to_int() != 0; }
  double f(std::string_view name) const { return attribute(name).to_double(); }
  Shape ints(std::string_view name) const { return attribute(name).to_dims(); }
  const std::string& text(std::string_view name) const {
    return attribute(name).get<std::string>();
  }
  FormValues operands() const;
};

class PADDLE_API SavedForm : public FormOperation {
 public:
  // -- of values -------------------------------------------------------------------------------
  virtual bool is_tensor(FormValue v) const = 0;
  virtual DType dtype(FormValue v) const = 0;
  virtual const Shape& shape(FormValue v) const = 0;
  virtual size_t length(FormValue list) const = 0;
  virtual bool is_used(FormValue v) const = 0;
  // The operation that makes v when it has this name ("full", "builtin.combine"), else null.
  virtual const FormOperation* made_by(FormValue v, std::string_view operation) const = 0;
  int64_t rank(FormValue v) const { return static_cast<int64_t>(shape(v).size()); }

  // -- of the operation ------------------------------------------------------------------------
  virtual bool in_block_of_another() const = 0;  // of a branch or a loop
  virtual void set_operand(size_t i, FormValue v) = 0;
  virtual void set_attribute(std::string_view name, Attribute value) = 0;
  // The values take the place of its results, and it is gone.
  virtual void become(const FormValues& values) = 0;

  // -- operations before it --------------------------------------------------------------------
  // By the name that files have: "concat" of the operators, "builtin.dims" of another dialect.
  virtual FormValues make_all(std::string_view name, const FormValues& operands,
                              const std::vector<FormType>& results,
                              std::vector<NamedAttribute> attributes) = 0;
  FormValue make(std::string_view name, const FormValues& operands, const FormType& result,
                 std::vector<NamedAttribute> attributes = {}) {
    return make_all(name, operands, {result}, std::move(attributes))[0];
  }
  // A list of values, and its elements.
  virtual FormValue combine(const FormValues& values) = 0;
  virtual FormValues parts(FormValue list) = 0;
  virtual FormValue constant(const Tensor& value) = 0;
  // From `first`, as long as `condition` of the values holds, `step` gives the next ones.
  virtual FormValues loop(const FormValues& first,
                          const std::function<FormValue(const FormValues&)>& condition,
                          const std::function<FormValues(const FormValues&)>& step) = 0;

  // -- short spellings -------------------------------------------------------------------------
  // A vector of integers; extents that are not known are those of the running program.
  FormValue ints_value(const Shape& dims);
  FormValue full(const Shape& shape, double value, DType dtype);
  // A tensor like x whose every element is `value`.
  FormValue like(FormValue x, double value);
  FormValue stack(const FormValues& values);
  // x[from:to] along an axis, or x[from] with `drop`.
  FormValue slice(FormValue x, int64_t axis, int64_t from, int64_t to, bool drop);
  FormValue reshape(FormValue x, const Shape& shape);
  FormValue expand(FormValue x, const Shape& shape);
  FormValue cast(FormValue x, DType dtype);
  // Elementwise, of operands of which one has the shape of the result.
  FormValue binary(std::string_view name, FormValue x, FormValue y);
  FormValue unary(std::string_view name, FormValue x) { return make(name, {x}, x); }
  // x * factor + bias
  FormValue scaled(FormValue x, double factor, double bias = 0);
  // 0, 1 ... below `count`, int64.
  FormValue counted(Dim count);
  // The operands that are there take this shape.
  void expand_operands(std::initializer_list<size_t> which, Shape shape);
  // ValueError unless the operation has so many operands and one result, all of them tensors.
  void require_tensors(size_t operands) const;
};

// Arrays of integer attributes.
PADDLE_API AttributeArray int32s(const Shape& dims);
PADDLE_API AttributeArray int64s(const Shape& dims);
// The numbers that an attribute lists, or the one for all elements. ValueError, which names the
// operation, where their count is another one.
PADDLE_API Tensor tensor_of(const Attribute& values, const Shape& shape, DType dtype,
                            std::string_view operation);

}  // namespace paddle
