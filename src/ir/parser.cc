#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>

#include "base/hash.h"
#include "ir/graph.h"
#include "ir/rules/operands.h"
#include "ir/text_lexer.h"
#include "ir/text_literal.h"
#include "tensor/quant_format.h"

namespace legato::ir {
namespace {

/// What a text may cost: nodes take some hundred bytes a line.
constexpr size_t kMaxTextBytes = size_t{2} << 20;

bool is_integer(std::string_view word) {
  return word.find_first_not_of("+-0123456789") == std::string_view::npos;
}

class Parser {
 public:
  Parser(std::string_view text, const ConstantLookup& constants)
      : lexer_(text), constants_(constants) {}

  Graph parse() {
    lexer_.expect_word("graph");
    lexer_.expect('{');
    while (!lexer_.take('}')) statement();
    if (!lexer_.at_end()) lexer_.refuse_next("the end");
    return std::move(graph_);
  }

 private:
  void statement() {
    if (lexer_.take_word("metadata")) return metadata();
    if (lexer_.take_word("input")) return input();
    if (lexer_.take_word("constant")) return constant();
    if (lexer_.take_word("output")) return output();
    if (lexer_.peek() == '%') return node();
    lexer_.refuse_next("a statement");
  }

  /// Runs what may refuse for another reason than spelling, and tells where.
  template <typename Body>
  auto at(const std::string& place, Body&& body) {
    try {
      return body();
    } catch (const Error& error) {
      throw Error(error.status().code, place, error.status().to_string());
    }
  }

  void metadata() {
    std::string key = lexer_.quoted_string();
    lexer_.expect('=');
    graph_.metadata()[std::move(key)] = lexer_.quoted_string();
  }

  ValueType type() {
    const std::string_view name = lexer_.name("a dtype");
    const auto dtype = dtype_from_name(name);
    if (!dtype) lexer_.refuse(fmt::format("\"{}\" is no dtype", name));
    return {*dtype, lexer_.shape()};
  }

  void define(std::string name, ValueId id) { values_.emplace(std::move(name), id); }

  void input() {
    const std::string name = lexer_.value_name();
    const std::string place = lexer_.place();
    lexer_.expect(':');
    ValueType declared = type();
    define(name, at(place, [&] { return graph_.add_input(name, std::move(declared)); }));
  }

  void constant() {
    const std::string name = lexer_.value_name();
    const std::string place = lexer_.place();
    lexer_.expect(':');
    const ValueType declared = type();
    const Result<Shape> shape = declared.shape.evaluate({});
    if (!shape.ok()) lexer_.refuse("a constant's shape: " + shape.status().message);
    if (is_quantised(declared.dtype)) {
      if (!is_quantised_matrix(declared.dtype, *shape))
        lexer_.refuse(fmt::format("a constant of {} is {}, expected a matrix of whole blocks",
                                  dtype_name(declared.dtype), shape->to_string()));
    } else if (!checked_bytes(shape->dims(), dtype_bytes(declared.dtype))) {
      lexer_.refuse("a constant's size does not fit 64 bits");
    }
    ConstantPtr data = lexer_.take('=')
                           ? inline_data(declared.dtype, *shape)
                           : at(place, [&] { return outside_data(name, declared.dtype, *shape); });
    define(name, at(place, [&] { return graph_.add_constant(name, std::move(data)); }));
  }

  ConstantPtr outside_data(const std::string& name, DType dtype, const Shape& shape) {
    if (constants_) return constants_(name, dtype, shape);
    if (!is_float(dtype))
      throw Error(Code::kMalformed, fmt::format("constant \"{}\"", name),
                  fmt::format("of {} has no elements in the text", dtype_name(dtype)));
    const auto seed = hash_bytes(std::as_bytes(std::span(name.data(), name.size())));
    return random_normal(dtype, shape, seed, 0.05f);
  }

  ConstantPtr inline_data(DType dtype, const Shape& shape) {
    if (is_quantised(dtype))
      lexer_.refuse(fmt::format("a constant of {} has no elements in the text", dtype_name(dtype)));
    if (shape.elements() > kMaxPrintedElements)
      lexer_.refuse(fmt::format("a constant of {} elements, at most {} stand in the text",
                                shape.elements(), kMaxPrintedElements));
    Tensor tensor(dtype, shape);
    lexer_.expect('[');
    for (int64_t i = 0; i < shape.elements(); ++i) {
      if (i > 0) lexer_.expect(',');
      element(tensor, i);
    }
    lexer_.expect(']');
    return constant_from_tensor(std::move(tensor));
  }

