// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Programs to and from the version 4 JSON form.
#include "pir/serialize/format/program_json.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "pir/dialect/dialect.h"
#include "pir/dialect/operation_record.h"
#include "pir/ir/extension_type.h"
#include "pir/serialize/format/json.h"

namespace paddle::pir {
namespace {

constexpr std::pair<std::string_view, DType> kElements[] = {
    {"0.t_bool", DType::kBool},           {"0.t_i8", DType::kInt8},
    {"0.t_ui8", DType::kUInt8},           {"0.t_i16", DType::kInt16},
    {"0.t_i32", DType::kInt32},           {"0.t_i64", DType::kInt64},
    {"0.t_f16", DType::kFloat16},         {"0.t_bf16", DType::kBFloat16},
    {"0.t_f32", DType::kFloat32},         {"0.t_f64", DType::kFloat64},
    {"0.t_c64", DType::kComplex64},       {"0.t_c128", DType::kComplex128},
    {"0.t_f8e4m3fn", DType::kFloat8E4M3}, {"0.t_f8e5m2", DType::kFloat8E5M2}};
constexpr std::pair<std::string_view, std::string_view> kDialects[] = {
    {"0.", "builtin."}, {"1.", "pd_op."}, {"2.", "cf."}, {"onednn_op.", "onednn_op."}};

constexpr size_t kPlacePosition = 5;

// -- reading -----------------------------------------------------------------------------------

Type read_type(const Json& j) {
  const std::string& tag = j.at("#").text();
  if (tag == "NULL") return Type();
  if (tag.starts_with('!')) return extension_type(tag.substr(1), j.at("D").text());
  const Json::Array& d = j.at("D").array();
  if (tag == "0.t_vec") {
    std::vector<Type> elements;
    for (const Json& e : d) {
      elements.push_back(read_type(e));
      PADDLE_CHECK_VALUE(!elements.back().is_null(), "program file: a list has an absent element.");
    }
    return Type::vector(std::move(elements));
  }
  const bool is_array = tag == "1.t_dense_tensor_array";
  PADDLE_CHECK_VALUE((is_array || tag == "0.t_dtensor") && d.size() >= 2, "program file: type ",
                     tag, " is unknown to paddle.");
  DType dtype = DType::kUndefined;
  for (const auto& [name, t] : kElements) {
    if (d[0].at("#").text() == name) dtype = t;
  }
  PADDLE_CHECK_VALUE(is_array || dtype != DType::kUndefined, "program file: element type ",
                     d[0].at("#").text(), " is unknown to paddle.");
  Shape shape;
  for (const Json& e : d[1].array()) {
    // Multiples of -1 are what shape rules make of unknown extents.
    shape.push_back(Dim(std::max<int64_t>(e.integer(), -1)));
  }
  PADDLE_CHECK_VALUE(shape.size() <= kMaxRank, "program file: a rank is above ", kMaxRank, ".");
  // Tensors outside of the host's memory name their place behind what PaddlePaddle reads.
  const Place place =
      d.size() > kPlacePosition ? place_from_text(d[kPlacePosition].text()) : Place();
  const Type type = Type::tensor(dtype, shape, place);
  return is_array ? Type::vector({type}) : type;
}

double read_double(const Json& j) {
  if (const Json* special = j.find("VD")) {
    const std::string& v = special->text();
    if (v == "NaN") return std::numeric_limits<double>::quiet_NaN();
    return v == "-INF" ? -std::numeric_limits<double>::infinity()
                       : std::numeric_limits<double>::infinity();
  }
  return j.at("D").number();
}

Attribute read_attribute(const Json& j) {
  const std::string& tag = j.at("#").text();
  if (tag == "0.a_f32") return Float32{read_double(j)};
  if (tag == "0.a_f64") return read_double(j);
  const Json& d = j.at("D");
  if (tag == "0.a_bool") return d.boolean();
  if (tag == "0.a_i32") return static_cast<int32_t>(d.integer());
  if (tag == "0.a_i64") return d.integer();
  if (tag == "0.a_str") return d.text();
  if (tag == "0.a_array") {
    AttributeArray array;
    for (const Json& e : d.array()) array.push_back(read_attribute(e));
    return array;
  }
  if (tag == "1.a_intarray") {
    Shape dims;
    for (const Json& e : d.array()) dims.push_back(Dim(e.integer()));
    return dims;
  }
  if (tag == "1.a_dtype") return dtype_from_name(d.text());
  if (tag == "1.a_place" || tag == "0.a_c128" || tag == "0.a_c64") {
    const Json::Array& parts = d.array();
    PADDLE_CHECK_VALUE(parts.size() >= 2, "program file: attribute ", tag, " is cut short.");
    if (tag != "1.a_place") {
      return std::complex<double>(parts[0].number(), parts[1].number());
    }
    Place place;
    place.kind = parts[0].integer() == 0 ? DeviceKind::kUndefined : DeviceKind::kCpu;
    // [kind, index, ""] of PaddlePaddle names no place; [kind, index, "", "name:0"] does.
    return parts.size() > 3 ? place_from_text(parts[3].text()) : place;
  }
  throw_error(ErrorKind::kValue, str("program file: attribute type ", tag, " is unknown."));
}

class Loader {
 public:
  Loader() = default;

