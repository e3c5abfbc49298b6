#include "cli/nearest_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace legato::cli {
namespace {

constexpr size_t kMaxWord = 64;

/// Letters to insert, delete, replace or swap with the next.
size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> before, last(b.size() + 1), row(b.size() + 1);
  std::iota(last.begin(), last.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const bool equal = a[i - 1] == b[j - 1];
      row[j] = std::min({last[j - 1] + (equal ? 0 : 1), row[j - 1] + 1, last[j] + 1});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before = last;
    last = row;
  }
  return last.back();
}

}  // namespace

std::string nearest_name(std::string_view word, const std::vector<std::string>& names) {
  if (word.size() > kMaxWord) return {};
  const std::string_view letters = word.substr(std::min(word.find_first_not_of('-'), word.size()));
  std::string best;
  size_t least = std::max<size_t>(letters.size() / 3, 1) + 1;
  for (const std::string& name : names) {
    const size_t distance = edit_distance(word, name);
    if (distance < least) {
      least = distance;
      best = name;
    }
  }
  if (!best.empty() || letters.size() < 3) return best;
  const auto begun = std::find_if(names.begin(), names.end(), [word](const std::string& name) {
    return name.starts_with(word);
  });
  return begun == names.end() ? std::string() : *begun;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& names) {
  const std::string name = nearest_name(word, names);
  return name.empty() ? std::string() : fmt::format("; did you mean {}?", name);
}

}  // namespace legato::cli
