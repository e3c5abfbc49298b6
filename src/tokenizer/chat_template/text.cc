#include "tokenizer/chat_template/text.h"

#include <algorithm>

namespace legato::tokenizer::jinja {

bool Text::is_all_template() const {
  return std::all_of(runs_.begin(), runs_.end(), [](const Run& run) { return run.is_template; });
}

size_t Text::run_of(size_t position) const {
  const auto run = std::upper_bound(runs_.begin(), runs_.end(), position,
                                    [](size_t at, const Run& r) { return at < r.end; });
  return static_cast<size_t>(run - runs_.begin());
}

bool Text::is_template_at(size_t position) const {
  const size_t run = run_of(position);
  return run < runs_.size() && runs_[run].is_template;
}

void Text::append(std::string_view bytes, bool is_template) {
  if (bytes.empty()) return;
  bytes_.append(bytes);
  const auto end = static_cast<uint32_t>(bytes_.size());
  if (!runs_.empty() && runs_.back().is_template == is_template) {
    runs_.back().end = end;
  } else {
    runs_.push_back({end, is_template});
  }
}

void Text::append_slice(const Text& other, size_t begin, size_t end) {
  end = std::min(end, other.size());
  for (size_t run = other.run_of(begin); begin < end; ++run) {
    const size_t stop = std::min<size_t>(end, other.runs_[run].end);
    append(std::string_view(other.bytes_).substr(begin, stop - begin),
           other.runs_[run].is_template);
    begin = stop;
  }
}

Text Text::slice(size_t begin, size_t end) const {
  Text part;
  part.append_slice(*this, begin, end);
  return part;
}

}  // namespace legato::tokenizer::jinja