  void block(const Json& j, Block& into) {
    const size_t before = defined_.size();
    for (const Json& argument : list(j, "args")) {
      Value*& named = values_[argument.at("#").integer()];
      defined_.emplace_back(argument.at("#").integer(), named);
      named = into.add_argument(read_type(argument.at("TT")));
    }
    for (const Json& op : j.at("ops").array()) operation(op, into);
    // Nothing behind the block sees its values.
    for (; defined_.size() > before; defined_.pop_back()) {
      values_[defined_.back().first] = defined_.back().second;
    }
  }

 private:
  static const Json::Array& list(const Json& j, std::string_view key) {
    static const Json::Array empty;
    const Json* found = j.find(key);
    return found ? found->array() : empty;
  }

  void parameter(const Json& j, Block& into) {
    const Json::Array& a = j.at("A").array();
    PADDLE_CHECK_VALUE(a.size() == 4, "program file: a parameter has ", a.size(),
                       " attributes; 4 are expected.");
    const Json& o = j.at("O");
    Builder b(into);
    Operation* op =
        b.create("builtin.parameter", {}, {read_type(o.at("TT"))}, {{"name", a[3].text()}});
    // Others are state that a program makes itself; the parameter file does not hold them.
    op->result()->persistable = list(j, "OA").empty() || list(j, "OA")[0].boolean();
    if (!op->result()->persistable) op->set_attribute("state", true);
    op->result()->stop_gradient = list(j, "OA").size() < 2 || list(j, "OA")[1].boolean();
    define(o, op->result());
  }

  void define(const Json& o, Value* v) {
    const int64_t id = o.at("%").integer();
    Value*& named = values_[id];
    PADDLE_CHECK_VALUE(!named, "program file: value ", id, " is defined twice.");
    named = v;
    defined_.emplace_back(id, nullptr);
  }

