# SPDX-License-Identifier: Apache-2.0
# Writes the text of files as a C array: cmake -DNAME=array -DFILES=a,b -DOUT=file.c -P embed.cmake
string(REPLACE "," ";" files "${FILES}")
set(bytes)
foreach(file IN LISTS files)
  file(READ ${file} hex HEX)
  string(REGEX REPLACE "(..)" "0x\\1," hex "${hex}")
  string(APPEND bytes "${hex}\n")
endforeach()
file(WRITE ${OUT} "extern const char ${NAME}[];\nconst char ${NAME}[] = {\n${bytes}0};\n")
