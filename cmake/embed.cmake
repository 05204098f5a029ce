# cmake -D NAME=function -D OUT=file.cpp -D FILES=a.json,b.json -P embed.cmake
# Writes a C++ source with stepcast::NAME(): the files' texts, in the order given.
string(REPLACE "," ";" FILES "${FILES}")
set(body "")
foreach(file IN LISTS FILES)
  file(READ "${file}" text)
  get_filename_component(stem "${file}" NAME_WLE)
  # Compilers limit one literal to 64 KiB; adjacent ones are joined.
  string(LENGTH "${text}" length)
  set(literals "")
  set(at 0)
  while(at LESS length)
    string(SUBSTRING "${text}" ${at} 12000 part)
    string(APPEND literals "R\"__embed__(${part})__embed__\"\n")
    math(EXPR at "${at} + 12000")
  endwhile()
  if(literals STREQUAL "")
    set(literals "\"\"")
  endif()
  string(APPEND body "      {\"${stem}\", ${literals}},\n")
endforeach()
file(WRITE "${OUT}" "#include \"common/files.hpp\"\n\nnamespace stepcast {\n
const std::vector<EmbeddedFile>& ${NAME}();\n
const std::vector<EmbeddedFile>& ${NAME}() {
  static const std::vector<EmbeddedFile> files{\n${body}  };\n  return files;\n}\n\n}  // namespace stepcast\n")