  void operation(const Json& j, Block& into) {
    const std::string& tag = j.at("#").text();
    if (tag == "p") return parameter(j, into);
    std::string name;
    for (const auto& [digit, dialect] : kDialects) {
      if (tag.starts_with(digit)) name = str(dialect, tag.substr(digit.size()));
    }
    const OperationRecord* record = nullptr;
    if (name.empty()) {
      record = OpName(tag).record();
      PADDLE_CHECK_VALUE(record && record->saved, "program file: operation ", tag,
                         " belongs to an unknown dialect; load the library that defines it first.");
      name = tag;
    }
    std::vector<Value*> operands;
    for (const Json& in : list(j, "I")) {
      operands.push_back(use(in.at("%").integer(), name));
      PADDLE_CHECK_VALUE(
          operands.back() || record || name.starts_with("pd_op.") || name.starts_with("onednn_op."),
          "program file: an operand of ", name, " is absent.");
    }
    std::vector<Type> results;
    for (const Json& o : list(j, "O")) results.push_back(read_type(o.at("TT")));
    std::vector<NamedAttribute> attributes;
    for (const Json& a : list(j, "A")) {
      attributes.emplace_back(a.at("N").text(), read_attribute(a.at("AT")));
    }
    Builder b(into);
    Operation* op = b.create(name, operands, std::move(results), std::move(attributes));
    op->def = find_def(name);
    if (!op->def && name.ends_with('_')) op->def = find_def(name.substr(0, name.size() - 1));
    for (const Json& region : list(j, "regions")) {
      Region& r = op->add_region();
      for (const Json& inner : region.at("blocks").array()) block(inner, r.add_block());
    }
    size_t k = 0;
    for (const Json& o : list(j, "O")) define(o, op->result(k++));
    if (record && record->from_saved) record->from_saved(*op);
  }

  Value* use(int64_t id, const std::string& name) {
    if (id == 0) return nullptr;
    const auto found = values_.find(id);
    PADDLE_CHECK_VALUE(found != values_.end() && found->second, "program file: ", name,
                       " uses value ", id, ", which is not defined before it.");
    // A result that the writer did not have.
    return found->second->type().is_null() ? nullptr : found->second;
  }

  std::unordered_map<int64_t, Value*> values_;       // null: not visible any more
  std::vector<std::pair<int64_t, Value*>> defined_;  // each with what its name meant before
};

// -- writing -----------------------------------------------------------------------------------

template <typename List, typename Fn>
std::string joined(const List& list, Fn&& one) {
  std::string out = "[";
  for (const auto& e : list) {
    if (out.size() > 1) out += ',';
    out += one(e);
  }
  return out + ']';
}

std::string dims_text(const Shape& dims) {
  return joined(dims, [](Dim d) { return std::to_string(d.is_symbolic() ? -1 : d.value()); });
}

std::string write_type(const Type& t) {
  if (t.is_null()) return "{\"#\":\"NULL\"}";
  if (t.is_extension()) {
    return str("{\"#\":", json_string(str('!', t.extension()->name())),
               ",\"D\":", json_string(t.extension()->saved_body()), '}');
  }
  if (t.is_vector()) return str("{\"#\":\"0.t_vec\",\"D\":", joined(t.elements(), write_type), '}');
  std::string_view element;
  for (const auto& [name, dtype] : kElements) {
    if (dtype == t.dtype()) element = name;
  }
  return str("{\"#\":\"0.t_dtensor\",\"D\":[{\"#\":\"", element, "\"},", dims_text(t.shape()),
             ",\"NCHW\",[],0",
             t.place() == Place() ? std::string() : ',' + json_string(place_text(t.place())), "]}");
}

std::string tagged(std::string_view tag, std::string_view data) {
  return str("{\"#\":\"", tag, "\",\"D\":", data, '}');
}

std::string write_double(std::string_view tag, double v) {
  if (std::isfinite(v)) return tagged(tag, json_double(v));
  return str("{\"#\":\"", tag, "\",\"VD\":\"",
             std::isnan(v) ? "NaN"
             : v > 0       ? "INF"
                           : "-INF",
             "\"}");
}

std::string write_place(Place place) {
  const bool named = place.kind == DeviceKind::kGpu || place.kind == DeviceKind::kCustom;
  return tagged("1.a_place",
                str('[', static_cast<int>(place.kind), ",0,\"\"",
                    named ? ',' + json_string(place_text(place)) : std::string(), ']'));
}

std::string write_attribute(const Attribute& a) {
  using Kind = Attribute::Kind;
  switch (a.kind()) {
    case Kind::kBool:
      return tagged("0.a_bool", a.get<bool>() ? "true" : "false");
    case Kind::kI32:
      return tagged("0.a_i32", std::to_string(a.get<int32_t>()));
    case Kind::kI64:
      return tagged("0.a_i64", std::to_string(a.get<int64_t>()));
    case Kind::kF32:
      return write_double("0.a_f32", static_cast<float>(a.get<Float32>().value));
    case Kind::kF64:
      return write_double("0.a_f64", a.get<double>());
    case Kind::kString:
      return tagged("0.a_str", json_string(a.get<std::string>()));
    case Kind::kArray:
      return tagged("0.a_array", joined(a.get<AttributeArray>(), write_attribute));
    case Kind::kDType: {
      const DType t = a.get<DType>();
      return tagged("1.a_dtype",
                    json_string(t == DType::kUndefined ? "Undefined(ALL_DTYPE)" : name_of(t)));
    }
    case Kind::kPlace:
      return write_place(a.get<Place>());
    case Kind::kIntArray:
      return tagged("1.a_intarray", dims_text(a.get<Shape>()));
    case Kind::kComplex: {
      const auto c = a.get<std::complex<double>>();
      return tagged("0.a_c128", str('[', json_double(c.real()), ',', json_double(c.imag()), ']'));
    }
    case Kind::kScalar: {
      const Scalar s = a.get<Scalar>();
      if (s.kind() == Scalar::Kind::kComplex) return write_attribute(s.to_complex());
      return write_double("0.a_f64",
                          s.is_integral() ? static_cast<double>(s.to_int()) : s.to_double());
    }
    default:
      break;
  }
  throw_error(ErrorKind::kValue, "jit.save: an attribute of the program is absent.");
}

std::string write_named(const NamedAttribute& a) {
  return str("{\"AT\":", write_attribute(a.second), ",\"N\":", json_string(a.first), '}');
}

class Writer {
 public:
  std::string block(const Block& b) {
    const int number = blocks_++;
    std::string args = "[";
    for (size_t i = 0; i < b.num_arguments(); ++i) {
      const int id = -static_cast<int>(++arguments_);
      ids_.emplace(b.argument(i), id);
      needs_gradient_[b.argument(i)] = is_differentiable(b.argument(i)->type().dtype());
      args += str(i ? "," : "", "{\"#\":", id, ",\"TT\":", write_type(b.argument(i)->type()), '}');
    }
    args += ']';
    std::string ops;
    for (const auto& op : b.operations()) {
      if (!ops.empty()) ops += ',';
      ops += op->is("builtin.parameter") ? parameter(*op) : operation(*op);
    }
    return str("{\"#\":\"block_", number, "\",\"args\":", args, ",\"ops\":[", ops, "]}");
  }

