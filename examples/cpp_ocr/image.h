// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Images in memory, and what text reading does to them.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace ocr {

struct Point {
  double x = 0, y = 0;
};

// The corners of a rectangle in any position: top left, top right, bottom right, bottom left.
using Box = std::array<Point, 4>;

// Rows of pixels of three bytes: blue, green, red, the order in which the models were trained.
struct Image {
  int width = 0, height = 0;
  std::vector<uint8_t> pixels;
  Image() = default;
  Image(int w, int h) : width(w), height(h), pixels(static_cast<size_t>(w) * h * 3) {}
  uint8_t* at(int x, int y) { return &pixels[(static_cast<size_t>(y) * width + x) * 3]; }
  const uint8_t* at(int x, int y) const {
    return &pixels[(static_cast<size_t>(y) * width + x) * 3];
  }
};

// A PNG of any kind; std::runtime_error when it is none.
Image read_png(const std::string& path);
// Bilinear, pixel centres aligned.
Image resized(const Image& image, int width, int height);
// The rectangle as an upright image; turned by 90 degrees when it is much higher than wide.
Image cut_out(const Image& image, const Box& box);
Image turned_180(const Image& image);
// Pixels as numbers in [-1, 1], one plane a colour, written into planes of `stride` columns.
void to_planes(const Image& image, float* planes, int stride);

}  // namespace ocr
