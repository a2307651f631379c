// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Types of other libraries. A library derives from ExtensionType and registers, under the name of
// the type, how its text is read; programs with values of such types are then printed, parsed,
// verified, copied, saved and run like any others. Text form: !name<body>.
//
// When a program runs, such a value is one tensor, of shape local_shape().
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "pir/ir/type.h"

namespace paddle::pir {

// Immutable; may be read on several threads.
class PADDLE_API ExtensionType {
 public:
  virtual ~ExtensionType();
  // "dialect.type", as it was registered.
  virtual const std::string& name() const = 0;
  // What stands between the angle brackets; these and quotation marks pair up in it.
  virtual std::string body() const = 0;
  // `other` has the same name.
  virtual bool equals(const ExtensionType& other) const = 0;
  virtual DType dtype() const = 0;
  virtual const Shape& global_shape() const = 0;
  virtual const Shape& local_shape() const = 0;
  virtual Place place() const { return Place(); }
  // ValueError that says what is wrong with the type.
  virtual void verify() const {}
  // The body in files; ValueError of a type that cannot be saved. By default body().
  virtual std::string saved_body() const { return body(); }
};

struct TypeRecord {
  std::string name;
  // From the text of body() or saved_body(), in which parse_type reads types; ValueError when it is
  // malformed.
  std::function<std::shared_ptr<const ExtensionType>(std::string_view body)> parse = nullptr;
};

// Thread-safe. ValueError when the name is taken or is no "dialect.type".
PADDLE_API void register_type(TypeRecord record);
// From a name and a body; ValueError when no library registered the name.
PADDLE_API Type extension_type(std::string_view name, std::string_view body);
// ValueError when an extension type in `type`, which may be a vector, is wrong.
PADDLE_API void verify_type(const Type& type);

}  // namespace paddle::pir
