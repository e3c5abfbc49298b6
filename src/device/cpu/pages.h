#pragma once

#include <cstddef>
#include <string>

#include "base/status.h"

namespace legato {

inline constexpr size_t kPageBytes = 4096;
inline constexpr size_t kHugePageBytes = size_t{2} << 20;

/// Address space for `bytes` (whole pages) that begins at a huge page's boundary, private, without
/// a file and of that protection (PROT_*); null when there is none. munmap() gives it back.
std::byte* map_at_huge_page(size_t bytes, int protection);

/// Refuses more memory than the machine has (kResourceExhausted): the kernel promises more than
/// that and kills who believes it.
Status check_fits_machine(size_t bytes, const std::string& where);

}  // namespace legato
