// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// An operation of a program as the rules of its record's saved form see it (op/saved_form.h).
#pragma once

#include <deque>

#include "paddle_core/op/saved_form.h"
#include "pir/dialect/dialect.h"

namespace paddle::pir {

class OperationView : public FormOperation {
 public:
  explicit OperationView(const Operation& op) : op_(op) {}
  const std::string& name() const override { return op_.name(); }
  size_t num_operands() const override { return op_.num_operands(); }
  FormValue operand(size_t i) const override;
  size_t num_results() const override { return op_.num_results(); }
  FormValue result(size_t i) const override;
  const std::vector<NamedAttribute>& attributes() const override { return op_.attributes(); }

 private:
  const Operation& op_;
};

class FormBuilder : public SavedForm {
 public:
  // Operations are made before `op`.
  explicit FormBuilder(Operation& op) : op_(op), view_(op), b_(*op.block()) { b_.set_before(&op); }

  const std::string& name() const override { return op_.name(); }
  size_t num_operands() const override { return op_.num_operands(); }
  FormValue operand(size_t i) const override { return view_.operand(i); }
  size_t num_results() const override { return op_.num_results(); }
  FormValue result(size_t i) const override { return view_.result(i); }
  const std::vector<NamedAttribute>& attributes() const override { return op_.attributes(); }

  bool is_tensor(FormValue v) const override;
  DType dtype(FormValue v) const override;
  const Shape& shape(FormValue v) const override;
  size_t length(FormValue list) const override;
  bool is_used(FormValue v) const override;
  const FormOperation* made_by(FormValue v, std::string_view operation) const override;

  bool in_block_of_another() const override { return op_.block()->region()->parent() != nullptr; }
  void set_operand(size_t i, FormValue v) override;
  void set_attribute(std::string_view name, Attribute value) override;
  void become(const FormValues& values) override;

  FormValues make_all(std::string_view name, const FormValues& operands,
                      const std::vector<FormType>& results,
                      std::vector<NamedAttribute> attributes) override;
  FormValue combine(const FormValues& values) override;
  FormValues parts(FormValue list) override;
  FormValue constant(const Tensor& value) override;
  FormValues loop(const FormValues& first,
                  const std::function<FormValue(const FormValues&)>& condition,
                  const std::function<FormValues(const FormValues&)>& step) override;

 protected:
  // The value of a handle; null for an absent one.
  static Value* value_of(FormValue v) { return static_cast<Value*>(v.get()); }

  Operation& op_;

 private:
  // ValueError that names the operation where the value is absent.
  const Value& there(FormValue v) const;
  Type type_of(const FormType& type) const;

  OperationView view_;
  Builder b_;
  mutable std::deque<OperationView> producers_;
};

}  // namespace paddle::pir
