#include <cmath>

#include "kernels/ref/elements.h"
#include "kernels/reference_tactic.h"

namespace legato::kernels::ref {
namespace {

/// A number that an integer type can hold; where the language leaves the conversion open (NaN, out
/// of range) the nearest one, and 0 for NaN.
double within(DType dtype, double value) {
  if (is_float(dtype) || dtype == DType::kBool) return value;
  if (std::isnan(value)) return 0;
  const bool is_signed =
      dtype == DType::kI8 || dtype == DType::kI16 || dtype == DType::kI32 || dtype == DType::kI64;
  const int bits = static_cast<int>(dtype_bytes(dtype)) * 8 - (is_signed ? 1 : 0);
  // The largest double below 2^bits.
  const double most =
      bits > 53 ? std::nextafter(std::ldexp(1.0, bits), 0.0) : std::ldexp(1.0, bits) - 1;
  const double least = is_signed ? -std::ldexp(1.0, bits) : 0.0;
  return value < least ? least : (value > most ? most : value);
}

Result<BoundReference> bind(const Problem& /*problem*/) {
  BoundReference bound;
  bound.launch = [](const LaunchArgs& args) {
    const Operand& x = args.inputs[0];
    const Operand& y = args.outputs[0];
    const int64_t count = y.shape.elements();
    const bool integers = !is_float(x.dtype) && !is_float(y.dtype);
    for (int64_t i = 0; i < count; ++i) {
      if (integers) {
        store_integer(y, i, load_integer(x, i));
      } else {
        store(y, i, within(y.dtype, load(x, i)));
      }
    }
  };
  return bound;
}

}  // namespace

void register_cast(TacticRegistry& registry) { add_reference(registry, "Cast", bind); }

}  // namespace legato::kernels::ref
