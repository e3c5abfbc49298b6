#pragma once

#include <span>
#include <string>
#include <string_view>

#include "ir/op.h"

namespace legato::ir {

/// Specifications of attributes, as the files of ops/ list them.
AttributeSpec int_attribute(std::string name, int64_t otherwise, std::string doc);
AttributeSpec float_attribute(std::string name, double otherwise, std::string doc);
AttributeSpec string_attribute(std::string name, std::string otherwise, std::string doc);
AttributeSpec required(std::string name, AttributeType type, std::string doc);
/// Absent means something else than any value does.
AttributeSpec optional(std::string name, AttributeType type, std::string doc);

/// The attributes with defaults filled in and integers read as floats where floats are meant.
/// Refuses unknown names, wrong types and missing ones.
Attributes checked_attributes(const OpSchema& schema, const NodeView& view);

/// A string attribute that has to be one of `choices`.
std::string one_of(const NodeView& view, std::string_view attribute,
                   std::span<const std::string_view> choices);
/// An integer attribute of at least `least`.
int64_t at_least(const NodeView& view, std::string_view attribute, int64_t least);

}  // namespace legato::ir
