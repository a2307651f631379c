// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Reading PNG files with libpng, and bilinear sampling.
#include "image.h"

#include <png.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace ocr {
namespace {

// The colour at a place between pixels; places outside take the nearest pixel.
void sample(const Image& image, double x, double y, uint8_t* out) {
  x = std::clamp(x, 0.0, image.width - 1.0);
  y = std::clamp(y, 0.0, image.height - 1.0);
  const int x0 = static_cast<int>(x), y0 = static_cast<int>(y);
  const int x1 = std::min(x0 + 1, image.width - 1), y1 = std::min(y0 + 1, image.height - 1);
  const double fx = x - x0, fy = y - y0;
  for (int c = 0; c < 3; ++c) {
    const double top = image.at(x0, y0)[c] * (1 - fx) + image.at(x1, y0)[c] * fx;
    const double bottom = image.at(x0, y1)[c] * (1 - fx) + image.at(x1, y1)[c] * fx;
    out[c] = static_cast<uint8_t>(std::lround(top * (1 - fy) + bottom * fy));
  }
}

double distance(Point a, Point b) { return std::hypot(a.x - b.x, a.y - b.y); }

}  // namespace

Image read_png(const std::string& path) {
  png_image png{};
  png.version = PNG_IMAGE_VERSION;
  if (!png_image_begin_read_from_file(&png, path.c_str())) {
    throw std::runtime_error(path + ": " + png.message);
  }
  png.format = PNG_FORMAT_BGR;
  Image image(static_cast<int>(png.width), static_cast<int>(png.height));
  const png_color white{255, 255, 255};
  if (!png_image_finish_read(&png, &white, image.pixels.data(), 0, nullptr)) {
    throw std::runtime_error(path + ": " + png.message);
  }
  return image;
}

Image resized(const Image& image, int width, int height) {
  Image out(width, height);
  const double sx = static_cast<double>(image.width) / width;
  const double sy = static_cast<double>(image.height) / height;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      sample(image, (x + 0.5) * sx - 0.5, (y + 0.5) * sy - 0.5, out.at(x, y));
    }
  }
  return out;
}

Image cut_out(const Image& image, const Box& box) {
  const int width =
      std::max(1, static_cast<int>(std::max(distance(box[0], box[1]), distance(box[2], box[3]))));
  const int height =
      std::max(1, static_cast<int>(std::max(distance(box[0], box[3]), distance(box[1], box[2]))));
  const bool upright = height >= 1.5 * width;
  Image out(upright ? height : width, upright ? width : height);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const double u = static_cast<double>(x) / width, v = static_cast<double>(y) / height;
      const double px = box[0].x + u * (box[1].x - box[0].x) + v * (box[3].x - box[0].x);
      const double py = box[0].y + u * (box[1].y - box[0].y) + v * (box[3].y - box[0].y);
      sample(image, px, py, upright ? out.at(y, width - 1 - x) : out.at(x, y));
    }
  }
  return out;
}

Image turned_180(const Image& image) {
  Image out(image.width, image.height);
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) {
      std::copy_n(image.at(x, y), 3, out.at(image.width - 1 - x, image.height - 1 - y));
    }
  }
  return out;
}

void to_planes(const Image& image, float* planes, int stride) {
  for (int c = 0; c < 3; ++c) {
    float* plane = planes + static_cast<size_t>(c) * stride * image.height;
    for (int y = 0; y < image.height; ++y) {
      for (int x = 0; x < image.width; ++x) {
        plane[static_cast<size_t>(y) * stride + x] = image.at(x, y)[c] / 127.5f - 1.0f;
      }
    }
  }
}

}  // namespace ocr
