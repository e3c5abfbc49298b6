#pragma once

#include <cassert>
#include <string>
#include <utility>
#include <variant>

/// Marks what `liblegato` exports; everything else in the shared library is hidden.
#define LEGATO_API __attribute__((visibility("default")))

namespace legato {
inline namespace v1 {

/// What kind of failure a Status reports. A caller may branch on this; the message is for people.
enum class Code {
  kOk = 0,
  kInvalidArgument,    ///< an option, request or id is out of its range
  kNotFound,           ///< a file, tensor or name does not exist
  kMalformed,          ///< bytes from outside do not follow their format
  kUnsupported,        ///< well-formed, but not implemented; the message names it
  kVersionMismatch,    ///< written by another version of the format
  kDeviceMismatch,     ///< made for another device, or needs a CPU feature that is missing
  kCorrupt,            ///< a checksum or length does not hold
  kResourceExhausted,  ///< memory, blocks, context length or disk is used up
  kIo,                 ///< the operating system refused a read or write
  kCancelled,          ///< the caller asked to stop
  kInternal,           ///< a bug in Legato
};

/// The code's name as a word, for example "malformed".
LEGATO_API const char* code_name(Code code);

/// Outcome of an operation: a code, one line for people, and where it happened (file, tensor, node
/// or field). A default Status is success.
struct [[nodiscard]] Status {
  Code code = Code::kOk;
  std::string message;
  std::string where;

  bool ok() const { return code == Code::kOk; }
  /// "where: message", or just the message when there is no place to name.
  std::string to_string() const { return where.empty() ? message : where + ": " + message; }
};

/// A value of T or the Status that explains its absence.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}        // NOLINT(google-explicit-constructor)
  Result(Status status) : value_(std::move(status)) {  // NOLINT(google-explicit-constructor)
    assert(!std::get<Status>(value_).ok() && "a Result without value needs a failure");
  }

  bool ok() const { return std::holds_alternative<T>(value_); }
  explicit operator bool() const { return ok(); }

  const Status& status() const {
    static const Status success;
    return ok() ? success : std::get<Status>(value_);
  }

  T& value() & { return std::get<T>(value_); }
  const T& value() const& { return std::get<T>(value_); }
  T&& value() && { return std::get<T>(std::move(value_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

 private:
  std::variant<T, Status> value_;
};

}  // namespace v1
}  // namespace legato
