#include "tokenizer/stop_matcher.h"

#include <algorithm>

#include "base/utf8.h"

namespace legato::tokenizer {

StopMatcher::StopMatcher(std::vector<std::string> stops) {
  for (size_t index = 0; index < stops.size(); ++index) {
    // Ill-formed bytes never occur in decoded text; repaired ones begin with a whole character.
    std::string stop;
    append_lossy(stops[index], stop);
    if (stop.empty()) continue;
    std::vector<uint32_t> borders(stop.size(), 0);
    uint32_t border = 0;
    for (size_t i = 1; i < stop.size(); ++i) {
      while (border > 0 && stop[i] != stop[border]) border = borders[border - 1];
      if (stop[i] == stop[border]) ++border;
      borders[i] = border;
    }
    automata_.push_back({index, std::move(stop), std::move(borders)});
  }
}

bool StopMatcher::Automaton::step(char byte) {
  while (state > 0 && stop[state] != byte) state = borders[state - 1];
  if (stop[state] == byte) ++state;
  return state == stop.size();
}

std::string StopMatcher::push(std::string_view text) {
  if (matched_) return {};
  if (automata_.empty()) return std::string(text);
  for (size_t i = 0; i < text.size(); ++i) {
    const Automaton* longest = nullptr;
    for (Automaton& automaton : automata_)
      if (automaton.step(text[i]) &&
          (longest == nullptr || automaton.stop.size() > longest->stop.size()))
        longest = &automaton;
    if (longest == nullptr) continue;
    matched_ = longest->index;
    kept_ += text.substr(0, i + 1);
    kept_.resize(kept_.size() - longest->stop.size());
    return std::move(kept_);
  }
  kept_ += text;
  size_t tail = 0;
  for (const Automaton& automaton : automata_) tail = std::max<size_t>(tail, automaton.state);
  std::string out = kept_.substr(0, kept_.size() - tail);
  kept_.erase(0, kept_.size() - tail);
  return out;
}

std::string StopMatcher::finish() { return std::move(kept_); }

}  // namespace legato::tokenizer
