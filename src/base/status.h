#pragma once

#include <exception>
#include <new>
#include <string>
#include <utility>

#include "legato/status.h"

namespace legato {

/// Builds a failure in one expression: `return fail(Code::kMalformed, path, "header is 3 bytes,
/// expected 8")`.
inline Status fail(Code code, std::string where, std::string message) {
  return Status{code, std::move(message), std::move(where)};
}

/// What the compiling half (ir, import, passes, quant, builder) throws. The serving half returns
/// Result instead.
class Error : public std::exception {
 public:
  explicit Error(Status status) : status_(std::move(status)), text_(status_.to_string()) {}
  Error(Code code, std::string where, std::string message)
      : Error(fail(code, std::move(where), std::move(message))) {}

  const Status& status() const { return status_; }
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  Status status_;
  std::string text_;
};

/// Unwraps a Result where failures are exceptions.
template <typename T>
T value_or_throw(Result<T> result) {
  if (!result.ok()) throw Error(result.status());
  return std::move(result).value();
}

inline void throw_if_failed(const Status& status) {
  if (!status.ok()) throw Error(status);
}

/// Runs `body`, which may throw Error, and turns that into a Status: the seam between the two
/// halves.
template <typename Body>
Status catch_error(Body&& body) {
  try {
    std::forward<Body>(body)();
    return {};
  } catch (const Error& error) {
    return error.status();
  } catch (const std::bad_alloc&) {
    return fail(Code::kResourceExhausted, "", "out of memory");
  }
}

}  // namespace legato

#define LEGATO_CONCAT_INNER(a, b) a##b
#define LEGATO_CONCAT(a, b) LEGATO_CONCAT_INNER(a, b)

/// Returns early with the failure of a Status expression.
#define LEGATO_RETURN_IF_ERROR(expression)                                                \
  do {                                                                                    \
    if (::legato::Status status_of_expression = (expression); !status_of_expression.ok()) \
      return status_of_expression;                                                        \
  } while (false)

/// `LEGATO_ASSIGN_OR_RETURN(auto file, open(path));` binds the value or returns the failure.
#define LEGATO_ASSIGN_OR_RETURN(declaration, expression) \
  LEGATO_ASSIGN_OR_RETURN_INNER(LEGATO_CONCAT(result_at_, __LINE__), declaration, expression)
#define LEGATO_ASSIGN_OR_RETURN_INNER(result, declaration, expression) \
  auto result = (expression);                                          \
  if (!result.ok()) return result.status();                            \
  declaration = std::move(result).value()
