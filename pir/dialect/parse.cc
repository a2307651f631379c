// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Reader of the textual form. Symbolic extents must be plain symbols; equal names are one symbol.
#include <charconv>
#include <map>
#include <unordered_map>

#include "paddle_core/shape/sym.h"
#include "pir/dialect/dialect.h"
#include "pir/ir/extension_type.h"

namespace paddle::pir {
namespace {

constexpr int kMaxDepth = 64;

using Symbols = std::map<std::string, Dim>;

// The body of an extension type is read by its library, whose types it reads with parse_type(): the
// symbols in them are those of the text around.
struct Surroundings {
  Symbols* symbols = nullptr;
  int depth = 0;
};
thread_local Surroundings around;

class Parser {
 public:
  explicit Parser(std::string_view text)
      : text_(text), symbols_(around.symbols ? *around.symbols : own_symbols_) {}

  void block(Block& into, int depth) {
    require(depth < kMaxDepth, "regions are nested too deeply");
    for (space(); at_ < text_.size() && text_[at_] == '('; space()) operation(into, depth);
  }
  Type one_type() {
    const Type t = type();
    require(done(), "text follows a type");
    return t;
  }
  bool done() {
    space();
    return at_ == text_.size();
  }

 private:
  void require(bool ok, std::string_view what) {
    if (ok) return;
    size_t line = 1;
    for (size_t i = 0; i < at_ && i < text_.size(); ++i) line += text_[i] == '\n';
    throw_error(ErrorKind::kValue, str("program text, line ", line, ": ", what, '.'));
  }
  // Blanks and comments: // to the end of the line.
  void space() {
    while (at_ < text_.size()) {
      if (text_[at_] == ' ' || text_[at_] == '\n') {
        ++at_;
      } else if (text_.substr(at_).starts_with("//")) {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else {
        return;
      }
    }
  }
  bool take(std::string_view token) {
    space();
    if (!text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }
  void expect(std::string_view token) { require(take(token), str("'", token, "' is expected")); }
  std::string word() {
    space();
    const size_t begin = at_;
    while (at_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_')) {
      ++at_;
    }
    require(at_ > begin, "a name is expected");
    return std::string(text_.substr(begin, at_ - begin));
  }
  std::string quoted_text() {
    expect("\"");
    std::string out;
    while (true) {
      require(at_ < text_.size(), "a string does not end");
      char c = text_[at_++];
      if (c == '"') return out;
      if (c == '\\' && at_ < text_.size()) c = text_[at_++] == 'n' ? '\n' : text_[at_ - 1];
      out += c;
    }
  }
  // A number's text: sign, digits, point, exponent, or nan and inf.
  std::string_view number_text() {
    space();
    const size_t begin = at_;
    constexpr std::string_view allowed = "0123456789+-.enaif";
    while (at_ < text_.size() && allowed.find(text_[at_]) != std::string_view::npos) ++at_;
    require(at_ > begin, "a number is expected");
    return text_.substr(begin, at_ - begin);
  }
  int64_t integer(std::string_view t) {
    int64_t v = 0;
    const auto r = std::from_chars(t.data(), t.data() + t.size(), v);
    require(r.ec == std::errc() && r.ptr == t.data() + t.size(), "an integer is expected");
    return v;
  }
  double real(std::string_view t) {
    double v = 0;
    const auto r = std::from_chars(t.data(), t.data() + t.size(), v);
    require(r.ec == std::errc() && r.ptr == t.data() + t.size(), "a number is expected");
    return v;
  }
  Dim dim() {
    space();
    if (at_ < text_.size() && text_[at_] == 's') {
      const size_t start = at_++;
      while (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_]))) ++at_;
      const std::string name(text_.substr(start, at_ - start));
      const auto found = symbols_.find(name);
      if (found != symbols_.end()) return found->second;
      SymbolScope* scope = SymbolScope::current();
      return symbols_[name] = scope ? scope->fresh() : Dim(-1);
    }
    const size_t begin = at_;
    if (at_ < text_.size() && text_[at_] == '-') ++at_;
    while (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_]))) ++at_;
    return Dim(integer(text_.substr(begin, at_ - begin)));
  }

  Type type(int depth = 0) {
    require(depth < kMaxDepth, "types are nested too deeply");
    if (take("null")) return Type();
    if (take("vec<")) {
      std::vector<Type> elements;
      while (!take(">")) {
        if (!elements.empty()) expect(",");
        elements.push_back(type(depth + 1));
      }
      return Type::vector(std::move(elements));
    }
    if (take("!")) return extension();
    expect("tensor<");
    Shape shape;
    while (true) {
      const size_t before = at_;
      const size_t x = text_.find('x', at_);
      const size_t end = text_.find_first_of(",>", at_);
      if (x == std::string_view::npos || x > end || dtype_follows()) break;
      require(before != std::string_view::npos, "a type is cut short");
      require(shape.size() < kMaxRank, "a type has too many extents");
      shape.push_back(dim());
      expect("x");
    }
    const DType dtype = dtype_from_name(word());
    require(dtype != DType::kUndefined, "a data type is unknown");
    Place place;
    if (take(",")) place = place_from_text(quoted_text());
    expect(">");
    return Type::tensor(dtype, shape, place);
  }
  // dialect.type<body>: angle brackets pair up in the body, except in strings.
  Type extension() {
    const size_t begin = at_;
    const size_t open = text_.find('<', at_);
    require(open != std::string_view::npos, "a type has no '<'");
    const std::string name(text_.substr(begin, open - begin));
    at_ = open + 1;
    for (int depth = 1; depth > 0; ++at_) {
      require(at_ < text_.size(), "a type does not end");
      const char c = text_[at_];
      depth += c == '<' ? 1 : c == '>' ? -1 : 0;
      if (c != '"') continue;
      quoted_text();
      --at_;
    }
    require(around.depth < kMaxDepth, "types are nested too deeply");
    struct Within {
      explicit Within(Symbols* symbols) : before(around) { around = {symbols, before.depth + 1}; }
      ~Within() { around = before; }
      Surroundings before;
    } within(&symbols_);
    return extension_type(name, text_.substr(open + 1, at_ - open - 2));
  }
  bool dtype_follows() const {
    const size_t end = text_.find_first_of(",>", at_);
    return end != std::string_view::npos &&
           dtype_from_name(text_.substr(at_, end - at_)) != DType::kUndefined;
  }

  Shape dims() {
    Shape out;
    while (!take(">")) {
      if (!out.empty()) expect(",");
      out.push_back(dim());
    }
    return out;
  }

  Scalar scalar() {
    Scalar s;
    if (take("true")) {
      s = Scalar(true);
    } else if (take("false")) {
      s = Scalar(false);
    } else {
      const std::string_view t = number_text();
      const bool whole = t.find_first_of(".eni") == std::string_view::npos;
      s = whole ? Scalar(integer(t)) : Scalar(real(t));
      if (take(",")) s = Scalar(std::complex<double>(s.to_double(), real(number_text())));
    }
    expect(">");
    return s;
  }

  Attribute attribute(int depth = 0) {
    require(depth < kMaxDepth, "attributes are nested too deeply");
    space();
    if (at_ < text_.size() && text_[at_] == '"') return quoted_text();
    if (take("[")) {
      AttributeArray array;
      while (!take("]")) {
        if (!array.empty()) expect(",");
        array.push_back(attribute(depth + 1));
      }
      return array;
    }
    if (take("none")) return Attribute();
    if (take("true")) return true;
    if (take("false")) return false;
    if (take("ints<")) return dims();
    if (take("scalar<")) return scalar();
    if (take("dense<")) return dense();
    if (take("dtype<")) {
      const size_t end = text_.find('>', at_);
      require(end != std::string_view::npos, "a data type does not end");
      const DType t = dtype_from_name(text_.substr(at_, end - at_));
      at_ = end + 1;
      return t;
    }
    if (take("place<\"")) {
      --at_;
      const Place place = place_from_text(quoted_text());
      expect(">");
      return place;
    }
    if (take("place<") || take("complex<")) return pair(text_[at_ - 2] == 'x');
    const std::string_view t = number_text();
    expect(":");
    const std::string kind = word();
    if (kind == "i32") return static_cast<int32_t>(integer(t));
    if (kind == "i64") return integer(t);
    require(kind == "f32" || kind == "f64", "a number kind is unknown");
    if (kind == "f32") return Float32{real(t)};
    return real(t);
  }

  Attribute dense() {
    const Type t = type();
    require(t.is_tensor() && is_static(t.shape()), "constant values need a tensor type");
    expect(":");
    expect("[");
    require(!take("..."), "the values of a large constant are not in the text");
    std::vector<double> values;
    while (!take("]")) {
      if (!values.empty()) expect(",");
      if (take("true")) {
        values.push_back(1);
      } else {
        values.push_back(take("false") ? 0 : real(number_text()));
      }
    }
    expect(">");
    // Before any memory is taken: the extents must make up the number of values.
    size_t left = values.size();
    bool empty = false, fits = true;
    for (const Dim d : t.shape()) {
      require(d.value() >= 0, "a constant has a negative extent");
      const auto extent = static_cast<size_t>(d.value());
      empty = empty || extent == 0;
      fits = fits && extent != 0 && left % extent == 0;
      if (fits) left /= extent;
    }
    require(empty ? values.empty() : fits && left == 1, "a constant's size differs");
    Tensor out = Tensor::empty(t.shape(), t.dtype());
    switch (t.dtype()) {
      case DType::kBool:
        fill<bool>(out, values);
        break;
      case DType::kInt32:
        fill<int32_t>(out, values);
        break;
      case DType::kInt64:
        fill<int64_t>(out, values);
        break;
      case DType::kFloat32:
        fill<float>(out, values);
        break;
      default:
        require(t.dtype() == DType::kFloat64, "constants of this dtype are not in the text");
        fill<double>(out, values);
    }
    return DenseValues{out};
  }
  template <typename T>
  static void fill(const Tensor& out, const std::vector<double>& values) {
    for (size_t i = 0; i < values.size(); ++i) out.data<T>()[i] = static_cast<T>(values[i]);
  }

  Attribute pair(bool complex) {
    const std::string_view a = number_text();
    expect(",");
    const std::string_view b = number_text();
    expect(">");
    if (complex) return std::complex<double>(real(a), real(b));
    Place p;
    p.kind = integer(a) == 0 ? DeviceKind::kUndefined : DeviceKind::kCpu;
    p.index = static_cast<int16_t>(integer(b));
    return p;
  }

  std::vector<std::string> names() {
    std::vector<std::string> out;
    expect("(");
    while (!take(")")) {
      if (!out.empty()) expect(",");
      out.push_back(take("%") ? word() : (expect("_"), std::string()));
    }
    return out;
  }
  std::vector<Type> types() {
    std::vector<Type> out;
    expect("(");
    while (!take(")")) {
      if (!out.empty()) expect(",");
      out.push_back(type());
    }
    return out;
  }

  void operation(Block& into, int depth) {
    const std::vector<std::string> results = names();
    expect("=");
    const OpName name = quoted_text();
    std::vector<Value*> operands;
    for (const std::string& n : names()) {
      require(n.empty() || values_.contains(n), str("value %", n, " is not defined"));
      operands.push_back(n.empty() ? nullptr : values_[n]);
    }
    std::vector<NamedAttribute> attributes;
    expect("{");
    while (!take("}")) {
      if (!attributes.empty()) expect(",");
      std::string key = word();
      expect(":");
      attributes.emplace_back(std::move(key), attribute());
    }
    expect(":");
    types();
    expect("->");
    std::vector<Type> result_types = types();
    require(result_types.size() == results.size(), "results and result types differ in number");
    Builder b(into);
    Operation* op = b.create(name, operands, std::move(result_types), std::move(attributes));
    op->def = find_def(name);
    for (size_t k = 0; k < results.size(); ++k) values_[results[k]] = op->result(k);
    space();
    if (text_.substr(at_).starts_with("({")) regions(*op, depth);
  }

  void regions(Operation& op, int depth) {
    expect("(");
    do {
      expect("{");
      Region& region = op.add_region();
      while (take("^(")) {
        Block& inner = region.add_block();
        while (!take(")")) {
          if (inner.num_arguments()) expect(",");
          expect("%");
          const std::string name = word();
          expect(":");
          values_[name] = inner.add_argument(type());
        }
        block(inner, depth + 1);
      }
      expect("}");
    } while (take(","));
    expect(")");
  }

  std::string_view text_;
  size_t at_ = 0;
  std::unordered_map<std::string, Value*> values_;
  Symbols own_symbols_;
  Symbols& symbols_;
};

}  // namespace

std::unique_ptr<Program> parse(std::string_view text) {
  SymbolScope scope;
  auto program = std::make_unique<Program>();
  program->keep_symbols(scope.owner());
  Parser parser(text);
  parser.block(program->block(), 0);
  PADDLE_CHECK_VALUE(parser.done(), "program text: text follows the last operation.");
  return program;
}

Type parse_type(std::string_view text) { return Parser(text).one_type(); }

}  // namespace paddle::pir