 private:
  std::string result(const Value* v) {
    const int id = ids_.emplace(v, static_cast<int>(++results_)).first->second;
    return str("{\"%\":", id, ",\"TT\":", write_type(v->type()), '}');
  }

  std::string parameter(const Operation& op) {
    const bool trainable = !op.result()->stop_gradient;
    needs_gradient_[op.result()] = trainable;
    return str("{\"#\":\"p\",\"A\":[0,1,1,", json_string(op.attribute("name").get<std::string>()),
               "],\"DA\":[],\"O\":", result(op.result()), ",\"OA\":[",
               op.find_attribute("state") ? "0," : "1,", trainable ? "0,1" : "1,0", "],\"QA\":[]}");
  }

  static std::string flags(const Operation& op, std::string_view name, bool value) {
    AttributeArray array(op.num_results(), Attribute(value));
    return write_named({std::string(name), Attribute(std::move(array))});
  }

  // A gradient flows through results of differentiable dtype that depend on inputs or parameters.
  std::string stop_gradient(const Operation& op) {
    bool reached = op.is("pd_op.data") || !op.regions().empty();
    for (const Value* v : op.operands()) reached = reached || (v && needs_gradient_[v]);
    AttributeArray array;
    for (size_t k = 0; k < op.num_results(); ++k) {
      const Type& t = op.result(k)->type();
      const bool wanted = reached && (t.is_vector() || op.is("pd_op.data") ||
                                      (t.is_tensor() && is_differentiable(t.dtype())));
      needs_gradient_[op.result(k)] = wanted;
      array.emplace_back(!wanted);
    }
    return write_named({"stop_gradient", Attribute(std::move(array))});
  }

