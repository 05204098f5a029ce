# The page of the HTML reports, made by npm and Vite: html_template is the file that the build will
# write, or empty with the reason in html_missing. The rest of the product does not need it.
set(html_template "")
set(html_missing "")
set(html_source "${CMAKE_CURRENT_SOURCE_DIR}/html")
set(html_work "${CMAKE_CURRENT_BINARY_DIR}/html")

find_program(STEPCAST_NODE node)
find_program(STEPCAST_NPM npm)
if(NOT STEPCAST_NODE OR NOT STEPCAST_NPM)
  set(html_missing "Node was not found when it was configured")
else()
  file(COPY "${html_source}/package.json" "${html_source}/package-lock.json" DESTINATION "${html_work}")
  file(SHA256 "${html_work}/package-lock.json" html_packages)
  set(html_stamp "${html_work}/node_modules/.stepcast-${html_packages}")
  if(NOT EXISTS "${html_stamp}")
    message(STATUS "HTML reports: installing their build tools with npm")
    execute_process(
      COMMAND "${STEPCAST_NPM}" ci --ignore-scripts --no-audit --no-fund --fetch-retries=1
      WORKING_DIRECTORY "${html_work}"
      RESULT_VARIABLE html_result
      OUTPUT_VARIABLE html_output
      ERROR_VARIABLE html_output)
    if(html_result EQUAL 0)
      file(TOUCH "${html_stamp}")
    else()
      message(STATUS "npm ci: ${html_output}")
      set(html_missing "npm could not install its build tools when it was configured")
    endif()
  endif()
endif()

if(html_missing)
  message(STATUS "HTML reports: off, ${html_missing}; all other outputs are built")
else()
  message(STATUS "HTML reports: on (${STEPCAST_NODE})")
  set(html_template "${html_work}/dist/index.html")
  file(GLOB_RECURSE html_sources CONFIGURE_DEPENDS "${html_source}/src/*")
  add_custom_command(
    OUTPUT "${html_template}"
    COMMAND "${CMAKE_COMMAND}" -E rm -rf src
    COMMAND "${CMAKE_COMMAND}" -E copy_directory "${html_source}/src" src
    COMMAND "${CMAKE_COMMAND}" -E copy "${html_source}/index.html" "${html_source}/vite.config.js" .
    COMMAND "${STEPCAST_NODE}" node_modules/vite/bin/vite.js build --logLevel warn
    WORKING_DIRECTORY "${html_work}"
    DEPENDS ${html_sources} "${html_source}/index.html" "${html_source}/vite.config.js"
            "${html_work}/package-lock.json"
    COMMENT "Building the page of the HTML reports"
    VERBATIM)
endif()
