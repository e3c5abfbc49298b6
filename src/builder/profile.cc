#include "builder/profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>
#include <string>

#include "base/status.h"

namespace legato::builder {
namespace {

/// Adds the names in a dimension's text: words that begin with no digit.
void add_symbols(const Dim& dim, std::set<std::string>& symbols) {
  if (dim.is_constant()) return;
  std::string word;
  for (const char c : dim.to_string() + " ") {
    if (c != ' ' && c != '*' && c != '+' && c != '-') {
      word += c;
      continue;
    }
    if (!word.empty() && (word.front() < '0' || word.front() > '9')) symbols.insert(word);
    word.clear();
  }
}

void add_symbols(const SymShape& shape, std::set<std::string>& symbols) {
  for (const Dim& dim : shape.dims) add_symbols(dim, symbols);
}

void refuse_unknown(const ir::Graph& graph, const ir::Node& node,
                    const std::set<std::string>& known) {
  for (const ir::ValueId output : node.outputs) {
    const SymShape& shape = graph.value(output).type.shape;
    std::set<std::string> used;
    add_symbols(shape, used);
    for (const std::string& symbol : used) {
      if (known.count(symbol) == 0)
        throw Error(Code::kUnsupported, node.name,
                    fmt::format("{} has an output {} whose extent {} only its data tells, expected "
                                "one that follows from the inputs' shapes",
                                node.op, shape.to_string(), symbol));
    }
  }
}

}  // namespace

std::vector<engine::ProfileDim> make_profile(const ir::Graph& graph, const BuildOptions& options) {
  const int64_t most = options.max_step_tokens;
  if (most < 1 || most > std::numeric_limits<int32_t>::max())
    throw Error(Code::kInvalidArgument, "max_step_tokens",
                fmt::format("is {}, expected 1 to {}", most, std::numeric_limits<int32_t>::max()));
  std::set<std::string> symbols;
  for (const ir::ValueId input : graph.inputs())
    add_symbols(graph.value(input).type.shape, symbols);
  std::vector<engine::ProfileDim> profile;
  for (const std::string& symbol : symbols) {
    // A prefill chunk may want no logits at all.
    const bool rows = symbol == "logit_rows";
    profile.push_back({symbol, rows ? 0 : 1, 1, most});
  }
  for (const ir::NodeId id : graph.order()) refuse_unknown(graph, graph.node(id), symbols);
  return profile;
}

}  // namespace legato::builder
