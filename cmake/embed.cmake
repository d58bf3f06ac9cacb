# SPDX-License-Identifier: Apache-2.0
# Writes the bytes of files as a C array, with a zero behind them, and their number: cmake -DTYPE=char -DNAME=array -DFILES=a,b -DOUT=file.c -P embed.cmake
string(REPLACE "," ";" files "${FILES}")
set(bytes)
set(size 0)
foreach(file IN LISTS files)
  file(READ ${file} hex HEX)
  string(LENGTH "${hex}" digits)
  math(EXPR size "${size} + ${digits} / 2")
  string(REGEX REPLACE "(..)" "0x\\1," hex "${hex}")
  string(APPEND bytes "${hex}\n")
endforeach()
file(WRITE ${OUT} "extern const ${TYPE} ${NAME}[];\nconst ${TYPE} ${NAME}[] = {\n${bytes}0};\n"
                   "extern const unsigned ${NAME}_size;\nconst unsigned ${NAME}_size = ${size};\n")
