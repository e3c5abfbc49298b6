#pragma once

#include <cstdint>
#include <vector>

#include "ir/graph.h"

namespace legato::builder {

/// A run of columns of a value; `columns` -1: all of it.
struct ColumnView {
  ir::ValueId value = ir::kNone;
  int64_t first_column = 0;
  int64_t columns = -1;
};

/// How each node of a graph is executed. Most are steps; some only say where data lies already: a
/// Reshape and its kin name another shape of the same bytes (alias), a Slice of columns is read in
/// place by its users (view).
class NodeForms {
 public:
  enum class Form : uint8_t { kStep, kAlias, kView };

  explicit NodeForms(const ir::Graph& graph);

  Form form(ir::NodeId node) const { return forms_[static_cast<size_t>(node)]; }
  /// Where the data of a value lies: itself, or columns of another value.
  ColumnView resolve(ir::ValueId value) const;
  /// The value whose bytes an alias shares; the value itself otherwise.
  ir::ValueId root(ir::ValueId value) const;

 private:
  bool read_in_place(ir::NodeId slice) const;
  bool is_form(ir::ValueId value, Form form) const;

  const ir::Graph& graph_;
  std::vector<Form> forms_;
  std::vector<ColumnView> views_;  ///< of each node; of views only
};

}  // namespace legato::builder
