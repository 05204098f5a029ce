# The page of the HTML reports, made by npm and Vite: html_template is the file that the build will
# write, or empty with the reason in html_missing. The rest of the product does not need it.
set(html_template "")
set(html_missing "")
set(html_source "${CMAKE_CURRENT_SOURCE_DIR}/html")
set(html_work "${CMAKE_CURRENT_BINARY_DIR}/html")

# Installs the packages that from/package-lock.json pins into to/node_modules, unless they are there;
# the reason in `missing` when npm cannot.
function(stepcast_npm_ci from to missing)
  file(COPY "${from}/package.json" "${from}/package-lock.json" DESTINATION "${to}")
  file(SHA256 "${to}/package-lock.json" hash)
  set(stamp "${to}/node_modules/.stepcast-${hash}")
  if(EXISTS "${stamp}")
    return()
  endif()
  message(STATUS "npm: installing the packages of ${from}")
  execute_process(
    COMMAND "${STEPCAST_NPM}" ci --ignore-scripts --no-audit --no-fund --fetch-retries=1
    WORKING_DIRECTORY "${to}"
    RESULT_VARIABLE result
    OUTPUT_VARIABLE output
    ERROR_VARIABLE output)
  if(result EQUAL 0)
    file(TOUCH "${stamp}")
  else()
    message(STATUS "npm: ${output}")
    set(${missing} "npm could not install the packages of its pages when it was configured" PARENT_SCOPE)
  endif()
endfunction()

find_program(STEPCAST_NODE node)
find_program(STEPCAST_NPM npm)
if(NOT STEPCAST_NODE OR NOT STEPCAST_NPM)
  set(html_missing "Node was not found when it was configured")
else()
  stepcast_npm_ci("${html_source}" "${html_work}" html_missing)
endif()
set_property(GLOBAL PROPERTY STEPCAST_HTML_MISSING "${html_missing}")

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
