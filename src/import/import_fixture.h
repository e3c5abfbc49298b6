#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>

#include "base/log.h"
#include "base/status.h"

namespace legato::importer {

/// What is logged during its life; messages are dropped afterwards.
class LogCapture {
 public:
  LogCapture() {
    set_log_sink([this](const std::string& line) { text_ += line + "\n"; });
  }
  ~LogCapture() {
    set_log_sink([](const std::string&) {});
  }
  LogCapture(const LogCapture&) = delete;
  LogCapture& operator=(const LogCapture&) = delete;

  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

/// The bytes of a safetensors file: header length, header, data of zeros.
inline std::string safetensors_bytes(const std::string& header, size_t data_bytes) {
  const uint64_t length = header.size();
  std::string bytes(sizeof length, '\0');
  std::memcpy(bytes.data(), &length, sizeof length);
  return bytes + header + std::string(data_bytes, '\0');
}

/// The message of the Error that `body` throws; fails the test when it throws none.
template <typename Body>
std::string error_of(Body&& body) {
  const Status status = catch_error(std::forward<Body>(body));
  EXPECT_FALSE(status.ok()) << "expected an error";
  EXPECT_EQ(status.to_string().find('\n'), std::string::npos) << status.to_string();
  return status.to_string();
}

}  // namespace legato::importer
