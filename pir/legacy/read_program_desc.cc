// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// ProgramDesc from bytes. Field numbers are those of paddle.framework.proto; fields that carry no
// meaning for running a program are skipped.
#include "pir/legacy/read_program_desc.h"

#include <algorithm>

#include "paddle_core/base/error.h"
#include "pir/legacy/protobuf_reader.h"

namespace paddle::pir {
namespace {

constexpr int64_t kMaxLevels = 8;

void read_tensor_desc(ProtobufReader r, VarDesc& var) {
  while (r.next()) {
    if (r.field() == 1) {
      const int64_t number = r.integer();
      var.dtype = number >= 0 && number < 256 ? dtype_from_disk_number(static_cast<int>(number))
                                              : DType::kUndefined;
    } else if (r.field() == 2) {
      r.integers([&](int64_t v) { var.dims.push_back(v); });
    }
  }
}

void read_var_type(ProtobufReader r, VarDesc& var) {
  while (r.next()) {
    if (r.field() == 1) {
      var.kind = r.integer();
    } else if (r.field() == 3 || r.field() == 4) {  // a tensor, an array
      for (ProtobufReader dense = r.message("DenseTensorDesc"); dense.next();) {
        if (dense.field() == 1) read_tensor_desc(dense.message("TensorDesc"), var);
        if (dense.field() == 2) var.levels = dense.integer();
      }
    }
  }
}

VarDesc read_var(ProtobufReader r) {
  VarDesc var;
  while (r.next()) {
    if (r.field() == 1) var.name = r.bytes();
    if (r.field() == 2) read_var_type(r.message("VarType"), var);
    if (r.field() == 3) var.persistable = r.integer() != 0;
  }
  PADDLE_CHECK_VALUE(var.dims.size() <= kMaxRank, "program file: variable ", var.name, " has rank ",
                     var.dims.size(), "; the largest is ", kMaxRank, '.');
  PADDLE_CHECK_VALUE(var.levels >= 0 && var.levels <= kMaxLevels, "program file: variable ",
                     var.name, " has ", var.levels, " levels of offsets; the most are ", kMaxLevels,
                     '.');
  // Exporters wrote products of unknown extents as other negative numbers.
  for (int64_t& d : var.dims) d = std::max<int64_t>(d, -1);
  return var;
}

void read_scalar(ProtobufReader r, AttrDesc& attr) {
  int64_t type = 0, whole = 0;
  double real = 0;
  while (r.next()) {
    if (r.field() == 1) type = r.integer();
    if (r.field() == 2 || r.field() == 3) whole = r.integer();
    if (r.field() == 4) real = r.float64();
  }
  PADDLE_CHECK_KIND(ErrorKind::kNotImplemented, type >= 1 && type <= 3,
                    "program file: an attribute is a scalar of type ", type,
                    "; bool, integer and real numbers can be read.");
  // Lists of scalars may mix kinds: they are kept as reals then.
  const bool is_real = type == 3;
  attr.is_bool = type == 1;
  if (is_real && attr.kind == AttrDesc::Kind::kInts) {
    attr.kind = AttrDesc::Kind::kReals;
    attr.reals.assign(attr.ints.begin(), attr.ints.end());
  }
  if (attr.kind == AttrDesc::Kind::kReals) {
    attr.reals.push_back(is_real ? real : static_cast<double>(whole));
  } else {
    attr.ints.push_back(whole);
  }
}

// What the fields of OpDesc.Attr hold.
void read_attr_value(const ProtobufReader& r, AttrDesc& attr) {
  using Kind = AttrDesc::Kind;
  const uint32_t field = r.field();
  const auto is = [&](std::initializer_list<uint32_t> fields) {
    for (const uint32_t f : fields) {
      if (f == field) return true;
    }
    return false;
  };
  if (is({6, 7, 8, 11, 14, 15, 16, 18, 21})) attr.is_list = true;
  if (is({3, 6, 10, 11, 13, 15})) {
    attr.kind = Kind::kInts;
    attr.is_bool = is({10, 11});
    r.integers([&](int64_t v) { attr.ints.push_back(v); });
  } else if (is({12, 14})) {
    attr.kind = Kind::kBlock;
    r.integers([&](int64_t v) { attr.ints.push_back(v); });
  } else if (is({4, 7})) {
    attr.kind = Kind::kReals;
    r.floats32([&](double v) { attr.reals.push_back(v); });
  } else if (is({16, 19})) {
    attr.kind = Kind::kReals;
    r.floats64([&](double v) { attr.reals.push_back(v); });
  } else if (is({5, 8})) {
    attr.kind = Kind::kTexts;
    attr.texts.emplace_back(r.bytes());
  } else if (is({17, 18})) {
    attr.kind = Kind::kVars;
    attr.texts.emplace_back(r.bytes());
  } else if (is({20, 21})) {
    read_scalar(r.message("Scalar"), attr);
  }
}

// An empty list has no field of its own; the type says what it is a list of.
void set_kind_of_type(int64_t type, AttrDesc& attr) {
  using Kind = AttrDesc::Kind;
  constexpr Kind kinds[] = {Kind::kInts,  Kind::kReals, Kind::kTexts, Kind::kInts,  Kind::kReals,
                            Kind::kTexts, Kind::kInts,  Kind::kInts,  Kind::kBlock, Kind::kInts,
                            Kind::kBlock, Kind::kInts,  Kind::kReals, Kind::kVars,  Kind::kVars,
                            Kind::kReals, Kind::kInts,  Kind::kInts};
  const bool known = type >= 0 && type < static_cast<int64_t>(std::size(kinds));
  PADDLE_CHECK_VALUE(known, "program file: an attribute has the unknown type ", type, '.');
  if (!attr.ints.empty() || !attr.reals.empty() || !attr.texts.empty()) return;
  attr.kind = kinds[type];
  attr.is_list = true;
}

void read_attr(ProtobufReader r, OpDesc& op) {
  std::string name;
  AttrDesc attr;
  int64_t type = 0;
  while (r.next()) {
    if (r.field() == 1) {
      name = r.bytes();
    } else if (r.field() == 2) {
      type = r.integer();
    } else {
      read_attr_value(r, attr);
    }
  }
  set_kind_of_type(type, attr);
  op.attributes.insert_or_assign(std::move(name), std::move(attr));
}

template <typename Slots>
void read_slot(ProtobufReader r, Slots& slots) {
  std::string name;
  std::vector<std::string> arguments;
  while (r.next()) {
    if (r.field() == 1) name = r.bytes();
    if (r.field() == 2) arguments.emplace_back(r.bytes());
  }
  slots.insert_or_assign(std::move(name), std::move(arguments));
}

OpDesc read_op(ProtobufReader r) {
  OpDesc op;
  while (r.next()) {
    if (r.field() == 1) read_slot(r.message("OpDesc.Var"), op.inputs);
    if (r.field() == 2) read_slot(r.message("OpDesc.Var"), op.outputs);
    if (r.field() == 3) op.type = r.bytes();
    if (r.field() == 4) read_attr(r.message("OpDesc.Attr"), op);
  }
  PADDLE_CHECK_VALUE(!op.type.empty(), "program file: an operator has no type.");
  return op;
}

BlockDesc read_block(ProtobufReader r) {
  BlockDesc block;
  while (r.next()) {
    if (r.field() == 2) block.parent = r.integer();
    if (r.field() == 3) {
      VarDesc var = read_var(r.message("VarDesc"));
      std::string name = var.name;
      block.vars.insert_or_assign(std::move(name), std::move(var));
    }
    if (r.field() == 4) block.ops.push_back(read_op(r.message("OpDesc")));
  }
  return block;
}

}  // namespace

ProgramDesc parse_program_desc(std::string_view bytes) {
  ProgramDesc program;
  for (ProtobufReader r(bytes, "ProgramDesc"); r.next();) {
    if (r.field() == 1) program.blocks.push_back(read_block(r.message("BlockDesc")));
    if (r.field() == 4) {
      for (ProtobufReader v = r.message("Version"); v.next();) {
        if (v.field() == 1) program.version = v.integer();
      }
    }
  }
  PADDLE_CHECK_VALUE(!program.blocks.empty(),
                     "program file: it holds no block; it is neither a program of PaddlePaddle 3 "
                     "(.json) nor one of PaddlePaddle 2 (.pdmodel).");
  return program;
}

}  // namespace paddle::pir
