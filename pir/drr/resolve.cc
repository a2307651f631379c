// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Reading and checking of rules.
#include <charconv>
#include <set>

#include "pir/drr/statement.h"

namespace paddle::pir::drr {
namespace {

class Reader {
 public:
  Reader(const Rule& rule, std::string_view which, std::string_view text)
      : rule_(rule), which_(which), text_(text) {}

  std::vector<Statement> statements() {
    std::vector<Statement> all;
    while (true) {
      space();
      if (at_ == text_.size()) break;
      all.push_back(statement());
      space();
      if (at_ == text_.size()) break;
      expect(';');
    }
    require(!all.empty(), "holds no statement");
    return all;
  }

 private:
  void require(bool ok, const std::string& what) const {
    PADDLE_CHECK_VALUE(ok, "rule ", rule_.name, ": its ", which_, " ", what, " (at character ", at_,
                       " of \"", text_, "\").");
  }
  void space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }
  bool take(char c) {
    space();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) { require(take(c), str("needs '", c, "' here")); }
  static bool is_name_char(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
  }
  std::string name() {
    space();
    const size_t begin = at_;
    while (at_ < text_.size() && is_name_char(text_[at_])) ++at_;
    require(at_ > begin, "needs a name here");
    return std::string(text_.substr(begin, at_ - begin));
  }

  Statement statement() {
    Statement s;
    do {
      s.results.push_back(name());
    } while (take(','));
    expect('=');
    const std::string callee = name();
    if (!take('(')) {
      s.alias = callee;
      require(s.results.size() == 1, "names several values for one");
      return s;
    }
    s.def = find_def("pd_op." + callee);
    require(s.def != nullptr, str("names operator ", callee, ", which does not exist"));
    require(!s.def->has(kRandom | kSideEffect) && !s.def->is_native_inplace(),
            str("names operator ", callee,
                ", which draws random numbers, has side effects or writes in place; such operators "
                "are not rewritten"));
    require(s.results.size() <= s.def->num_results,
            str("names ", s.results.size(), " results of ", callee, ", which has ",
                int{s.def->num_results}));
    require(!s.def->list_result, str("names operator ", callee, ", whose result is a list"));
    arguments(s);
    return s;
  }

  void arguments(Statement& s) {
    const auto& specs = s.def->schema().args;
    s.args.resize(specs.size());
    size_t next = 0;
    bool named = false;
    while (!take(')')) {
      if (next || named) expect(',');
      size_t position = next;
      const size_t before = at_;
      space();
      if (at_ < text_.size() && is_name_char(text_[at_]) && !std::isdigit(text_[at_])) {
        const std::string word = name();
        if (take('=')) {
          const int found = s.def->schema().arg_index(word);
          require(found >= 0,
                  str("gives ", s.def->name(), " the argument ", word, ", which it does not have"));
          position = static_cast<size_t>(found);
          named = true;
        } else {
          at_ = before;
        }
      }
      require(position < specs.size(), str("gives ", s.def->name(), " too many arguments"));
      require(s.args[position].kind == Argument::Kind::kOmitted,
              str("gives ", s.def->name(), " the argument ", specs[position].name, " twice"));
      s.args[position] = argument(*s.def, specs[position]);
      next = position + 1;
    }
  }

  Argument argument(const OpDef& def, const ArgSpec& spec) {
    Argument a = value();
    const bool constant = a.kind == Argument::Kind::kLiteral ||
                          a.kind == Argument::Kind::kVariable ||
                          a.kind == Argument::Kind::kComputed;
    const std::string where = str("gives argument ", spec.name, " of ", def.name());
    require(!constant || !spec.is_tensor(), where + " a constant; it takes a value");
    require(constant || is_operand(spec), where + " a value; it takes a constant");
    require(a.kind != Argument::Kind::kAbsent || spec.optional,
            where + " nothing; it is not optional");
    if (a.kind == Argument::Kind::kLiteral) {
      require(fits(spec, a.literal),
              str(where, " a constant of the wrong type; it takes ", type_name(spec.type)));
    }
    return a;
  }

