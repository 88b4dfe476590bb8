# SPDX-License-Identifier: MIT
# tlogConfig.cmake - for find_package(tlog) when `make install` has put it into PREFIX/share/cmake/tlog. It finds the
# sources from its own place, so PREFIX may be moved.
include("${CMAKE_CURRENT_LIST_DIR}/../../tlog/port/cmake/tlog.cmake")
