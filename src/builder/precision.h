#pragma once

#include <string>

#include "builder/builder.h"
#include "builder/program.h"

namespace legato::builder {

/// What was asked for, else the type that most elements of matrices have.
DType weight_precision(const Program& program, const BuildOptions& options);
/// "fp32", "fp16", "bf16", "w8", "q4_0" ...
std::string precision_name(DType dtype);

/// The options that shape an engine, in one canonical line; equal options give equal text.
std::string options_text(const BuildOptions& options);

}  // namespace legato::builder
