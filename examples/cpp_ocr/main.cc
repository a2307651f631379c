// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
//
// Text of PNG images: detection, direction and recognition with three PP-OCR models.
//
//   cpp_ocr DETECTOR CLASSIFIER RECOGNIZER KEYS IMAGE.png...
//
// The first three are folders with a model each, KEYS is the list of characters, one a line. Every
// line of text is printed with its score and the corners of its box.
#include <cstdio>
#include <exception>

#include "detector.h"
#include "recognizer.h"

int main(int argc, char** argv) {
  if (argc < 6) {
    std::fprintf(stderr, "usage: cpp_ocr DETECTOR CLASSIFIER RECOGNIZER KEYS IMAGE.png...\n");
    return 2;
  }
  try {
    ocr::Detector detector(argv[1]);
    ocr::Classifier classifier(argv[2]);
    ocr::Recognizer recognizer(argv[3], argv[4]);
    for (int i = 5; i < argc; ++i) {
      const ocr::Image page = ocr::read_png(argv[i]);
      for (const ocr::Box& box : detector.find(page)) {
        ocr::Image line = ocr::cut_out(page, box);
        if (classifier.is_upside_down(line)) line = ocr::turned_180(line);
        const ocr::Text read = recognizer.read(line);
        if (read.score < 0.5) continue;
        std::printf("%.4f  %s ", read.score, read.text.c_str());
        for (const ocr::Point p : box) std::printf(" %.0f,%.0f", p.x, p.y);
        std::printf("\n");
      }
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "cpp_ocr: %s\n", error.what());
    return 1;
  }
  return 0;
}
