# stepcast_library(name LINK targets...): the folder's own *.cpp as stepcast_<name>.
function(stepcast_library name)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "" "LINK;PRIVATE_LINK")
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cpp")
  if(sources)
    add_library(stepcast_${name} STATIC ${sources})
    target_link_libraries(stepcast_${name} PUBLIC ${ARG_LINK} PRIVATE stepcast_options ${ARG_PRIVATE_LINK})
    target_include_directories(stepcast_${name} PUBLIC "${PROJECT_SOURCE_DIR}")
  else()
    add_library(stepcast_${name} INTERFACE)
    target_link_libraries(stepcast_${name} INTERFACE ${ARG_LINK})
    target_include_directories(stepcast_${name} INTERFACE "${PROJECT_SOURCE_DIR}")
  endif()
endfunction()

# stepcast_embed(name function files...): compiles data files into stepcast_<name> as function().
function(stepcast_embed name function)
  set(out "${CMAKE_CURRENT_BINARY_DIR}/${function}.cpp")
  string(REPLACE ";" "," files "${ARGN}")
  add_custom_command(
    OUTPUT "${out}"
    COMMAND "${CMAKE_COMMAND}" -D NAME=${function} "-DOUT=${out}" "-DFILES=${files}" -P
            "${PROJECT_SOURCE_DIR}/cmake/embed.cmake"
    DEPENDS ${ARGN} "${PROJECT_SOURCE_DIR}/cmake/embed.cmake"
    VERBATIM)
  target_sources(stepcast_${name} PRIVATE "${out}")
endfunction()

# stepcast_tests(folder LINK targets...): tests/<folder>/*_test.cpp as one program, each test known to ctest.
function(stepcast_tests folder)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "" "LINK")
  string(REPLACE "/" "_" name "${folder}")
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*_test.cpp")
  if(NOT sources)
    return()
  endif()
  add_executable(${name}_tests ${sources})
  target_link_libraries(${name}_tests PRIVATE ${ARG_LINK} stepcast_options GTest::gtest GTest::gmock
                                              GTest::gtest_main)
  target_compile_definitions(${name}_tests PRIVATE STEPCAST_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  if(STEPCAST_SANITIZE)
    # What is tested is optimised; optimising the tests themselves takes longer than running them.
    target_compile_options(${name}_tests PRIVATE -O0)
  endif()
  gtest_discover_tests(${name}_tests DISCOVERY_MODE PRE_TEST PROPERTIES LABELS ${name})
endfunction()
