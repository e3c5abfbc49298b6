#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace legato::tokenizer {

/// Lets text through up to the first stop string. The one that ends first counts, of those the one
/// that begins first; so the result does not depend on how the text was cut. One thread.
class StopMatcher {
 public:
  explicit StopMatcher(std::vector<std::string> stops);

  /// What can be given out now: all but a possible beginning of a stop string at the end.
  std::string push(std::string_view text);
  /// What was kept.
  std::string finish();
  /// The index of the stop string that was met; nothing is given out after it.
  std::optional<size_t> matched() const { return matched_; }

 private:
  /// Knuth-Morris-Pratt: how far into its stop string the text's end reaches.
  struct Automaton {
    size_t index;
    std::string stop;
    std::vector<uint32_t> borders;
    uint32_t state = 0;

    /// True when the stop string is complete.
    bool step(char byte);
  };

  std::vector<Automaton> automata_;
  std::string kept_;
  std::optional<size_t> matched_;
};

}  // namespace legato::tokenizer
