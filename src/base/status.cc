#include "base/status.h"

namespace legato {
inline namespace v1 {

const char* code_name(Code code) {
  switch (code) {
    case Code::kOk:
      return "ok";
    case Code::kInvalidArgument:
      return "invalid argument";
    case Code::kNotFound:
      return "not found";
    case Code::kMalformed:
      return "malformed";
    case Code::kUnsupported:
      return "unsupported";
    case Code::kVersionMismatch:
      return "version mismatch";
    case Code::kDeviceMismatch:
      return "device mismatch";
    case Code::kCorrupt:
      return "corrupt";
    case Code::kResourceExhausted:
      return "resource exhausted";
    case Code::kIo:
      return "i/o error";
    case Code::kCancelled:
      return "cancelled";
    case Code::kInternal:
      return "internal error";
  }
  return "unknown";
}

}  // namespace v1
}  // namespace legato
