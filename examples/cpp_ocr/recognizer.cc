// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Lines scaled to the height of the models; connectionist temporal classification (Graves et al.
// 2006) decoded greedily: the likeliest class at each step, repetitions merged, blanks dropped.
#include "recognizer.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <stdexcept>

namespace ocr {
namespace {

constexpr int kHeight = 48, kClassifierWidth = 192, kLeastWidth = 320;
constexpr float kTurnThreshold = 0.9f;

// Runs the model on the line, scaled to kHeight and padded with grey to `width` columns.
std::unique_ptr<paddle_infer::Tensor> run(paddle_infer::Predictor& predictor, const Image& line,
                                          int width) {
  const double ratio = static_cast<double>(line.width) / line.height;
  const int scaled = std::min(width, std::max(1, static_cast<int>(std::ceil(kHeight * ratio))));
  auto input = predictor.GetInputHandle(predictor.GetInputNames()[0]);
  input->Reshape({1, 3, kHeight, width});
  float* planes = input->mutable_data<float>();
  std::fill_n(planes, static_cast<size_t>(3) * kHeight * width, 0.0f);
  to_planes(resized(line, scaled, kHeight), planes, width);
  predictor.Run();
  return predictor.GetOutputHandle(predictor.GetOutputNames()[0]);
}

}  // namespace

Classifier::Classifier(const std::string& folder)
    : predictor_(paddle_infer::CreatePredictor(paddle_infer::Config(folder))) {}

bool Classifier::is_upside_down(const Image& line) {
  return run(*predictor_, line, kClassifierWidth)->data<float>(nullptr, nullptr)[1] >
         kTurnThreshold;
}

Recognizer::Recognizer(const std::string& folder, const std::string& keys)
    : predictor_(paddle_infer::CreatePredictor(paddle_infer::Config(folder))) {
  std::ifstream file(keys);
  if (!file) throw std::runtime_error(keys + ": cannot be read");
  for (std::string line; std::getline(file, line);) characters_.push_back(line);
  characters_.emplace_back(" ");
}

Text Recognizer::read(const Image& line) {
  const double ratio = static_cast<double>(line.width) / line.height;
  const int width = std::max(kLeastWidth, static_cast<int>(kHeight * ratio));
  const auto output = run(*predictor_, line, width);
  const std::vector<int> shape = output->shape();
  const size_t steps = static_cast<size_t>(shape[1]), classes = static_cast<size_t>(shape[2]);
  if (classes > characters_.size() + 1) throw std::runtime_error("the keys are not the model's");
  const float* row = output->data<float>(nullptr, nullptr);
  Text out;
  size_t previous = 0, count = 0;
  for (size_t t = 0; t < steps; ++t, row += classes) {
    const size_t best = static_cast<size_t>(std::max_element(row, row + classes) - row);
    if (best != 0 && best != previous) {
      out.text += characters_[best - 1];
      out.score += row[best];
      ++count;
    }
    previous = best;
  }
  if (count) out.score /= static_cast<double>(count);
  return out;
}

}  // namespace ocr
