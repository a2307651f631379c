// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0

// first_result PROGRAM PARAMETERS INPUT THREADS: one run of a model on 1x3x640x640 numbers read
// from the file INPUT; writes the sum of the magnitudes of its output.

#include <paddle_inference_api.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <vector>

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  std::vector<float> numbers(1 * 3 * 640 * 640);
  std::ifstream(argv[3], std::ios::binary)
      .read(reinterpret_cast<char*>(numbers.data()), numbers.size() * sizeof(float));
  paddle_infer::Config config(argv[1], argv[2]);
  config.SetCpuMathLibraryNumThreads(std::atoi(argv[4]));
  auto predictor = paddle_infer::CreatePredictor(config);
  auto input = predictor->GetInputHandle(predictor->GetInputNames()[0]);
  // Used where it lies, as ONNX Runtime uses NumPy's memory.
  input->ShareExternalData(numbers.data(), {1, 3, 640, 640}, paddle_infer::PlaceType::kCPU);
  predictor->Run();
  auto output = predictor->GetOutputHandle(predictor->GetOutputNames()[0]);
  std::vector<float> result(output->numel());
  output->CopyToCpu(result.data());
  double sum = 0;
  for (float value : result) sum += std::abs(value);
  std::printf("%.9g\n", sum);
}