  std::string regions(const Operation& op) {
    std::string all;
    for (const auto& region : op.regions()) {
      const int number = regions_++;
      std::string blocks;
      for (const auto& b : region->blocks()) blocks += (blocks.empty() ? "" : ",") + block(*b);
      all +=
          str(all.empty() ? "" : ",", "{\"#\":\"region_", number, "\",\"blocks\":[", blocks, "]}");
    }
    return all;
  }

  std::string operation(const Operation& op) {
    std::string tag;
    for (const auto& [digit, dialect] : kDialects) {
      if (op.name().starts_with(dialect)) tag = str(digit, op.name().substr(dialect.size()));
    }
    const OperationRecord* record = op.record();
    if (tag.empty()) {
      PADDLE_CHECK_KIND(ErrorKind::kNotImplemented, record && record->saved,
                        "jit.save: ", op.name(), " cannot be saved; its library does not say how.");
      tag = op.name();
    }
    const std::string operands = joined(
        op.operands(), [this](const Value* v) { return str("{\"%\":", v ? ids_.at(v) : 0, '}'); });
    std::string results;
    for (size_t k = 0; k < op.num_results(); ++k) {
      results += (k ? "," : "") + result(op.result(k));
    }
    std::vector<NamedAttribute> present;
    const std::vector<NamedAttribute> attributes =
        record && record->to_saved ? record->to_saved(op) : op.attributes();
    for (const NamedAttribute& a : attributes) {
      if (!a.second.is(Attribute::Kind::kNone)) present.push_back(a);
    }
    std::string oa;
    if (op.num_results()) {
      if (op.is("pd_op.fetch")) oa = flags(op, "persistable", true) + ',';
      oa += stop_gradient(op);
    }
    const std::string inner = regions(op);
    return str("{\"#\":\"", tag, "\",\"A\":", joined(present, write_named), ",\"I\":", operands,
               ",\"O\":[", results, "],\"OA\":[", oa, ']',
               inner.empty() ? std::string() : str(",\"regions\":[", inner, ']'), '}');
  }

  // Results count up from 1, arguments of blocks down from -1, over the whole file.
  std::unordered_map<const Value*, int> ids_;
  std::unordered_map<const Value*, bool> needs_gradient_;
  size_t results_ = 0, arguments_ = 0;
  int blocks_ = 0, regions_ = 1;
};

}  // namespace

bool is_json_program(std::string_view content) {
  const size_t first = content.find_first_not_of(" \t\r\n");
  return first == std::string_view::npos || content[first] == '{';
}

std::unique_ptr<Program> program_from_json(std::string_view text, int* file_version) {
  const Json document = Json::parse(text);
  const Json* base = document.find("base_code");
  const Json* magic = base ? base->find("magic") : nullptr;
  PADDLE_CHECK_VALUE(magic && magic->text() == "pir",
                     "program file: Invalid model file; it has no 'pir' header.");
  const int64_t version = base->at("version").integer();
  PADDLE_CHECK_VALUE(version >= 1 && version <= kSavedVersion, "program file: version ", version,
                     " is unknown; versions 1 to ", kSavedVersion, " can be read.");
  if (file_version) *file_version = static_cast<int>(version);
  auto program = std::make_unique<Program>();
  const Json::Array& regions = document.at("program").at("regions").array();
  PADDLE_CHECK_VALUE(regions.size() == 1 && regions[0].at("blocks").array().size() == 1,
                     "program file: one region with one block is expected.");
  Loader().block(regions[0].at("blocks").array()[0], program->block());
  return program;
}

std::string program_to_json(const Program& program) {
  return str("{\"base_code\":{\"magic\":\"pir\",\"trainable\":true,\"version\":", kSavedVersion,
             "},\"program\":{\"regions\":[{\"#\":\"region_0\",\"blocks\":[",
             Writer().block(program.block()), "]}]}}");
}

}  // namespace paddle::pir
