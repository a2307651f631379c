// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Layouts as SVG and pages around them.
#include "pir/draw/draw.h"

#include <algorithm>
#include <cstdio>
#include <iomanip>
#include <map>

#include "pir/draw/layout.h"

namespace paddle::pir {
namespace {

constexpr size_t kLongestLine = 64, kLongestTip = 1500, kMostConstants = 5;

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '&') {
      out += "&amp;";
    } else if (c == '"') {
      out += "&quot;";
    } else if (static_cast<unsigned char>(c) >= 0x20 || c == '\n') {
      out += c;
    }
  }
  return out;
}

std::string cut(std::string text, size_t length) {
  if (text.size() <= length) return text;
  while (length > 0 && (static_cast<unsigned char>(text[length]) & 0xC0) == 0x80) --length;
  return text.substr(0, length) + "...";
}

std::string fixed(double v, int digits) {
  std::ostringstream out;
  out << std::fixed << std::setprecision(digits) << v;
  return std::move(out).str();
}

std::string milliseconds(int64_t ns) { return fixed(static_cast<double>(ns) / 1e6, 3) + " ms"; }

std::string amount(int64_t bytes) {
  const auto v = static_cast<double>(bytes);
  return v < 1e6 ? fixed(v / 1e3, 1) + " kB" : fixed(v / 1e6, 1) + " MB";
}

std::string name_without_dialect(const Operation& op) {
  const size_t dot = op.name().find('.');
  return dot == std::string::npos ? op.name() : op.name().substr(dot + 1);
}

// What a reader's box says about a constant or parameter.
std::string constant_line(const Operation& op) {
  if (const Attribute* name = op.find_attribute("name"); name && op.is("builtin.parameter")) {
    return str(name->get<std::string>(), ": ", short_text(op.result()->type()));
  }
  const Attribute* value = op.find_attribute("value");
  if (op.is("builtin.constant")) return "constant " + short_text(op.result()->type());
  return value ? str("= ", *value) : "constant";
}

class Picture {
 public:
  Picture(const Program& program, const OperationTimes& times) : program_(program), times_(times) {
    for (const auto& [op, time] : times_) most_ = std::max(most_, time.ns);
  }

  std::string svg() {
    const Layout layout = lay_out(program_.block(), lines(), true);
    return document(layout);
  }

  std::string html() {
    std::string out = table();
    fold(program_.block(), str("program, ", program_.num_operations(), " operations"), out);
    return draw_page("program", {{"", out}});
  }

 private:
  std::function<std::vector<std::string>(const Operation&)> lines() const {
    return [this](const Operation& op) { return lines_of(op); };
  }

  std::vector<std::string> lines_of(const Operation& op) const {
    std::vector<std::string> out = {name_without_dialect(op)};
    if (const Attribute* name = op.find_attribute("name");
        name && name->is(Attribute::Kind::kString)) {
      out[0] += " " + name->get<std::string>();
    }
    for (size_t i = 0; i < op.num_results(); ++i) {
      const Value* v = op.result(i);
      if (i == 0 || v->used()) out.push_back(short_text(v->type()));
    }
    size_t constants = 0;
    for (const Value* v : op.operands()) {
      if (!v || !v->producer() || !is_inline(*v->producer())) continue;
      if (++constants <= kMostConstants) out.push_back(constant_line(*v->producer()));
    }
    if (constants > kMostConstants) out.push_back(str("and ", constants - kMostConstants, " more"));
    if (const auto time = times_.find(&op); time != times_.end()) {
      out.push_back(milliseconds(time->second.ns) + ", " + amount(time->second.bytes));
    }
    for (std::string& line : out) line = cut(line, kLongestLine);
    return out;
  }

  std::string colour(const Operation& op) const {
    const auto time = times_.find(&op);
    if (time != times_.end() && most_ > 0) {
      const double share = static_cast<double>(time->second.ns) / static_cast<double>(most_);
      const auto mix = [&](int cold, int hot) {
        return static_cast<int>(cold + (hot - cold) * share);
      };
      return str("rgb(", mix(247, 255), ',', mix(249, 120), ',', mix(252, 80), ')');
    }
    if (op.is("pd_op.data")) return "#e3f4e3";
    return op.is("pd_op.fetch") || op.is("builtin.shadow_output") || op.is("builtin.results")
               ? "#fdf0d9"
               : "#f7f9fc";
  }

  std::string document(const Layout& layout) const {
    const double width = std::max(layout.width, 1.0), height = std::max(layout.height, 1.0);
    return str("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"", fixed(width, 0),
               "\" height=\"", fixed(height, 0), "\" viewBox=\"0 0 ", fixed(width, 0), ' ',
               fixed(height, 0), "\" font-family=\"monospace\" font-size=\"11\">\n", group(layout),
               "</svg>\n");
  }

  std::string group(const Layout& layout) const {
    std::string out;
    for (const Layout::Line& line : layout.lines) out += path(layout, line);
    for (const Layout::Box& box : layout.boxes) {
      if (box.op) out += rectangle(box);
    }
    return out;
  }

