// SPDX-FileCopyrightText: paddle-core contributors
// SPDX-License-Identifier: Apache-2.0
#include "inference/engine/text_stream.h"

#include <gtest/gtest.h>

#include <random>

#include "inference/engine/drafts.h"

namespace paddle::engine {
namespace {

// Token i is byte i.
Vocabulary bytes() {
  Vocabulary v;
  v.starts.push_back(0);
  for (int i = 0; i < 256; ++i) {
    v.bytes += static_cast<char>(i);
    v.starts.push_back(static_cast<uint32_t>(v.bytes.size()));
  }
  return v;
}

std::vector<std::string> pieces(std::string_view text, const std::vector<std::string>& stops = {}) {
  const Vocabulary vocabulary = bytes();
  TextStream stream(&vocabulary, &stops);
  std::vector<std::string> out;
  for (const char c : text) {
    out.push_back(stream.add(static_cast<unsigned char>(c)));
    if (stream.stopped()) return out;
  }
  out.push_back(stream.finish());
  return out;
}

std::string joined(const std::vector<std::string>& list) {
  std::string out;
  for (const std::string& s : list) out += s;
  return out;
}

using Strings = std::vector<std::string>;

TEST(TextStream, CharactersAppearWhole) {
  EXPECT_EQ(pieces("a\xC3\xA9"), (Strings{"a", "", "\xC3\xA9", ""}));
  EXPECT_EQ(pieces("\xF0\x9F\x98\x80!"), (Strings{"", "", "", "\xF0\x9F\x98\x80", "!", ""}));
}

TEST(TextStream, BytesThatAreNoCharacterBecomeOneReplacement) {
  const std::string replaced = "\xEF\xBF\xBD";
  EXPECT_EQ(joined(pieces("\xFF")), replaced);
  EXPECT_EQ(joined(pieces("\xC3(")), replaced + "(");
  EXPECT_EQ(joined(pieces("\xE2\x82")), replaced);                            // ends too early
  EXPECT_EQ(joined(pieces("\xED\xA0\x80")), replaced + replaced + replaced);  // a surrogate
  EXPECT_EQ(joined(pieces("\xC0\xAF")), replaced + replaced);                 // too long a form
  EXPECT_EQ(joined(pieces("\xF4\x90\x80\x80")), replaced + replaced + replaced + replaced);
}

TEST(TextStream, WhatMayBeginAStopTextIsHeldBack) {
  EXPECT_EQ(pieces("abc", {"bd"}), (Strings{"a", "", "bc", ""}));
  EXPECT_EQ(pieces("abbd!", {"bd"}), (Strings{"a", "", "b", ""}));
  EXPECT_EQ(pieces("xEN", {"END", "EX"}), (Strings{"x", "", "", "EN"}));
  EXPECT_EQ(joined(pieces("caf\xC3\xA9 au", {"\xC3\xA9"})), "caf");
}

TEST(TextStream, TheFirstSpaceMayBeDropped) {
  Vocabulary vocabulary = bytes();
  vocabulary.strips_first_space = true;
  const Strings none;
  TextStream stream(&vocabulary, &none);
  EXPECT_EQ(stream.add(' '), "");
  EXPECT_EQ(stream.add(' '), " ");
  EXPECT_EQ(stream.add('a'), "a");
}

// Whatever the bytes and the stop texts are: the text up to the first stop, cut anywhere.
TEST(TextStream, AgreesWithASearchInTheWhole) {
  std::mt19937 random(3);
  for (int round = 0; round < 3000; ++round) {
    std::string text;
    Strings stops;
    for (int i = 0; i < 24; ++i) text += static_cast<char>('a' + random() % 3);
    for (int i = 0; i < 2; ++i) {
      std::string stop;
      for (unsigned k = 0; k < 1 + random() % 4; ++k) stop += static_cast<char>('a' + random() % 3);
      stops.push_back(stop);
    }
    // A stop text is seen with its last byte: the one that ends first, the longest of those.
    size_t best = std::string::npos, best_end = std::string::npos;
    for (const std::string& stop : stops) {
      const size_t at = text.find(stop);
      if (at == std::string::npos) continue;
      const size_t end = at + stop.size();
      if (end < best_end || (end == best_end && at < best)) best = at, best_end = end;
    }
    EXPECT_EQ(joined(pieces(text, stops)), text.substr(0, best)) << text;
  }
}

TEST(Drafts, AreWhatFollowedTheLongestRepetition) {
  const std::vector<TokenId> tokens{1, 2, 3, 9, 8, 7, 2, 3, 4, 5, 1, 2, 3};
  EXPECT_EQ(drafts_from_repetition(tokens, 3), (std::vector<TokenId>{9, 8, 7}));
  EXPECT_EQ(drafts_from_repetition(std::vector<TokenId>{5, 5, 5}, 4), (std::vector<TokenId>{5}));
  EXPECT_TRUE(drafts_from_repetition(std::vector<TokenId>{1, 2, 3}, 4).empty());
  EXPECT_TRUE(drafts_from_repetition(std::vector<TokenId>{1}, 4).empty());
}

}  // namespace
}  // namespace paddle::engine
