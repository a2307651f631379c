// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// OpenCL C. 16-bit floats are converted at loads and stores; a shuffle goes through local memory,
// as subgroups are an extension.
#include <bit>
#include <cstdio>
#include <functional>
#include <sstream>

#include "cinn/codegen/block_emitter.h"
#include "cinn/codegen/blocks.h"

namespace paddle::cinn {
namespace {

constexpr const char* kPrelude = R"(
#define INTEGERS(T, U)                                                                     \
  T divided_##T(T a, T b) { return b == 0 ? (T)0 : b == (T)-1 ? (T)(a * b) : (T)(a / b); } \
  T floored_##T(T a, T b) {                                                                \
    const T q = divided_##T(a, b), r = (T)((U)a - (U)q * (U)b);                            \
    return b != 0 && r != 0 && (r < 0) != (b < 0) ? (T)(q - 1) : q;                        \
  }                                                                                        \
  T modulo_##T(T a, T b) { return b == 0 ? (T)0 : (T)((U)a - (U)floored_##T(a, b) * (U)b); }
INTEGERS(char, uchar)
INTEGERS(short, ushort)
INTEGERS(int, uint)
INTEGERS(long, ulong)
uchar divided_uchar(uchar a, uchar b) { return b == 0 ? 0 : a / b; }
uchar floored_uchar(uchar a, uchar b) { return divided_uchar(a, b); }
uchar modulo_uchar(uchar a, uchar b) { return b == 0 ? 0 : a % b; }
float from_bfloat16(ushort x) { return as_float((uint)x << 16); }
ushort to_bfloat16(float x) {
  const uint bits = as_uint(x);
  return (ushort)(isnan(x) ? (bits >> 16) | 0x40u : (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}
float from_float16(ushort x) { return vload_half(0, (const __private half*)&x); }
ushort to_float16(float x) {
  ushort bits;
  vstore_half_rte(x, 0, (__private half*)&bits);
  return bits;
}
)";

const char* type_name(DType type) {
  switch (type) {
    case DType::kBool:
      return "bool";
    case DType::kUInt8:
      return "uchar";
    case DType::kInt8:
      return "char";
    case DType::kInt16:
      return "short";
    case DType::kInt32:
      return "int";
    case DType::kInt64:
      return "long";
    case DType::kFloat32:
      return "float";
    case DType::kFloat64:
      return "double";
    default:
      throw_error(ErrorKind::kRuntime, str("cinn: OpenCL code does not compute in ", type, "."));
  }
}

const char* memory_type(DType type) {
  if (type == DType::kBool) return "uchar";
  return type == DType::kFloat16 || type == DType::kBFloat16 ? "ushort" : type_name(type);
}

std::string unsigned_name(DType type) {
  return type == DType::kUInt8 ? "uchar" : str("u", type_name(type));
}

class OpenClEmitter final : public BlockEmitter<std::string> {
 public:
  explicit OpenClEmitter(const Kernel& kernel) : BlockEmitter(kernel) {}

  BlockSource emit() {
    BlockSource source;
    for (const Buffer& b : kernel_.buffers) {
      if (b.dtype == DType::kFloat64) {
        out_ << "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n";
        break;
      }
    }
    out_ << kPrelude;
    for (size_t i = 0; i < kernel_.stages.size(); ++i) source.entries.push_back(emit_stage(i));
    source.text = std::move(out_).str();
    return source;
  }

 private:
  using Strings = std::vector<std::string>;
  const Buffer& buffer(int64_t i) const { return kernel_.buffers[static_cast<size_t>(i)]; }
  static bool is_fixed(const Buffer& b) {
    return b.space == Space::kShared && b.elements->op == ExprOp::kConstant;
  }

  BlockEntry emit_stage(size_t number) {
    const Stage& stage = kernel_.stages[number];
    BlockEntry entry{
        str("stage_", number), stage.threads, stage.tasks, kernel_.pool->integer(0), {}};
    out_ << "\n__kernel __attribute__((reqd_work_group_size(" << stage.threads << ", 1, 1)))\n"
         << "void " << entry.name << "(";
    depth_ = 1;
    std::string fixed;
    for (size_t i = 0; i < kernel_.buffers.size(); ++i) {
      const Buffer& b = kernel_.buffers[i];
      const char* type = memory_type(b.dtype);
      const auto n = static_cast<int64_t>(i);
      if (is_fixed(b)) {
        fixed += str("  __local ", type, " b", i, "[", b.elements->integer, "];\n");
        continue;
      }
      const bool shared = b.space == Space::kShared;
      out_ << (shared                     ? "__local "
               : b.space == Space::kInput ? "const __global "
                                          : "__global ")
           << type << "* restrict b" << i << (b.space == Space::kScratch ? "_all" : "") << ", ";
      entry.arguments.push_back(
          {shared ? BlockArgument::Kind::kShared : BlockArgument::Kind::kBuffer, n});
    }
    for (size_t i = 0; i < kernel_.sizes.size(); ++i) {
      out_ << "const long n" << i << ", ";
      entry.arguments.push_back({BlockArgument::Kind::kSize, static_cast<int64_t>(i)});
    }
    entry.arguments.push_back({BlockArgument::Kind::kFailed});
    out_ << "__global int* failed) {\n"
         << fixed << "  __local ulong exchange[" << stage.threads << "];\n"
         << "  const long task = (long)get_group_id(0), thread = (long)get_local_id(0);\n";
    for (size_t i = 0; i < kernel_.buffers.size(); ++i) {
      const Buffer& b = kernel_.buffers[i];
      if (b.space != Space::kScratch) continue;
      out_ << "  __global " << memory_type(b.dtype) << "* b" << i << " = b" << i
           << "_all + task * (" << c_text(b.elements) << ");\n";
    }
    emit_stage_body(stage, "task");
    out_ << "}\n";
    return entry;
  }
  // Of an expression of sizes.
  std::string c_text(Expr e) {
    if (e->op == ExprOp::kConstant) return emit_constant(e);
    if (e->op == ExprOp::kSize) return emit_size(e->integer);
    Strings args;
    for (Expr a : e->args) args.push_back(c_text(a));
    return "(" + expression(e, args) + ")";
  }

  std::ostream& line() { return out_ << std::string(static_cast<size_t>(depth_) * 2, ' '); }
  std::string named(DType type, const std::string& expression) {
    const std::string name = str("v", num_values_++);
    line() << "const " << type_name(type) << ' ' << name << " = " << expression << ";\n";
    return name;
  }

  // -- values --
  std::string emit_constant(Expr e) override {
    char text[64];
    if (e->type == DType::kFloat32) {
      std::snprintf(text, sizeof(text), "as_float(0x%08xu)",
                    std::bit_cast<uint32_t>(static_cast<float>(e->real)));
      return text;
    }
    if (e->type == DType::kFloat64) {
      return str("as_double(", std::bit_cast<uint64_t>(e->real), "ul)");
    }
    if (e->type == DType::kBool) return e->integer ? "true" : "false";
    // The least number has no literal of its own.
    if (e->integer == INT64_MIN) return "(-9223372036854775807L - 1L)";
    return str("((", type_name(e->type), ")", e->integer, e->type == DType::kInt64 ? "L" : "", ")");
  }
  std::string emit_size(int64_t number) override { return str("n", number); }
  std::string emit_thread() override { return "thread"; }
  std::string emit_operation(Expr e, const Strings& args) override {
    return named(e->type, expression(e, args));
  }

  std::string cast(Expr e, const std::string& x) const {
    const DType from = e->args[0]->type, to = e->type;
    if (is_floating(from) && !is_floating(to))
      return str("convert_", type_name(to), "_sat_rtz(", x, ")");
    return str("(", type_name(to), ")", x);
  }
  // Integers wrap, which C says of unsigned ones only.
  static std::string wrapping(DType type, const std::string& a, const char* sign,
                              const std::string& b) {
    const std::string u = unsigned_name(type);
    return str("(", type_name(type), ")((", u, ")", a, " ", sign, " (", u, ")", b, ")");
  }

  std::string expression(Expr e, const Strings& x) const {
    const DType type = e->args[0]->type;
    const bool real = is_floating(type), truth = type == DType::kBool;
    const std::string t = type_name(type);
    const auto call = [&](const std::string& name) {
      std::string text = name + "(";
      for (size_t i = 0; i < x.size(); ++i) text += (i ? ", " : "") + x[i];
      return text + ")";
    };
    const auto infix = [&](const char* sign) { return str(x[0], " ", sign, " ", x[1]); };
    const auto arithmetic = [&](const char* sign) {
      return real ? infix(sign) : wrapping(type, x[0], sign, x[1]);
    };
    const auto bits = [&](const char* sign) { return str("(", t, ")(", infix(sign), ")"); };
    switch (e->op) {
      case ExprOp::kNegate:
        return real ? "-" + x[0] : wrapping(type, "0", "-", x[0]);
      case ExprOp::kAbs:
        return real ? call("fabs") : str("(", t, ")abs(", x[0], ")");
      case ExprOp::kSqrt:
        return call("sqrt");
      case ExprOp::kFloor:
        return call("floor");
      case ExprOp::kCeil:
        return call("ceil");
      case ExprOp::kTrunc:
        return call("trunc");
      case ExprOp::kRoundEven:
        return call("rint");
      case ExprOp::kNot:
        return truth ? "!" + x[0] : str("(", t, ")~", x[0]);
      case ExprOp::kCast:
        return cast(e, x[0]);
      case ExprOp::kBitcast:
        return call(str("as_", type_name(e->type)));
      case ExprOp::kRound16: {
        const char* kind =
            static_cast<DType>(e->integer) == DType::kBFloat16 ? "bfloat16" : "float16";
        return str("from_", kind, "(to_", kind, "(", x[0], "))");
      }
      case ExprOp::kAdd:
        return arithmetic("+");
      case ExprOp::kSubtract:
        return arithmetic("-");
      case ExprOp::kMultiply:
        return arithmetic("*");
      case ExprOp::kDivide:
        return real ? infix("/") : call("divided_" + t);
      case ExprOp::kFloorDivide:
        return call("floored_" + t);
      case ExprOp::kModulo:
        return call("modulo_" + t);
      case ExprOp::kMin:
      case ExprOp::kMax: {
        const char* sign = e->op == ExprOp::kMin ? "<" : ">";
        const std::string chosen = str(x[0], " ", sign, " ", x[1], " ? ", x[0], " : ", x[1]);
        return real ? str("isnan(", x[0], ") ? ", x[0], " : (", chosen, ")") : chosen;
      }
      case ExprOp::kCopySign:
        return call("copysign");
      case ExprOp::kAnd:
        return bits("&");
      case ExprOp::kOr:
        return bits("|");
      case ExprOp::kXor:
        return bits("^");
      case ExprOp::kShiftLeft:
        return wrapping(type, x[0], "<<", x[1]);
      case ExprOp::kShiftRight:
        return wrapping(type, x[0], ">>", x[1]);
      case ExprOp::kShiftRightArithmetic:
        return bits(">>");
      case ExprOp::kLess:
        return infix("<");
      case ExprOp::kLessEqual:
        return infix("<=");
      case ExprOp::kEqual:
        return infix("==");
      case ExprOp::kNotEqual:
        return infix("!=");
      case ExprOp::kSelect:
        return str(x[0], " ? ", x[1], " : ", x[2]);
      case ExprOp::kFma:
        return call("fma");
      default:
        throw_error(ErrorKind::kRuntime,
                    str("cinn: ", name_of(e->op), " has no meaning in OpenCL code."));
    }
  }

  std::string emit_shuffle(Expr e, const std::string& x) override {
    const char* type = e->type == DType::kBool ? "uchar" : type_name(e->type);
    const std::string place = str("((__local ", type, "*)exchange)");
    line() << place << "[thread] = " << x << ";\n";
    line() << "barrier(CLK_LOCAL_MEM_FENCE);\n";
    const std::string name = named(e->type, str(place, "[thread ^ ", e->args[1]->integer, "L]"));
    line() << "barrier(CLK_LOCAL_MEM_FENCE);\n";
    return name;
  }

  // -- registers --
  static std::string name_of_register(Register r) {
    return r.second < 0 ? str("r", r.first) : str("r", r.first, "_", r.second);
  }
  void declare(Register r, DType type, const std::string& value) override {
    line() << type_name(type) << ' ' << name_of_register(r) << " = " << value << ";\n";
  }
  void assign(Register r, DType, const std::string& value) override {
    line() << name_of_register(r) << " = " << value << ";\n";
  }
  // A copy: what is known of a register is its value at this point.
  std::string read(Register r, DType type) override { return named(type, name_of_register(r)); }

  // -- memory --
  static std::string from_memory(DType stored, const std::string& x) {
    if (stored == DType::kBool) return x + " != 0";
    if (stored == DType::kBFloat16) return "from_bfloat16(" + x + ")";
    return stored == DType::kFloat16 ? "from_float16(" + x + ")" : x;
  }
  static std::string to_memory(DType stored, const std::string& x) {
    if (stored == DType::kBFloat16) return "to_bfloat16(" + x + ")";
    return stored == DType::kFloat16 ? "to_float16(" + x + ")" : x;
  }
  static DType computed_in(DType type) {
    return type == DType::kFloat16 || type == DType::kBFloat16 ? DType::kFloat32 : type;
  }
  std::string space_of(int64_t i) const {
    return buffer(i).space == Space::kShared ? "__local " : "__global ";
  }
  Strings load(int64_t number, const std::string& index, int count) override {
    const DType stored = buffer(number).dtype, type = computed_in(stored);
    if (count == 1) return {named(type, from_memory(stored, str("b", number, "[", index, "]")))};
    const std::string wide = str(memory_type(stored), count), name = str("v", num_values_++);
    line() << "const " << wide << ' ' << name << " = *(const " << space_of(number) << wide << "*)(b"
           << number << " + " << index << ");\n";
    Strings values;
    for (int i = 0; i < count; ++i) {
      const std::string lane = name + ".s" + "0123456789abcdef"[i];
      values.push_back(named(type, from_memory(stored, lane)));
    }
    return values;
  }
  void store(int64_t number, const std::string& index, const Strings& values) override {
    const DType stored = buffer(number).dtype;
    if (values.size() == 1) {
      line() << 'b' << number << '[' << index << "] = " << to_memory(stored, values[0]) << ";\n";
      return;
    }
    const std::string wide = str(memory_type(stored), values.size());
    line() << "*(" << space_of(number) << wide << "*)(b" << number << " + " << index << ") = ("
           << wide << ")(";
    for (size_t i = 0; i < values.size(); ++i) {
      out_ << (i ? ", " : "") << to_memory(stored, values[i]);
    }
    out_ << ");\n";
  }

  // -- control --
  std::string begin_loop(const std::string& first, const std::string& extent,
                         int64_t step) override {
    const std::string name = str("i", num_values_++);
    line() << "for (long " << name << " = " << first << "; " << name << " < " << extent << "; "
           << name << " += " << step << ") {\n";
    ++depth_;
    return name;
  }
  void end_loop() override {
    --depth_;
    line() << "}\n";
  }
  void begin_if(const std::string& condition) override {
    line() << "if (" << condition << ") {\n";
    ++depth_;
  }
  void end_if() override { end_loop(); }
  void emit_barrier() override {
    line() << "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);\n";
  }
  void fail_unless(const std::string& condition) override {
    line() << "if (!" << condition << ") *failed = 1;\n";
  }

  std::ostringstream out_;
  int depth_ = 0;
  size_t num_values_ = 0;
};

}  // namespace

BlockSource opencl_source(const Kernel& kernel) { return OpenClEmitter(kernel).emit(); }

}  // namespace paddle::cinn
