// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Which way up a line is, and what it says.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "image.h"
#include "paddle_inference_api.h"

namespace ocr {

class Classifier {
 public:
  // The folder of a model: line [1, 3, 48, 192] to probabilities of upright and upside down.
  explicit Classifier(const std::string& folder);
  bool is_upside_down(const Image& line);

 private:
  std::shared_ptr<paddle_infer::Predictor> predictor_;
};

struct Text {
  std::string text;  // UTF-8
  double score = 0;  // mean probability of its characters
};

class Recognizer {
 public:
  // The folder of a CTC model: line [1, 3, 48, W] to probabilities [1, T, classes]; class 0 is the
  // blank, class i the line i of the file `keys`, the class after the last line is the space.
  Recognizer(const std::string& folder, const std::string& keys);
  Text read(const Image& line);

 private:
  std::shared_ptr<paddle_infer::Predictor> predictor_;
  std::vector<std::string> characters_;
};

}  // namespace ocr
