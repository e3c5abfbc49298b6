# The installed form: liblegato.so.0 with versioned symbols, liblegato.a, headers, the program, and
# the files that find_package(legato) and pkg-config read.

set(version_script ${CMAKE_SOURCE_DIR}/src/api/exports.map)

# All code is in static libraries, one a folder; the shared one exports what include/legato declares.
file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/liblegato.cc CONTENT "// All code is in the static libraries.\n")
add_library(legato SHARED ${CMAKE_CURRENT_BINARY_DIR}/liblegato.cc)
target_include_directories(legato PUBLIC $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include>
                                         $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_compile_features(legato PUBLIC cxx_std_20)
target_link_libraries(legato PRIVATE $<LINK_LIBRARY:WHOLE_ARCHIVE,legato_api>)
# code_name() lies in base, where nothing of api would pull it in.
target_link_options(legato PRIVATE -Wl,--version-script=${version_script} -Wl,--no-undefined
                                   -Wl,-u,_ZN6legato2v19code_nameENS0_4CodeE)
set_target_properties(legato PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}
                                        LINK_DEPENDS ${version_script})

# Every project library below `target`, itself included.
function(legato_archives target out)
  set(found ${${out}} ${target})
  get_target_property(dependencies ${target} LINK_LIBRARIES)
  foreach(dependency ${dependencies})
    if(dependency MATCHES "^legato_" AND NOT dependency IN_LIST found)
      legato_archives(${dependency} found)
    endif()
  endforeach()
  set(${out} ${found} PARENT_SCOPE)
endfunction()

set(archives "")
legato_archives(legato_api archives)
set(merge "CREATE liblegato.a\n")
foreach(archive ${archives})
  string(APPEND merge "ADDLIB $<TARGET_FILE:${archive}>\n")
endforeach()
string(APPEND merge "SAVE\nEND\n")
file(GENERATE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/liblegato.mri CONTENT "${merge}")
add_custom_command(OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/liblegato.a
                   COMMAND ${CMAKE_AR} -M < ${CMAKE_CURRENT_BINARY_DIR}/liblegato.mri
                   DEPENDS ${archives} ${CMAKE_CURRENT_BINARY_DIR}/liblegato.mri
                   WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR} VERBATIM)
add_custom_target(legato_static ALL DEPENDS ${CMAKE_CURRENT_BINARY_DIR}/liblegato.a)

install(TARGETS legato EXPORT legatoTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS legato_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/liblegato.a DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${CMAKE_SOURCE_DIR}/include/legato DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

include(CMakePackageConfigHelpers)
set(config_folder ${CMAKE_INSTALL_LIBDIR}/cmake/legato)
install(EXPORT legatoTargets NAMESPACE legato:: DESTINATION ${config_folder})
configure_package_config_file(${CMAKE_SOURCE_DIR}/cmake/legatoConfig.cmake.in
                              ${CMAKE_CURRENT_BINARY_DIR}/legatoConfig.cmake
                              INSTALL_DESTINATION ${config_folder})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/legatoConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/legatoConfig.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/legatoConfigVersion.cmake DESTINATION ${config_folder})
# Relative, so that `cmake --install --prefix` may choose another place than the one configured.
file(RELATIVE_PATH legato_pc_to_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(${CMAKE_SOURCE_DIR}/cmake/legato.pc.in ${CMAKE_CURRENT_BINARY_DIR}/legato.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/legato.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
