// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Where the lines of text are.
#pragma once

#include <memory>
#include <vector>

#include "image.h"
#include "paddle_inference_api.h"

namespace ocr {

class Detector {
 public:
  // The folder of a DB model: image [1, 3, H, W] to probabilities of text [1, 1, H, W], H and W
  // multiples of 32.
  explicit Detector(const std::string& folder);
  // In reading order.
  std::vector<Box> find(const Image& image);

 private:
  std::shared_ptr<paddle_infer::Predictor> predictor_;
};

}  // namespace ocr
