// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Differentiable binarization (Liao et al. 2020): the model gives each pixel the probability that
// it lies in the shrunken core of a line of text. Connected pixels above a threshold are one core;
// the smallest rectangle around it, grown by the amount by which training shrank it, is the line.
#include "detector.h"

#include <algorithm>
#include <cmath>

namespace ocr {
namespace {

constexpr float kPixelThreshold = 0.3f, kBoxThreshold = 0.5f;
constexpr double kGrowth = 1.6;
constexpr int kShortestSide = 736, kStep = 32;
constexpr double kSmallest = 3;

double cross(Point o, Point a, Point b) {
  return (a.x - o.x) * (b.y - o.y) - (a.y - o.y) * (b.x - o.x);
}

// Andrew's monotone chain.
std::vector<Point> convex_hull(std::vector<Point> points) {
  std::sort(points.begin(), points.end(),
            [](Point a, Point b) { return a.x != b.x ? a.x < b.x : a.y < b.y; });
  std::vector<Point> hull;
  for (int half = 0; half < 2; ++half) {
    const size_t first = hull.size();
    for (const Point p : points) {
      while (hull.size() >= first + 2 && cross(hull[hull.size() - 2], hull.back(), p) <= 0) {
        hull.pop_back();
      }
      hull.push_back(p);
    }
    hull.pop_back();
    std::reverse(points.begin(), points.end());
  }
  return hull;
}

// Centre, half extents and the direction of the first of them.
struct Rectangle {
  Point centre;
  double half_width = 0, half_height = 0;
  Point along{1, 0};
};

// The rectangle of least area has a side on an edge of the hull.
Rectangle smallest_rectangle(const std::vector<Point>& hull) {
  Rectangle best;
  double least = INFINITY;
  for (size_t i = 0; i < hull.size(); ++i) {
    const Point a = hull[i], b = hull[(i + 1) % hull.size()];
    const double length = std::hypot(b.x - a.x, b.y - a.y);
    if (length == 0) continue;
    const Point u{(b.x - a.x) / length, (b.y - a.y) / length};
    double low_u = INFINITY, high_u = -INFINITY, low_v = INFINITY, high_v = -INFINITY;
    for (const Point p : hull) {
      const double pu = p.x * u.x + p.y * u.y, pv = p.y * u.x - p.x * u.y;
      low_u = std::min(low_u, pu), high_u = std::max(high_u, pu);
      low_v = std::min(low_v, pv), high_v = std::max(high_v, pv);
    }
    const double area = (high_u - low_u) * (high_v - low_v);
    if (area >= least) continue;
    least = area;
    const double cu = (low_u + high_u) / 2, cv = (low_v + high_v) / 2;
    best = {
        {cu * u.x - cv * u.y, cu * u.y + cv * u.x}, (high_u - low_u) / 2, (high_v - low_v) / 2, u};
  }
  return best;
}

// Corners from the top left one, clockwise.
Box corners(const Rectangle& r) {
  const Point u{r.along.x * r.half_width, r.along.y * r.half_width};
  const Point v{-r.along.y * r.half_height, r.along.x * r.half_height};
  std::array<Point, 4> p{{{r.centre.x - u.x - v.x, r.centre.y - u.y - v.y},
                          {r.centre.x + u.x - v.x, r.centre.y + u.y - v.y},
                          {r.centre.x + u.x + v.x, r.centre.y + u.y + v.y},
                          {r.centre.x - u.x + v.x, r.centre.y - u.y + v.y}}};
  std::sort(p.begin(), p.end(), [](Point a, Point b) { return a.x < b.x; });
  if (p[0].y > p[1].y) std::swap(p[0], p[1]);  // left pair: top, bottom
  if (p[2].y > p[3].y) std::swap(p[2], p[3]);  // right pair: top, bottom
  return {p[0], p[2], p[3], p[1]};
}

struct Map {
  int width, height;
  const float* probability;
  float at(int x, int y) const { return probability[static_cast<size_t>(y) * width + x]; }
};

double mean_inside(const Map& map, const Rectangle& r) {
  const double reach = std::hypot(r.half_width, r.half_height);
  const int x0 = std::max(0, static_cast<int>(r.centre.x - reach));
  const int x1 = std::min(map.width - 1, static_cast<int>(r.centre.x + reach) + 1);
  const int y0 = std::max(0, static_cast<int>(r.centre.y - reach));
  const int y1 = std::min(map.height - 1, static_cast<int>(r.centre.y + reach) + 1);
  double sum = 0;
  int count = 0;
  for (int y = y0; y <= y1; ++y) {
    for (int x = x0; x <= x1; ++x) {
      const double dx = x - r.centre.x, dy = y - r.centre.y;
      const double along = std::abs(dx * r.along.x + dy * r.along.y);
      const double across = std::abs(dy * r.along.x - dx * r.along.y);
      if (along > r.half_width || across > r.half_height) continue;
      sum += map.at(x, y);
      ++count;
    }
  }
  return count ? sum / count : 0;
}

// The border pixels of each group of connected pixels above the threshold.
std::vector<std::vector<Point>> groups(const Map& map) {
  const auto index = [&](int x, int y) { return static_cast<size_t>(y) * map.width + x; };
  std::vector<uint8_t> text(static_cast<size_t>(map.width) * map.height);
  // Each pixel also marks its right and lower neighbours, which closes gaps of one pixel.
  for (int y = 0; y < map.height; ++y) {
    for (int x = 0; x < map.width; ++x) {
      if (map.at(x, y) <= kPixelThreshold) continue;
      for (int dy = 0; dy < 2 && y + dy < map.height; ++dy) {
        for (int dx = 0; dx < 2 && x + dx < map.width; ++dx) text[index(x + dx, y + dy)] = 1;
      }
    }
  }
  std::vector<std::vector<Point>> found;
  std::vector<std::pair<int, int>> open;
  for (int sy = 0; sy < map.height; ++sy) {
    for (int sx = 0; sx < map.width; ++sx) {
      if (text[index(sx, sy)] != 1) continue;
      std::vector<Point>& group = found.emplace_back();
      text[index(sx, sy)] = 2;
      open.assign(1, {sx, sy});
      while (!open.empty()) {
        const auto [x, y] = open.back();
        open.pop_back();
        bool border = false;
        for (int dy = -1; dy <= 1; ++dy) {
          for (int dx = -1; dx <= 1; ++dx) {
            const int nx = x + dx, ny = y + dy;
            const bool inside = nx >= 0 && ny >= 0 && nx < map.width && ny < map.height;
            if (!inside || text[index(nx, ny)] == 0) {
              border = true;
            } else if (text[index(nx, ny)] == 1) {
              text[index(nx, ny)] = 2;
              open.emplace_back(nx, ny);
            }
          }
        }
        if (border) group.push_back({static_cast<double>(x), static_cast<double>(y)});
      }
    }
  }
  return found;
}

std::vector<Box> boxes_of(const Map& map) {
  std::vector<Box> boxes;
  for (const std::vector<Point>& group : groups(map)) {
    if (group.size() < 4) continue;
    Rectangle r = smallest_rectangle(convex_hull(group));
    if (2 * std::min(r.half_width, r.half_height) < kSmallest) continue;
    if (mean_inside(map, r) < kBoxThreshold) continue;
    // Area times growth over circumference: how far each side moves outwards.
    const double area = 4 * r.half_width * r.half_height;
    const double offset = area * kGrowth / (4 * (r.half_width + r.half_height));
    r.half_width += offset;
    r.half_height += offset;
    if (2 * std::min(r.half_width, r.half_height) < kSmallest + 2) continue;
    boxes.push_back(corners(r));
  }
  return boxes;
}

int rounded_to_step(double length) {
  return std::max(kStep, static_cast<int>(std::lround(length / kStep)) * kStep);
}

}  // namespace

Detector::Detector(const std::string& folder)
    : predictor_(paddle_infer::CreatePredictor(paddle_infer::Config(folder))) {}

std::vector<Box> Detector::find(const Image& image) {
  const int shortest = std::min(image.width, image.height);
  const double scale = shortest < kShortestSide ? static_cast<double>(kShortestSide) / shortest : 1;
  const int width = rounded_to_step(static_cast<int>(image.width * scale));
  const int height = rounded_to_step(static_cast<int>(image.height * scale));
  auto input = predictor_->GetInputHandle(predictor_->GetInputNames()[0]);
  input->Reshape({1, 3, height, width});
  to_planes(resized(image, width, height), input->mutable_data<float>(), width);
  predictor_->Run();
  auto output = predictor_->GetOutputHandle(predictor_->GetOutputNames()[0]);
  std::vector<Box> boxes = boxes_of({width, height, output->data<float>(nullptr, nullptr)});
  for (Box& box : boxes) {
    for (Point& p : box) {
      p.x = std::clamp(p.x * image.width / width, 0.0, static_cast<double>(image.width));
      p.y = std::clamp(p.y * image.height / height, 0.0, static_cast<double>(image.height));
    }
  }
  // From top to bottom; boxes whose tops differ by less than ten pixels from left to right.
  std::sort(boxes.begin(), boxes.end(), [](const Box& a, const Box& b) { return a[0].y < b[0].y; });
  for (size_t i = 1; i < boxes.size(); ++i) {
    for (size_t k = i; k > 0 && std::abs(boxes[k][0].y - boxes[k - 1][0].y) < 10 &&
                       boxes[k][0].x < boxes[k - 1][0].x;
         --k) {
      std::swap(boxes[k], boxes[k - 1]);
    }
  }
  return boxes;
}

}  // namespace ocr