  static bool fits(const ArgSpec& spec, const Attribute& v) {
    using Kind = Attribute::Kind;
    switch (spec.type) {
      case ArgType::kBool:
        return v.is(Kind::kBool);
      case ArgType::kInt:
      case ArgType::kInt64:
        return v.is(Kind::kI64);
      case ArgType::kFloat:
      case ArgType::kDouble:
        return v.is(Kind::kF64) || v.is(Kind::kI64);
      case ArgType::kString:
        return v.is(Kind::kString);
      case ArgType::kDType:
        return v.is(Kind::kDType);
      case ArgType::kScalar:
        return v.is(Kind::kF64) || v.is(Kind::kI64) || v.is(Kind::kBool);
      case ArgType::kIntArray:
      case ArgType::kInts:
      case ArgType::kInt64s:
        return v.is(Kind::kIntArray);
      default:
        return false;
    }
  }

  Argument value() {
    space();
    require(at_ < text_.size(), "ends inside of a statement");
    Argument a;
    const char c = text_[at_];
    if (c == '$' || c == '@') {
      ++at_;
      a.kind = c == '$' ? Argument::Kind::kVariable : Argument::Kind::kComputed;
      a.name = name();
      return a;
    }
    a.kind = Argument::Kind::kLiteral;
    if (c == '"') {
      const size_t end = text_.find('"', at_ + 1);
      require(end != std::string_view::npos, "has a string that does not end");
      a.literal = std::string(text_.substr(at_ + 1, end - at_ - 1));
      at_ = end + 1;
      return a;
    }
    if (c == '[') {
      Shape dims;
      ++at_;
      while (!take(']')) {
        if (!dims.empty()) expect(',');
        dims.push_back(Dim(number().to_int()));
      }
      a.literal = dims;
      return a;
    }
    if (std::isdigit(static_cast<unsigned char>(c)) || c == '-') {
      a.literal = number();
      return a;
    }
    const std::string word = name();
    if (word == "true" || word == "false") {
      a.literal = word == "true";
    } else if (const DType t = dtype_from_name(word); t != DType::kUndefined) {
      a.literal = t;
    } else if (word == "_") {
      a.kind = Argument::Kind::kAbsent;
    } else {
      a.kind = Argument::Kind::kValue;
      a.name = word;
    }
    return a;
  }

  Attribute number() {
    space();
    const size_t begin = at_;
    while (at_ < text_.size() &&
           std::string_view("0123456789+-.e").find(text_[at_]) != std::string_view::npos) {
      ++at_;
    }
    const std::string_view t = text_.substr(begin, at_ - begin);
    const char* last = t.data() + t.size();
    int64_t whole = 0;
    if (std::from_chars(t.data(), last, whole).ptr == last && !t.empty()) return whole;
    double real = 0;
    require(std::from_chars(t.data(), last, real).ptr == last && !t.empty(), "needs a number here");
    return real;
  }

  const Rule& rule_;
  std::string_view which_, text_;
  size_t at_ = 0;
};

class Checker {
 public:
  Checker(const Rule& rule, Compiled& c) : rule_(rule), c_(c) {}

  void run() {
    source();
    connected();
    result();
  }

 private:
  void require(bool ok, const std::string& what) const {
    PADDLE_CHECK_VALUE(ok, "rule ", rule_.name, ": ", what, ".");
  }

