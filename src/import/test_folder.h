#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include "base/log.h"
#include "base/status.h"

namespace legato::importer {

/// A folder for one test, removed with it.
class TestFolder {
 public:
  TestFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "legato-import-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~TestFolder() { std::filesystem::remove_all(path_); }
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path write(const std::filesystem::path& name, const std::string& bytes) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name, std::ios::binary) << bytes;
    return path_ / name;
  }
  void link(const std::filesystem::path& target, const std::filesystem::path& name) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::filesystem::create_symlink(target, path_ / name);
  }
  /// Copies every file of a folder.
  void copy_from(const std::filesystem::path& source) const {
    std::filesystem::copy(source, path_, std::filesystem::copy_options::recursive);
  }

 private:
  std::filesystem::path path_;
};

/// What is logged during its life; messages are dropped afterwards.
class LogCapture {
 public:
  LogCapture() {
    set_log_sink([this](LogLevel, const std::string& line) { text_ += line + "\n"; });
  }
  ~LogCapture() {
    set_log_sink([](LogLevel, const std::string&) {});
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