  void element(Tensor& tensor, int64_t index) {
    const DType dtype = tensor.dtype();
    if (dtype == DType::kF64) {
      tensor.data<double>()[index] = real<double>(lexer_.number());
    } else if (is_float(dtype)) {
      store_element(dtype, tensor.raw().data(), index, real<float>(lexer_.number()));
    } else if (dtype == DType::kU64) {
      tensor.data<uint64_t>()[index] = parsed<uint64_t>(lexer_.number());
    } else if (dtype == DType::kI64) {
      tensor.data<int64_t>()[index] = parsed<int64_t>(lexer_.number());
    } else {
      const auto value = parsed<int64_t>(lexer_.number());
      std::byte* target = tensor.raw().data() + static_cast<size_t>(index) * dtype_bytes(dtype);
      convert_elements(DType::kI64, &value, dtype, target, 1);
      if (load_element(dtype, target, 0) != static_cast<double>(value))
        lexer_.refuse(fmt::format("{} is out of range for {}", value, dtype_name(dtype)));
    }
  }

  template <typename T>
  T parsed(std::string_view word) {
    T value{};
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size())
      lexer_.refuse(fmt::format("\"{}\" is no number of the right kind or out of range", word));
    return value;
  }

  template <typename Float>
  Float real(std::string_view word) {
    if (word == "nan") return std::numeric_limits<Float>::quiet_NaN();
    return parsed<Float>(word);
  }

  Attribute attribute() {
    if (lexer_.peek() == '"') return lexer_.quoted_string();
    if (!lexer_.take('[')) {
      const std::string_view word = lexer_.number();
      if (is_integer(word)) return parsed<int64_t>(word);
      return real<double>(word);
    }
    std::vector<int64_t> ints;
    std::vector<double> floats;
    bool all_integers = true;
    while (!lexer_.take(']')) {
      if (!floats.empty()) lexer_.expect(',');
      const std::string_view word = lexer_.number();
      all_integers = all_integers && is_integer(word);
      if (all_integers) ints.push_back(parsed<int64_t>(word));
      floats.push_back(real<double>(word));
    }
    if (all_integers) return ints;
    return floats;
  }

  Attributes attributes() {
    Attributes list;
    if (!lexer_.take('{')) return list;
    while (!lexer_.take('}')) {
      if (!list.values().empty()) lexer_.expect(',');
      std::string name(lexer_.name("an attribute's name"));
      if (list.has(name)) lexer_.refuse(fmt::format("attribute \"{}\" comes twice", name));
      lexer_.expect('=');
      list.set(std::move(name), attribute());
    }
    return list;
  }

  ValueId operand() {
    if (lexer_.take_word("none")) return kNone;
    const std::string name = lexer_.value_name();
    const auto it = values_.find(name);
    if (it == values_.end()) lexer_.refuse(fmt::format("%{} is not defined above", name));
    return it->second;
  }

  void node() {
    std::vector<std::string> names;
    std::vector<ValueType> types;
    std::string place;
    do {
      names.push_back(lexer_.value_name());
      if (place.empty()) place = lexer_.place();
      lexer_.expect(':');
      types.push_back(type());
    } while (lexer_.take(','));
    lexer_.expect('=');
    std::string op(lexer_.name("an op"));
    std::vector<ValueId> inputs;
    lexer_.expect('(');
    while (!lexer_.take(')')) {
      if (!inputs.empty()) lexer_.expect(',');
      inputs.push_back(operand());
    }
    Attributes list = attributes();
    std::string name = lexer_.peek() == '"' ? lexer_.quoted_string() : names[0];
    const NodeId id = at(place, [&] {
      return graph_.add_node(std::move(op), std::move(name), std::move(inputs), std::move(list),
                             types.size(), std::move(names));
    });
    for (size_t i = 0; i < types.size(); ++i)
      at(place, [&] { finish_output(graph_.node(id).outputs[i], types[i]); });
  }

  void finish_output(ValueId id, const ValueType& declared) {
    const Value& value = graph_.value(id);
    if (value.type != declared)
      throw Error(
          Code::kMalformed, fmt::format("%{}", value.name),
          fmt::format("is declared {}, inferred {}", type_text(declared), type_text(value.type)));
    define(value.name, id);
  }

  void output() {
    std::string name = lexer_.quoted_string();
    const std::string place = lexer_.place();
    lexer_.expect('=');
    const ValueId id = operand();
    if (id == kNone) lexer_.refuse("an output has no value");
    at(place, [&] { graph_.add_output(std::move(name), id); });
  }

  TextLexer lexer_;
  const ConstantLookup& constants_;
  Graph graph_;
  std::map<std::string, ValueId, std::less<>> values_;
};

}  // namespace

Graph parse(std::string_view text, const ConstantLookup& constants) {
  if (text.size() > kMaxTextBytes)
    throw Error(Code::kMalformed, "graph text",
                fmt::format("has {} bytes, at most {} are read", text.size(), kMaxTextBytes));
  return Parser(text, constants).parse();
}

}  // namespace legato::ir