  void source() {
    for (size_t i = 0; i < c_.source.size(); ++i) {
      const Statement& s = c_.source[i];
      require(s.def != nullptr, "a statement of its source calls no operator");
      for (const Argument& a : s.args) {
        require(a.kind != Argument::Kind::kComputed,
                str("its source computes @", a.name, "; only the result can"));
        if (a.kind == Argument::Kind::kVariable) variables_.insert(a.name);
        if (a.kind == Argument::Kind::kValue) values_.insert(a.name);
      }
      for (size_t k = 0; k < s.results.size(); ++k) {
        require(!values_.contains(s.results[k]),
                str("its source uses ", s.results[k],
                    " before its definition; statements stand in order, without cycles"));
        require(c_.produced.emplace(s.results[k], std::pair(i, k)).second,
                str("its source defines ", s.results[k], " twice"));
      }
      values_.insert(s.results.begin(), s.results.end());
    }
  }

  void connected() const {
    std::set<size_t> reached;
    reach(c_.source.size() - 1, reached);
    for (size_t i = 0; i < c_.source.size(); ++i) {
      require(reached.contains(i), str("its source defines ", c_.source[i].results[0],
                                       ", which the last statement does not use"));
    }
  }

  void reach(size_t i, std::set<size_t>& reached) const {
    if (!reached.insert(i).second) return;
    for (const Argument& a : c_.source[i].args) {
      const auto found =
          a.kind == Argument::Kind::kValue ? c_.produced.find(a.name) : c_.produced.end();
      if (found != c_.produced.end()) reach(found->second.first, reached);
    }
  }

  void result_argument(const Statement& s, size_t i) {
    const Argument& a = s.args[i];
    const ArgSpec& spec = s.def->schema().args[i];
    switch (a.kind) {
      case Argument::Kind::kValue:
        use_value(a.name);
        break;
      case Argument::Kind::kVariable:
        require(variables_.contains(a.name),
                str("its result uses $", a.name, ", which its source does not bind"));
        break;
      case Argument::Kind::kComputed:
        require(rule_.computes.contains(a.name),
                str("its result computes @", a.name, ", which has no function"));
        computed_.insert(a.name);
        break;
      case Argument::Kind::kOmitted:
        require(spec.optional || spec.has_default, str("its result gives ", s.def->name(), " no ",
                                                       spec.name, ", which has no default"));
        break;
      default:
        break;
    }
  }

  void use_value(const std::string& name) {
    require(made_.contains(name) || (values_.contains(name) && !is_root_result(name)),
            str("its result uses ", name, ", which nothing defines before it"));
    unused_.erase(name);
  }

  bool is_root_result(const std::string& name) const {
    const auto found = c_.produced.find(name);
    return found != c_.produced.end() && found->second.first + 1 == c_.source.size();
  }

  void result() {
    for (const Statement& s : c_.result) {
      if (!s.def) {
        require(is_root_result(s.results[0]),
                str("its result renames ", s.alias, " to ", s.results[0],
                    ", which is no result of the root"));
        use_value(s.alias);
      }
      for (size_t i = 0; i < s.args.size(); ++i) result_argument(s, i);
      for (const std::string& name : s.results) {
        require(is_root_result(name) || !values_.contains(name),
                str("its result defines ", name, ", a value of its source that is not the root's"));
        require(made_.insert(name).second, str("its result defines ", name, " twice"));
        if (!is_root_result(name)) unused_.insert(name);
      }
    }
    for (const std::string& name : c_.source.back().results) {
      require(made_.contains(name), str("its result does not define ", name));
    }
    require(unused_.empty(),
            unused_.empty() ? "" : str("its result does not use ", *unused_.begin()));
    for (const auto& [name, fn] : rule_.computes) {
      require(computed_.contains(name), str("its function ", name, " is not used"));
    }
  }

  const Rule& rule_;
  Compiled& c_;
  std::set<std::string> values_, variables_, made_, unused_, computed_;
};

}  // namespace

Compiled resolve(const Rule& rule) {
  Compiled c;
  c.source = Reader(rule, "source", rule.source_text).statements();
  c.result = Reader(rule, "result", rule.result_text).statements();
  Checker(rule, c).run();
  return c;
}

}  // namespace paddle::pir::drr
