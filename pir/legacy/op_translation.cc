// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// One old operator: reading its slots and attributes, and appending operators of the registry with
// the types their shape rules give.
#include <charconv>

#include "pir/dialect/dialect.h"
#include "pir/legacy/translate.h"

namespace paddle::pir {
namespace {

template <typename Slots>
const std::vector<std::string>& names_in(const Slots& slots, std::string_view slot) {
  static const std::vector<std::string> none;
  const auto at = slots.find(slot);
  return at == slots.end() ? none : at->second;
}

Scalar scalar_of(const Given& g) {
  if (const auto* v = std::get_if<bool>(&g)) return Scalar(*v);
  if (const auto* v = std::get_if<int64_t>(&g)) return Scalar(*v);
  if (const auto* v = std::get_if<double>(&g)) return Scalar(*v);
  if (const auto* v = std::get_if<std::vector<int64_t>>(&g); v && v->size() == 1) {
    return Scalar(v->front());
  }
  if (const auto* v = std::get_if<std::vector<double>>(&g); v && v->size() == 1) {
    return Scalar(v->front());
  }
  // Some tolerances are texts.
  if (const auto* v = std::get_if<std::string>(&g)) {
    double real = 0;
    const auto r = std::from_chars(v->data(), v->data() + v->size(), real);
    if (!v->empty() && r.ec == std::errc() && r.ptr == v->data() + v->size()) return Scalar(real);
  }
  throw_error(ErrorKind::kValue, "a number is expected");
}

std::vector<int64_t> integers_of(const Given& g) {
  if (const auto* v = std::get_if<std::vector<int64_t>>(&g)) return *v;
  if (const auto* v = std::get_if<std::vector<double>>(&g); v && v->empty()) return {};
  return {scalar_of(g).to_int()};
}

std::vector<double> reals_of(const Given& g) {
  if (const auto* v = std::get_if<std::vector<double>>(&g)) return *v;
  if (const auto* v = std::get_if<std::vector<int64_t>>(&g)) return {v->begin(), v->end()};
  return {scalar_of(g).to_double()};
}

Constant constant_from(const ArgSpec& arg, const Given& g) {
  Constant c;
  switch (arg.type) {
    case ArgType::kBool:
      c.kind = SlotKind::kBool;
      c.i = scalar_of(g).to_bool();
      break;
    case ArgType::kInt:
    case ArgType::kInt64:
      c.kind = SlotKind::kInt;
      c.i = scalar_of(g).to_int();
      break;
    case ArgType::kFloat:
    case ArgType::kDouble:
      c.kind = SlotKind::kFloat;
      c.f = scalar_of(g).to_double();
      break;
    case ArgType::kScalar:
      c.kind = SlotKind::kScalar;
      c.scalar = scalar_of(g);
      break;
    case ArgType::kString: {
      const auto* text = std::get_if<std::string>(&g);
      PADDLE_CHECK_VALUE(text, "a text is expected");
      c.kind = SlotKind::kString;
      c.text = *text == "AnyLayout" ? "NCHW" : *text;
      break;
    }
    case ArgType::kDType: {
      c.kind = SlotKind::kDType;
      const auto* dtype = std::get_if<DType>(&g);
      const int64_t number = dtype ? 0 : scalar_of(g).to_int();
      if (!dtype && number < 0 && arg.has_default) return arg.default_value;
      c.i = static_cast<int64_t>(dtype ? *dtype
                                       : dtype_from_disk_number(number >= 0 && number < 256
                                                                    ? static_cast<int>(number)
                                                                    : 255));
      break;
    }
    case ArgType::kInts:
    case ArgType::kInt64s:
    case ArgType::kIntArray:
      c.kind = SlotKind::kInts;
      for (const int64_t v : integers_of(g)) c.ints.push_back(Dim(v));
      break;
    case ArgType::kFloats:
      c.kind = SlotKind::kFloats;
      c.floats = reals_of(g);
      break;
    default:
      throw_error(ErrorKind::kValue, "a tensor is expected");
  }
  return c;
}

bool is_tensors(const Given& g) {
  return std::holds_alternative<Value*>(g) || std::holds_alternative<std::vector<Value*>>(g);
}

const Given* find(const std::vector<NamedGiven>& args, const std::string& name) {
  for (const auto& [key, value] : args) {
    const auto* v = std::get_if<Value*>(&value);
    if (key == name && !(v && !*v)) return &value;
  }
  return nullptr;
}

// Extents by which a later program point may differ become symbols of their own.
Type loosened(const Type& t, SymbolScope& scope) {
  if (t.is_vector()) {
    std::vector<Type> elements;
    for (const Type& e : t.elements()) elements.push_back(loosened(e, scope));
    return Type::vector(std::move(elements));
  }
  if (!t.is_tensor()) return t;
  Shape shape;
  for (const Dim d : t.shape()) {
    shape.push_back(d.is_symbolic() || d.value() < 0 ? scope.fresh() : d);
  }
  return Type::tensor(t.dtype(), shape);
}

}  // namespace

void OpTranslation::fail(std::string_view what) const {
  throw_error(ErrorKind::kValue, str("program file: operator ", type(), ": ", what, '.'));
}

void OpTranslation::unsupported(std::string_view what) const {
  throw_error(ErrorKind::kNotImplemented,
              str("program file: operator ", type(), ": ", what, ", which paddle cannot run."));
}

Value* OpTranslation::in_or_null(std::string_view slot) const {
  const auto& names = names_in(desc_.inputs, slot);
  return names.empty() ? nullptr : translator_.read(names[0], type());
}

Value* OpTranslation::in(const char* slot) const {
  Value* v = in_or_null(slot);
  if (!v) fail(str("input ", slot, " is missing"));
  if (!v->type().is_tensor()) fail(str("input ", slot, " is no tensor"));
  return v;
}

std::vector<Value*> OpTranslation::ins(std::string_view slot) const {
  std::vector<Value*> out;
  for (const std::string& name : names_in(desc_.inputs, slot)) {
    out.push_back(translator_.read(name, type()));
  }
  return out;
}

int64_t OpTranslation::extent(const char* slot, int64_t axis) const {
  const Shape& shape = in(slot)->type().shape();
  const auto at = static_cast<size_t>(axis < 0 ? axis + static_cast<int64_t>(shape.size()) : axis);
  if (at >= shape.size()) fail(str("input ", slot, " has no axis ", axis));
  if (!shape[at].is_symbolic() && shape[at].value() >= 0) return shape[at].value();
  const VarDesc* var = translator_.declared(names_in(desc_.inputs, slot)[0]);
  if (var && at < var->dims.size() && var->dims[at] >= 0) return var->dims[at];
  unsupported(str("the file leaves extent ", axis, " of input ", slot, " open"));
}

const std::vector<std::string>& OpTranslation::out_names(std::string_view slot) const {
  return names_in(desc_.outputs, slot);
}

void OpTranslation::set(std::string_view slot, Value* value) {
  const auto& names = out_names(slot);
  if (!names.empty()) translator_.write(names[0], value);
}

void OpTranslation::set_all(std::string_view slot, const std::vector<Value*>& values) {
  const auto& names = out_names(slot);
  if (names.size() != values.size()) {
    fail(str("output ", slot, " names ", names.size(), " variables; there are ", values.size(),
             " results"));
  }
  for (size_t i = 0; i < names.size(); ++i) translator_.write(names[i], values[i]);
}

std::vector<Value*> OpTranslation::offsets(std::string_view slot) const {
  const auto& names = names_in(desc_.inputs, slot);
  return names.empty() ? std::vector<Value*>() : translator_.offsets_of(names[0]);
}

void OpTranslation::set_offsets(std::string_view slot, const std::vector<Value*>& levels) {
  const auto& names = out_names(slot);
  if (!names.empty()) translator_.write_offsets(names[0], levels);
}

std::optional<Given> OpTranslation::given(std::string_view name) const {
  const auto at = desc_.attributes.find(name);
  if (at == desc_.attributes.end()) return std::nullopt;
  const AttrDesc& a = at->second;
  switch (a.kind) {
    case AttrDesc::Kind::kInts:
      if (a.is_list || a.ints.size() != 1) return a.ints;
      if (a.is_bool) return a.ints[0] != 0;
      return a.ints[0];
    case AttrDesc::Kind::kReals:
      if (a.is_list || a.reals.size() != 1) return a.reals;
      return a.reals[0];
    case AttrDesc::Kind::kTexts:
      if (a.texts.size() == 1) return a.texts[0];
      return a.texts.empty() ? std::optional<Given>(std::string()) : std::nullopt;
    case AttrDesc::Kind::kVars: {
      std::vector<Value*> values;
      for (const std::string& v : a.texts) values.push_back(translator_.read(v, type()));
      if (a.is_list) return values;
      return values.empty() ? std::nullopt : std::optional<Given>(values[0]);
    }
    case AttrDesc::Kind::kBlock:
      break;
  }
  return std::nullopt;
}

int64_t OpTranslation::integer(const char* name, int64_t fallback) const {
  const std::optional<Given> g = given(name);
  if (!g) return fallback;
  if (is_tensors(*g)) unsupported(str("attribute ", name, " is a tensor"));
  return scalar_of(*g).to_int();
}

double OpTranslation::number(const char* name, double fallback) const {
  const std::optional<Given> g = given(name);
  if (!g) return fallback;
  if (is_tensors(*g)) unsupported(str("attribute ", name, " is a tensor"));
  return scalar_of(*g).to_double();
}

std::string OpTranslation::text(const char* name, const char* fallback) const {
  const std::optional<Given> g = given(name);
  const auto* text = g ? std::get_if<std::string>(&*g) : nullptr;
  return text ? *text : fallback;
}

std::vector<int64_t> OpTranslation::integers(const char* name) const {
  const std::optional<Given> g = given(name);
  if (!g) return {};
  if (is_tensors(*g)) unsupported(str("attribute ", name, " is a tensor"));
  return integers_of(*g);
}

std::vector<double> OpTranslation::numbers(const char* name) const {
  const std::optional<Given> g = given(name);
  if (!g) return {};
  if (is_tensors(*g)) unsupported(str("attribute ", name, " is a tensor"));
  return reals_of(*g);
}

DType OpTranslation::dtype(const char* name, DType fallback) const {
  const int64_t number = integer(name, -1);
  if (number < 0) return fallback;
  const DType t =
      number < 256 ? dtype_from_disk_number(static_cast<int>(number)) : DType::kUndefined;
  if (t == DType::kUndefined) fail(str("attribute ", name, " is the unknown data type ", number));
  return t;
}

Value* OpTranslation::operand(const OpDef& def, size_t i, const std::vector<NamedGiven>& args) {
  const ArgSpec& arg = def.schema().args[i];
  const Given* g = find(args, arg.name);
  if (!g) {
    if (arg.optional) return nullptr;
    if (!arg.has_default) fail(str("argument ", arg.name, " of ", def.name(), " is missing"));
    return make_operand(builder_, arg, arg.default_value.slot(), {});
  }
  if (const auto* v = std::get_if<Value*>(g)) {
    if (arg.type == ArgType::kTensorList && !(*v)->type().is_vector()) {
      return builder_.combine({*v});
    }
    return *v;
  }
  if (const auto* list = std::get_if<std::vector<Value*>>(g)) {
    if (arg.type == ArgType::kTensorList || arg.type == ArgType::kIntArray) {
      return builder_.combine(*list);
    }
    if (list->size() != 1) fail(str("argument ", arg.name, " of ", def.name(), " is a list"));
    return list->front();
  }
  const Constant c = constant_from(arg, *g);
  return make_operand(builder_, arg, c.slot(), {});
}

Operation* OpTranslation::emit(std::string_view name, Arguments args) {
  std::vector<NamedGiven> all;
  for (const Argument& a : args) all.emplace_back(a.name(), a.value());
  return emit_all(name, all);
}

Value* OpTranslation::make(std::string_view name, Arguments args) {
  return emit(name, args)->result();
}

Value* OpTranslation::make_all(std::string_view name, const std::vector<NamedGiven>& args) {
  return emit_all(name, args)->result();
}

Operation* OpTranslation::emit_all(std::string_view name, const std::vector<NamedGiven>& args) {
  const OpDef* def = find_def(str("pd_op.", name));
  PADDLE_CHECK_KIND(ErrorKind::kNotImplemented, def, "program file: operator ", type(), " needs ",
                    name, ", which paddle does not have.");
  for (const auto& [argument, value] : args) {
    if (def->schema().arg_index(argument) < 0) fail(str(name, " has no argument ", argument));
  }
  std::vector<Value*> operands;
  std::vector<NamedAttribute> attributes;
  try {
    for (size_t i = 0; i < def->schema().args.size(); ++i) {
      const ArgSpec& arg = def->schema().args[i];
      if (is_operand(arg)) {
        operands.push_back(operand(*def, i, args));
        continue;
      }
      const Given* g = find(args, arg.name);
      if (g && is_tensors(*g)) unsupported(str("argument ", arg.name, " is a tensor"));
      if (!g && !arg.has_default) fail(str("argument ", arg.name, " of ", name, " is missing"));
      const Constant c = g ? constant_from(arg, *g) : arg.default_value;
      attributes.emplace_back(arg.name, attribute_of(arg, c.slot()));
    }
  } catch (const Error& e) {
    if (e.message().starts_with("program file")) throw;
    fail(e.message());
  }
  const size_t results = def->list_result ? 1 : def->schema().results.size();
  Operation* op = builder_.create(operation_name(*def), operands, std::vector<Type>(results),
                                  std::move(attributes));
  op->def = def;
  const std::vector<Type> types = result_types(*op);
  for (size_t k = 0; k < results; ++k) op->result(k)->set_type(types[k]);
  return op;
}

// By the operator's shape rule; what it had to assume is not known of the values.
std::vector<Type> OpTranslation::result_types(const Operation& op) {
  SymbolScope& scope = translator_.symbols();
  const size_t facts = scope.facts().size();
  std::vector<Type> types;
  try {
    types = infer_types(op);
  } catch (const Error&) {
    types.clear();  // extents that are tensors; wrong operators fail when they run
  }
  if (types.size() != op.num_results()) {
    return std::vector<Type>(op.num_results(), fallback_type(op));
  }
  if (scope.facts().size() == facts) return types;
  for (Type& t : types) t = loosened(t, scope);
  return types;
}

// Where the shape rule needs values: the rank that can be read off the arguments, else what the
// file says of the output.
Type OpTranslation::fallback_type(const Operation& op) const {
  const auto fresh = [&](DType dtype, size_t rank) {
    Shape shape;
    for (size_t i = 0; i < rank; ++i) shape.push_back(translator_.symbols().fresh());
    return Type::tensor(dtype, shape);
  };
  const Value* x = op.num_operands() ? op.operand(0) : nullptr;
  const DType dtype = x && x->type().is_tensor() ? x->type().dtype() : DType::kFloat32;
  const Schema& schema = op.def->schema();
  size_t at = 0;
  for (const ArgSpec& arg : schema.args) {
    if (!is_operand(arg)) continue;
    const Value* v = op.operand(at++);
    if (arg.name != "shape" || !v) continue;
    if (v->type().is_vector()) return fresh(dtype, v->type().elements().size());
    if (rank(v) == 1 && !v->type().shape()[0].is_symbolic()) {
      const int64_t n = v->type().shape()[0].value();
      if (n >= 0 && n <= static_cast<int64_t>(kMaxRank))
        return fresh(dtype, static_cast<size_t>(n));
    }
  }
  if (const Attribute* drop = op.find_attribute("decrease_axis"); drop && x) {
    const size_t gone = drop->to_dims().size();
    if (gone <= rank(x)) return fresh(dtype, rank(x) - gone);
  }
  for (const auto& [slot, names] : desc_.outputs) {
    if (slot == "XShape" || names.empty()) continue;
    const VarDesc* var = translator_.declared(names[0]);
    if (var && var->is_tensor() && var->dtype != DType::kUndefined) {
      return fresh(var->dtype, var->dims.size());
    }
  }
  return fresh(dtype, x ? rank(x) : 0);
}

std::vector<Value*> OpTranslation::make_list(std::string_view name,
                                             const std::vector<NamedGiven>& args, size_t count) {
  Operation* op = emit_all(name, args);
  std::vector<Type> types;
  if (op->result()->type().is_vector()) {
    types = op->result()->type().elements();
  } else {
    types.resize(count);
    for (Type& t : types) t = loosened(op->result()->type(), translator_.symbols());
    op->result()->set_type(Type::vector(types));
  }
  if (types.size() != count) {
    fail(str("it names ", count, " outputs; there are ", types.size(), " results"));
  }
  Operation* split = builder_.create("builtin.split", {op->result()}, types);
  std::vector<Value*> out;
  for (size_t i = 0; i < count; ++i) out.push_back(split->result(i));
  return out;
}

Value* OpTranslation::cast(Value* x, DType dtype) {
  return x->type().dtype() == dtype ? x : make("cast", {{"x", x}, {"dtype", dtype}});
}

Value* OpTranslation::constant(const Tensor& t) {
  Operation* op =
      builder_.create("builtin.constant", {}, {Type::of(t)}, {{"value", DenseValues{t}}});
  return make("assign", {{"x", op->result()}});
}

}  // namespace paddle::pir
