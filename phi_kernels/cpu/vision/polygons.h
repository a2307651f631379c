// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Areas that polygons share.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

namespace paddle::cpu {

struct Point {
  double x, y;
};
using Triangle = std::array<Point, 3>;

inline double cross(Point a, Point b, Point c) {
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

inline double signed_area(const std::vector<Point>& p) {
  double sum = 0;
  for (size_t i = 0; i < p.size(); ++i) {
    const Point &a = p[i], &b = p[(i + 1) % p.size()];
    sum += a.x * b.y - a.y * b.x;
  }
  return sum / 2;
}

// The part of a convex polygon on the left of the line from a to b (Sutherland and Hodgman, 1974).
inline std::vector<Point> cut(const std::vector<Point>& p, Point a, Point b) {
  std::vector<Point> out;
  for (size_t i = 0; i < p.size(); ++i) {
    const Point &from = p[i], &to = p[(i + 1) % p.size()];
    const double d = cross(a, b, from), e = cross(a, b, to);
    if (d >= 0) out.push_back(from);
    if ((d > 0 && e < 0) || (d < 0 && e > 0)) {
      const double t = d / (d - e);
      out.push_back({from.x + t * (to.x - from.x), from.y + t * (to.y - from.y)});
    }
  }
  return out;
}

// Area that two triangles of positive orientation share.
inline double common_area(const Triangle& s, const Triangle& t) {
  std::vector<Point> part(s.begin(), s.end());
  for (size_t i = 0; i < 3 && !part.empty(); ++i) part = cut(part, t[i], t[(i + 1) % 3]);
  return part.size() < 3 ? 0 : std::abs(signed_area(part));
}

// A polygon is the sum of the triangles that its edges form with the first corner, each with the
// sign of its orientation; so is the area that two polygons share, also where they are not convex.
inline double common_area(const std::vector<Point>& p, const std::vector<Point>& q) {
  double sum = 0;
  for (size_t i = 1; i + 1 < p.size(); ++i) {
    Triangle s{p[0], p[i], p[i + 1]};
    const double a = cross(s[0], s[1], s[2]);
    if (a < 0) std::swap(s[1], s[2]);
    for (size_t k = 1; a != 0 && k + 1 < q.size(); ++k) {
      Triangle t{q[0], q[k], q[k + 1]};
      const double b = cross(t[0], t[1], t[2]);
      if (b < 0) std::swap(t[1], t[2]);
      if (b != 0) sum += ((a < 0) == (b < 0) ? 1 : -1) * common_area(s, t);
    }
  }
  return std::abs(sum);
}

template <typename T>
T polygon_overlap(const T* a, const T* b, int64_t size) {
  std::vector<Point> p, q;
  for (int64_t i = 0; i < size; i += 2) {
    p.push_back({static_cast<double>(a[i]), static_cast<double>(a[i + 1])});
    q.push_back({static_cast<double>(b[i]), static_cast<double>(b[i + 1])});
  }
  const double both = common_area(p, q);
  return static_cast<T>(both / (std::abs(signed_area(p)) + std::abs(signed_area(q)) - both));
}

}  // namespace paddle::cpu
