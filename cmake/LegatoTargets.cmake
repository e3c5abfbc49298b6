# One helper a kind of target, so that a folder's CMakeLists.txt only lists files.

# legato_library(NAME SOURCES ... [DEPS ...] [TESTS ...] [TEST_DEPS ...])
# A static library legato_NAME, and legato_NAME_test from the test files beside the sources.
function(legato_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS;TESTS;TEST_DEPS" ${ARGN})
  if(ARG_SOURCES)
    add_library(legato_${name} STATIC ${ARG_SOURCES})
    target_include_directories(legato_${name} PUBLIC ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/include
                                                     ${CMAKE_BINARY_DIR}/generated)
    target_link_libraries(legato_${name} PUBLIC ${ARG_DEPS})
  else()
    add_library(legato_${name} INTERFACE)
    target_include_directories(legato_${name} INTERFACE ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/include)
    target_link_libraries(legato_${name} INTERFACE ${ARG_DEPS})
  endif()
  if(LEGATO_TESTS AND ARG_TESTS)
    legato_test(${name}_test SOURCES ${ARG_TESTS} DEPS legato_${name} ${ARG_TEST_DEPS})
  endif()
endfunction()

# legato_test(NAME SOURCES ... [DEPS ...] [LABELS ...] [TIMEOUT seconds])
# A GoogleTest program; each of its cases is a ctest case. Tests find data through the two paths defined here.
function(legato_test name)
  cmake_parse_arguments(ARG "" "TIMEOUT" "SOURCES;DEPS;LABELS" ${ARGN})
  if(NOT ARG_LABELS)
    set(ARG_LABELS unit)
  endif()
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 300)
  endif()
  add_executable(legato_${name} ${ARG_SOURCES})
  target_include_directories(legato_${name} PRIVATE ${CMAKE_SOURCE_DIR})
  target_link_libraries(legato_${name} PRIVATE ${ARG_DEPS} GTest::gtest GTest::gmock GTest::gtest_main)
  target_compile_definitions(legato_${name} PRIVATE LEGATO_SOURCE_DIR="${CMAKE_SOURCE_DIR}"
                                                    LEGATO_BINARY_DIR="${CMAKE_BINARY_DIR}")
  gtest_discover_tests(legato_${name} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
                       PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT ${ARG_TIMEOUT})
endfunction()

# legato_plugins(FOLDER NAMESPACE REGISTRY_TYPE HEADER OUT_VARIABLE)
# Lists FOLDER/*.cc (no tests), sorted, and generates <FOLDER>_register.cc, which calls register_<stem>(REGISTRY_TYPE&)
# of each file: adding a file adds the op, tactic or architecture, and nothing else is edited.
function(legato_plugins folder namespace registry header out)
  file(GLOB files CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.cc)
  list(FILTER files EXCLUDE REGEX "_test\\.cc$")
  list(SORT files)
  get_filename_component(stem_of_folder ${folder} NAME)
  set(declarations "")
  set(calls "")
  foreach(file ${files})
    get_filename_component(stem ${file} NAME_WE)
    string(APPEND declarations "void register_${stem}(${registry}& registry);\n")
    string(APPEND calls "  register_${stem}(registry);\n")
  endforeach()
  string(REPLACE "/" "_" flat ${folder})
  set(generated ${CMAKE_CURRENT_BINARY_DIR}/${flat}_register.cc)
  file(CONFIGURE OUTPUT ${generated} CONTENT
"// Generated from the files of ${folder}/.
#include \"${header}\"

namespace ${namespace} {

${declarations}
void register_all_${flat}(${registry}& registry) {
${calls}}

}  // namespace ${namespace}
" @ONLY)
  set(${out} ${files} ${generated} PARENT_SCOPE)
endfunction()
