#pragma once

#include <optional>
#include <string>

#include "ir/graph.h"

namespace legato::builder {

/// The node that keeps a graph from running a sequence piece by piece.
struct Obstacle {
  std::string node;
  std::string reason;  ///< for people: "ReduceMean combines all positions"
  bool operator==(const Obstacle& other) const = default;
};

/// Follows the sequence axis (the extent of `input_ids`, or of the first input, that counts
/// positions) through the graph by what each op states of itself, and returns the first node that
/// neither treats positions one by one nor is causal attention. A Gather by a graph input picks the
/// rows that the caller wants and ends the axis.
std::optional<Obstacle> find_obstacle(const ir::Graph& graph);

}  // namespace legato::builder
