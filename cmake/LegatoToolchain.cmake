# Compiler cache, linker, warnings and sanitizers: what every target of the project shares.

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

find_program(LEGATO_CCACHE ccache)
if(LEGATO_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${LEGATO_CCACHE})
endif()

find_program(LEGATO_MOLD mold)
if(LEGATO_MOLD)
  add_link_options(-fuse-ld=mold)
endif()

add_compile_options(-Wall -Wextra -Wshadow -Wnon-virtual-dtor -Wno-missing-field-initializers)
# A multiply and an add stay two roundings unless the code says fma: results must not depend on the compiler's choice.
add_compile_options(-ffp-contract=off)
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")

if(LEGATO_SANITIZE)
  add_compile_options(-fsanitize=${LEGATO_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${LEGATO_SANITIZE})
  if(LEGATO_SANITIZE MATCHES thread AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    add_compile_options(-Wno-tsan)
  endif()
endif()

if(LEGATO_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
  add_link_options(-fsanitize=fuzzer-no-link)
endif()
