// Feeds arbitrary bytes to the engine reader: as a whole file, as a file whose checksums were made
// right again (so that what lies behind them is reached), and as a spec section. Beside the absence
// of crashes it checks that an accepted spec round-trips and that its sizes hold for any extents.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include "device/cpu/huge_memory.h"
#include "engine/engine.h"
#include "engine/engine_fixture.h"
#include "engine/file_layout.h"
#include "engine/section_hash.h"
#include "engine/spec_codec.h"
#include "engine/validate.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace {

using namespace legato;
using namespace legato::engine;

/// What the first byte of an input says of the rest.
enum Mode : uint8_t { kSpecBytes = 0, kFileAsItIs = 1, kFileMadeRight = 2 };

// Where the header page has its numbers (FORMAT.md).
constexpr size_t kVersionAt = 8, kCountAt = 12, kFileBytesAt = 48, kTableAt = 64, kEntryBytes = 40,
                 kNameBytes = 16;

void require(bool condition) {
  if (!condition) std::abort();
}

uint64_t number_at(const std::string& file, size_t offset) {
  uint64_t value;
  std::memcpy(&value, file.data() + offset, sizeof value);
  return value;
}

void set_number(std::string& file, size_t offset, uint64_t value) {
  std::memcpy(file.data() + offset, &value, sizeof value);
}

/// Sets version, size and checksums as they have to be; the table stays as the fuzzer made it.
void make_right(std::string& file) {
  file.resize(std::max(file.size(), kHeaderBytes));
  std::memcpy(file.data() + kVersionAt, &kFormatVersion, sizeof kFormatVersion);
  set_number(file, kFileBytesAt, file.size());
  const size_t count = std::min<size_t>(static_cast<unsigned char>(file[kCountAt]), kMaxSections);
  for (size_t i = 0; i < count; ++i) {
    const size_t entry = kTableAt + i * kEntryBytes + kNameBytes;
    const uint64_t offset = number_at(file, entry), bytes = number_at(file, entry + 8);
    if (offset > file.size() || bytes > file.size() - offset) continue;
    const uint64_t end = std::min<uint64_t>(padded_end({"", offset, bytes, 0}), file.size());
    const auto section = std::as_bytes(std::span(file)).subspan(offset, end - offset);
    set_number(file, entry + 16, section_checksum(section));
  }
  const auto head = std::as_bytes(std::span(file)).first(kHeaderBytes - 8);
  set_number(file, kHeaderBytes - 8, hash_bytes(head));
}

/// A file in memory for as long as the object lives.
class MemoryFile {
 public:
  explicit MemoryFile(const std::string& bytes) : fd_(::memfd_create("engine", MFD_CLOEXEC)) {
    require(fd_ >= 0);
    require(::write(fd_, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
  }
  ~MemoryFile() { ::close(fd_); }
  std::string path() const { return "/proc/self/fd/" + std::to_string(fd_); }

 private:
  int fd_;
};

void check_sizes(const EngineSpec& spec) {
  for (const int64_t part : {0, 1, 3, 7, 8}) {
    DimBindings bindings;
    for (const ProfileDim& dim : spec.profile)
      bindings[dim.symbol] = dim.min + (dim.max - dim.min) / 8 * part;
    for (const ValueSpec& value : spec.values) {
      const auto shape = value.shape.evaluate(bindings);
      require(shape.ok());
      if (value.storage != Storage::kSlot) continue;
      const auto bytes = checked_bytes(shape->dims(), dtype_bytes(value.dtype));
      require(bytes.has_value());
      uint64_t room = 0;
      for (const Dim& size : spec.slots[static_cast<size_t>(value.index)].bytes)
        room = std::max(room, static_cast<uint64_t>(size.evaluate(bindings).value()));
      require(*bytes <= room);
    }
  }
}

void check_status(const Status& status) {
  require(!status.message.empty() && status.to_string().find('\n') == std::string::npos);
}

void try_spec(std::span<const std::byte> bytes) {
  const auto spec = decode_spec(bytes, "fuzz");
  if (!spec.ok()) return check_status(spec.status());
  const std::string encoded = encode_spec(*spec);
  const auto again = decode_spec(std::as_bytes(std::span(encoded)), "again");
  require(again.ok() && encode_spec(*again) == encoded);
  const Status status = validate_spec(*spec, "fuzz");
  if (!status.ok()) return check_status(status);
  check_sizes(*spec);
}

void try_file(const std::string& bytes) {
  const MemoryFile file(bytes);
  HugeMemory memory;
  for (Allocator* allocator :
       {static_cast<Allocator*>(nullptr), static_cast<Allocator*>(&memory)}) {
    LoadOptions options;
    options.allocator = allocator;
    options.cpu_level = CpuLevel::kAvx512;
    const auto engine = Engine::load(file.path(), options);
    if (!engine.ok()) return check_status(engine.status());
    check_sizes((*engine)->spec());
    for (const WeightSpec& weight : (*engine)->spec().weights) {
      if (weight.bytes == 0) continue;
      volatile auto last = (*engine)->weights()[weight.offset + weight.bytes - 1];
      static_cast<void>(last);
    }
  }
}

std::string seed_of(unsigned mode) {
  std::string seed(1, static_cast<char>(mode));
  if (mode == kSpecBytes) return seed + encode_spec(small_spec());
  const TemporaryFolder folder;
  require(write_engine(folder / "seed", small_spec()).ok());
  return seed + file_bytes(folder / "seed");
}

}  // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned int seed) {
  static const std::string seeds[] = {seed_of(kSpecBytes), seed_of(kFileAsItIs),
                                      seed_of(kFileMadeRight)};
  const std::string& fresh = seeds[seed % 3];
  if ((size < 16 || seed % 1000 == 0) && fresh.size() <= max_size) {
    std::memcpy(data, fresh.data(), fresh.size());
    size = fresh.size();
  }
  return LLVMFuzzerMutate(data, size, max_size);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  std::string bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 3) {
    case kSpecBytes:
      try_spec(std::as_bytes(std::span(bytes)));
      break;
    case kFileAsItIs:
      try_file(bytes);
      break;
    default:
      make_right(bytes);
      try_file(bytes);
  }
  return 0;
}