  static std::string path(const Layout& layout, const Layout::Line& line) {
    std::string d;
    double x = 0, y = 0;
    for (size_t k = 0; k < line.through.size(); ++k) {
      const Layout::Box& box = layout.boxes[line.through[k]];
      if (k > 0) {
        const double middle = (y + box.y) / 2;
        d += str('C', fixed(x, 1), ' ', fixed(middle, 1), ' ', fixed(box.x, 1), ' ',
                 fixed(middle, 1), ' ', fixed(box.x, 1), ' ', fixed(box.y, 1));
      } else {
        d = str('M', fixed(box.x, 1), ' ', fixed(box.y + box.height, 1));
      }
      x = box.x;
      y = box.y + box.height;
      if (k > 0 && !box.op) d += str('L', fixed(x, 1), ' ', fixed(y, 1));
    }
    return str("<path d=\"", d, "\" fill=\"none\" stroke=\"#8a94a6\"><title>", escaped(line.label),
               "</title></path>\n");
  }

  std::string rectangle(const Layout::Box& box) const {
    const double left = box.x - box.width / 2;
    std::string out =
        str("<g transform=\"translate(", fixed(left, 1), ' ', fixed(box.y, 1), ")\"><title>",
            escaped(cut(print(*box.op), kLongestTip)), "</title><rect width=\"",
            fixed(box.width, 1), "\" height=\"", fixed(box.height, 1), "\" rx=\"4\" fill=\"",
            colour(*box.op), "\" stroke=\"#55606e\"/>\n");
    double y = 15;
    for (size_t i = 0; i < box.lines.size(); ++i, y += 15) {
      out += str("<text x=\"8\" y=\"", fixed(y, 0), '"', i ? "" : " font-weight=\"bold\"", '>',
                 escaped(box.lines[i]), "</text>\n");
    }
    double x = 8;
    for (const Layout& inner : box.inner) {
      out +=
          str("<g transform=\"translate(", fixed(x, 1), ' ', fixed(box.text_height, 1),
              ")\"><rect width=\"", fixed(inner.width, 1), "\" height=\"", fixed(inner.height, 1),
              "\" fill=\"#ffffff\" stroke=\"#c3cad5\"/>\n", group(inner), "</g>\n");
      x += inner.width + 8;
    }
    return out + "</g>\n";
  }

  // A block, then the regions of its operations, each to be folded.
  void fold(const Block& block, const std::string& title, std::string& out) const {
    out += str("<details open><summary>", escaped(title), "</summary>\n",
               document(lay_out(block, lines(), false)));
    size_t number = 0;
    for (const auto& op : block.operations()) {
      ++number;
      size_t region = 0;
      for (const auto& r : op->regions()) {
        for (const auto& inner : r->blocks()) {
          fold(*inner, str(name_without_dialect(*op), " (operation ", number, "), region ", region),
               out);
        }
        ++region;
      }
    }
    out += "</details>\n";
  }

  std::string table() const {
    if (times_.empty()) return {};
    std::map<std::string, OperationTime> by_name;
    int64_t total = 0;
    for (const auto& [op, time] : times_) {
      OperationTime& row = by_name[name_without_dialect(*op)];
      row.calls += time.calls;
      row.ns += time.ns;
      row.bytes += time.bytes;
      total += op->regions().empty() ? time.ns : 0;
    }
    std::vector<std::pair<std::string, OperationTime>> rows(by_name.begin(), by_name.end());
    std::sort(rows.begin(), rows.end(),
              [](const auto& a, const auto& b) { return a.second.ns > b.second.ns; });
    std::string out = str("<details open><summary>operators by time, ", milliseconds(total),
                          " in all</summary><table><tr><th>operator</th><th>calls</th><th>time</th>"
                          "<th>bytes</th></tr>\n");
    for (const auto& [name, row] : rows) {
      out += str("<tr><td>", escaped(name), "</td><td>", row.calls, "</td><td>",
                 milliseconds(row.ns), "</td><td>", amount(row.bytes), "</td></tr>\n");
    }
    return out + "</table></details>\n";
  }

  const Program& program_;
  const OperationTimes& times_;
  int64_t most_ = 0;
};

}  // namespace

std::string draw_svg(const Program& program, const OperationTimes& times) {
  return Picture(program, times).svg();
}

std::string draw_html(const Program& program, const OperationTimes& times) {
  return Picture(program, times).html();
}

std::string draw_page(const std::string& title,
                      const std::vector<std::pair<std::string, std::string>>& parts) {
  std::string out =
      str("<!doctype html><html><head><meta charset=\"utf-8\"><title>", escaped(title),
          "</title><style>body{font-family:sans-serif}summary{cursor:pointer;"
          "padding:4px;font-weight:bold}details{margin-left:12px}td,th{padding:2px "
          "12px;text-align:left}</style></head><body>\n");
  for (const auto& [name, content] : parts) {
    if (name.empty()) {
      out += content;
    } else {
      out += str("<details open><summary>", escaped(name), "</summary>\n", content, "</details>\n");
    }
  }
  return out + "</body></html>\n";
}

void write_text(const std::string& path, const std::string& text) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  bool good = file != nullptr;
  good = good && std::fwrite(text.data(), 1, text.size(), file) == text.size();
  if (file) good = std::fclose(file) == 0 && good;
  PADDLE_CHECK_KIND(ErrorKind::kOs, good, "visualize: ", path, " cannot be written.");
}

void draw(const Program& program, const std::string& path, const OperationTimes& times) {
  const bool html = path.ends_with(".html");
  PADDLE_CHECK_VALUE(html || path.ends_with(".svg"), "visualize: path has value '", path,
                     "'; it must end in .svg or .html.");
  write_text(path, html ? draw_html(program, times) : draw_svg(program, times));
}

}  // namespace paddle::pir
