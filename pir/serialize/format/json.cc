// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// JSON text to values and numbers and strings to JSON text.
#include "pir/serialize/format/json.h"

#include <charconv>
#include <cmath>

namespace paddle::pir {
namespace {

constexpr int kMaxDepth = 256;

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  Json document() {
    Json v = value(0);
    space();
    require(at_ == text_.size(), "text follows the document");
    return v;
  }

 private:
  void require(bool ok, const char* what) const {
    PADDLE_CHECK_VALUE(ok, "program file: JSON error at byte ", at_, ": ", what,
                       "; the file is damaged.");
  }
  void space() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r')) {
      ++at_;
    }
  }
  bool take(char c) {
    space();
    if (at_ < text_.size() && text_[at_] == c) return ++at_, true;
    return false;
  }
  bool word(std::string_view w) {
    if (!text_.substr(at_).starts_with(w)) return false;
    at_ += w.size();
    return true;
  }

  Json value(int depth) {
    require(depth < kMaxDepth, "nested too deeply");
    space();
    require(at_ < text_.size(), "it ends too early");
    Json out;
    const char c = text_[at_];
    if (c == '{') {
      out.data = object(depth);
    } else if (c == '[') {
      out.data = list(depth);
    } else if (c == '"') {
      out.data = string();
    } else if (word("true")) {
      out.data = true;
    } else if (word("false")) {
      out.data = false;
    } else if (!word("null")) {
      number(out);
    }
    return out;
  }

  Json::Object object(int depth) {
    Json::Object out;
    take('{');
    if (take('}')) return out;
    do {
      space();
      require(at_ < text_.size() && text_[at_] == '"', "a key is expected");
      std::string key = string();
      require(take(':'), "a colon is expected");
      out.emplace_back(std::move(key), value(depth + 1));
    } while (take(','));
    require(take('}'), "a closing brace is expected");
    return out;
  }

  Json::Array list(int depth) {
    Json::Array out;
    take('[');
    if (take(']')) return out;
    do {
      out.push_back(value(depth + 1));
    } while (take(','));
    require(take(']'), "a closing bracket is expected");
    return out;
  }

  uint32_t hex4() {
    require(at_ + 4 <= text_.size(), "it ends too early");
    uint32_t v = 0;
    const auto r = std::from_chars(text_.data() + at_, text_.data() + at_ + 4, v, 16);
    require(r.ptr == text_.data() + at_ + 4, "a bad escape");
    at_ += 4;
    return v;
  }

  void escape(std::string& out) {
    require(at_ < text_.size(), "it ends too early");
    const char c = text_[at_++];
    constexpr std::string_view from = "\"\\/bfnrt", to = "\"\\/\b\f\n\r\t";
    if (const size_t k = from.find(c); k != std::string_view::npos) {
      out += to[k];
      return;
    }
    require(c == 'u', "a bad escape");
    uint32_t code = hex4();
    if (code >= 0xD800 && code < 0xDC00 && word("\\u")) {
      code = 0x10000 + ((code - 0xD800) << 10) + ((hex4() - 0xDC00) & 0x3FF);
    }
    if (code < 0x80) {
      out += static_cast<char>(code);
    } else if (code < 0x800) {
      out += static_cast<char>(0xC0 | (code >> 6));
      out += static_cast<char>(0x80 | (code & 63));
    } else {
      if (code < 0x10000) {
        out += static_cast<char>(0xE0 | (code >> 12));
      } else {
        out += static_cast<char>(0xF0 | (code >> 18));
        out += static_cast<char>(0x80 | ((code >> 12) & 63));
      }
      out += static_cast<char>(0x80 | ((code >> 6) & 63));
      out += static_cast<char>(0x80 | (code & 63));
    }
  }

  std::string string() {
    std::string out;
    ++at_;
    while (true) {
      require(at_ < text_.size(), "a string does not end");
      const char c = text_[at_++];
      if (c == '"') return out;
      if (c == '\\') {
        escape(out);
      } else {
        out += c;
      }
    }
  }

  void number(Json& out) {
    const char* begin = text_.data() + at_;
    const char* end = text_.data() + text_.size();
    int64_t i = 0;
    double d = 0;
    const auto as_int = std::from_chars(begin, end, i);
    const auto as_double = std::from_chars(begin, end, d);
    require(as_double.ec == std::errc() && as_double.ptr != begin && std::isfinite(d),
            "a value is expected");
    if (as_int.ec == std::errc() && as_int.ptr == as_double.ptr) {
      out.data = i;
    } else {
      out.data = d;
    }
    at_ += static_cast<size_t>(as_double.ptr - begin);
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

Json::Json() = default;
Json::Json(Json&&) noexcept = default;
Json& Json::operator=(Json&&) noexcept = default;
Json::~Json() = default;

Json Json::parse(std::string_view text) { return Reader(text).document(); }

const Json* Json::find(std::string_view key) const {
  const Object* object = std::get_if<Object>(&data);
  if (!object) return nullptr;
  for (const auto& [k, v] : *object) {
    if (k == key) return &v;
  }
  return nullptr;
}

const Json& Json::at(std::string_view key) const {
  const Json* v = find(key);
  PADDLE_CHECK_VALUE(v, "program file: key '", key, "' is missing; the file is damaged.");
  return *v;
}

int64_t Json::integer() const {
  if (const bool* b = std::get_if<bool>(&data)) return *b;
  return as<int64_t>("an integer");
}

double Json::number() const {
  if (const int64_t* i = std::get_if<int64_t>(&data)) return static_cast<double>(*i);
  return as<double>("a number");
}

bool Json::boolean() const {
  if (const int64_t* i = std::get_if<int64_t>(&data)) return *i != 0;
  return as<bool>("true or false");
}

std::string json_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      constexpr char digits[] = "0123456789abcdef";
      out += "\\u00";
      out += digits[c >> 4];
      out += digits[c & 15];
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string json_double(double v) {
  char buffer[40];
  const auto r = std::to_chars(buffer, buffer + sizeof buffer, v);
  std::string out(buffer, r.ptr);
  return out.find_first_of(".e") == std::string::npos ? out + ".0" : out;
}

}  // namespace paddle::pir
