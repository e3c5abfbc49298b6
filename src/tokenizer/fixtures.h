#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "tokenizer/tokenizer.h"

/// What the tests of this folder share.
namespace legato::tokenizer::testing {

inline std::filesystem::path source_dir() { return LEGATO_SOURCE_DIR; }

inline std::filesystem::path data_dir() { return source_dir() / "tests/data/tokenizers"; }

/// A text as one printable line.
inline std::string shown(const std::string& text) {
  return Json(text).dump(-1, ' ', true, Json::error_handler_t::replace).substr(0, 200);
}

inline Tokenizer must(Result<Tokenizer> result) {
  if (!result.ok()) throw std::runtime_error(result.status().to_string());
  return std::move(result).value();
}

/// tests/data/tokenizers/cases.json: made by make_cases.py with the reference implementation.
inline const Json& reference_cases() {
  static const Json cases = [] {
    auto json = read_json_file((data_dir() / "cases.json").string());
    if (!json.ok()) throw std::runtime_error(json.status().to_string());
    return (*json)["cases"];
  }();
  return cases;
}

struct Fixture {
  std::string name;
  Tokenizer tokenizer;
};

/// Every tokenizer that the repository has.
inline const std::vector<Fixture>& all_fixtures() {
  static const std::vector<Fixture> fixtures = [] {
    std::vector<Fixture> list;
    for (const char* folder : {"tests/data/tokenizers/llama2-style",
                               "tests/data/tokenizers/qwen2-style", "models/tiny-tales"})
      list.push_back({folder, must(Tokenizer::from_folder(source_dir() / folder))});
    for (const auto& [name, entry] : reference_cases().items())
      list.push_back({name, must(Tokenizer::from_json(entry["tokenizer"].dump(), name))});
    return list;
  }();
  return fixtures;
}

}  // namespace legato::tokenizer::testing
