// SPDX-License-Identifier: Apache-2.0
// HDF5 behind a few functions: tables of doubles and numbers as attributes. The library's own error
// printing is off; failures give sentences. A file is made in memory and written whole, so
// a full disk leaves nothing half-written. Files that may be larger than memory are made on disk.
#ifndef CR_TOOLS_HDF5_H
#define CR_TOOLS_HDF5_H

#include "base/status.h"

typedef struct cr_h5 cr_h5;

/// Opens for reading. CR_ERR_FILE (missing, not readable), CR_ERR_FORMAT (not an HDF5 file).
cr_status cri_h5_open(cr_h5** file, const char* path, cr_error* error);

/// A new file in memory; `path` is where cri_h5_save will put it.
cr_status cri_h5_create(cr_h5** file, const char* path, cr_error* error);

/// Writes the file of cri_h5_create to its path. CR_ERR_FILE with the system's reason.
cr_status cri_h5_save(cr_h5* file, cr_error* error);

void cri_h5_close(cr_h5* file);

/// True if there is an object of this name ("toss/0001/state").
bool cri_h5_has(const cr_h5* file, const char* name);

/// Calls visit(context, name) for every member of a group in order of name, until one fails.
cr_status cri_h5_each(const cr_h5* file, const char* group,
                      cr_status (*visit)(void* context, const char* name), void* context,
                      cr_error* error);

/// Reads a data set of one or two dimensions as doubles, row-major; the caller frees *values. One
/// dimension counts as one column. CR_ERR_FORMAT if it is missing, not numbers, or has more.
cr_status cri_h5_read(const cr_h5* file, const char* name, double** values, int* rows, int* cols,
                      cr_error* error);

/// Rows of a data set, and numbers in a row: all dimensions behind the first. CR_ERR_FORMAT as above.
cr_status cri_h5_shape(const cr_h5* file, const char* name, int* rows, int* cols, cr_error* error);

/// Reads rows first ... first + n - 1.
cr_status cri_h5_read_rows(const cr_h5* file, const char* name, int first, int n, double* values,
                           cr_error* error);

/// Reads a number attribute of an object ("/" is the root); *present: there is one.
cr_status cri_h5_read_attribute(const cr_h5* file, const char* object, const char* name,
                                double* value, bool* present, cr_error* error);

/// Reads an attribute of n numbers, n of 1 too. CR_ERR_FORMAT if it is something else.
cr_status cri_h5_read_numbers(const cr_h5* file, const char* object, const char* name, int n,
                              double* values, bool* present, cr_error* error);

/// Reads a text attribute, of one text or a row of them, joined by commas; the caller frees *text. NULL
/// if there is none. CR_ERR_FORMAT if it is no text of fixed length.
cr_status cri_h5_read_texts(const cr_h5* file, const char* object, const char* name, char** text,
                            cr_error* error);

/// Writes rows x cols doubles; groups in the name are made. cols 0 means one dimension.
cr_status cri_h5_write(cr_h5* file, const char* name, const double* values, int rows, int cols,
                       cr_error* error);

cr_status cri_h5_write_attribute(cr_h5* file, const char* object, const char* name, double value,
                                 cr_error* error);
cr_status cri_h5_write_text(cr_h5* file, const char* object, const char* name, const char* value,
                            cr_error* error);

/// Creates a file on disk, to be written piece by piece; opens such a file again. Its data sets get room for so
/// many numbers at once. All room is there from the beginning, so flushed data stay
/// readable whatever happens later.
/// Errors   CR_ERR_FILE (also if the numbers do not fit on the disk), CR_ERR_FORMAT
cr_status cri_h5_create_on_disk(cr_h5** file, const char* path, size_t numbers, cr_error* error);
cr_status cri_h5_open_on_disk(cr_h5** file, const char* path, cr_error* error);

/// Closes such a file and renames it, when the disk has all of it. Until then no other run
/// can open it in either of these two ways: they give CR_ERR_FILE.
cr_status cri_h5_finish(cr_h5* file, const char* path, cr_error* error);

/// Makes room for rows x cols doubles, cols 0 meaning one dimension; writes some of its rows.
cr_status cri_h5_reserve(cr_h5* file, const char* name, int rows, int cols, cr_error* error);
cr_status cri_h5_write_rows(cr_h5* file, const char* name, int first, int n, const double* values,
                            cr_error* error);
/// The same with a text of at most size - 1 characters a row; `texts` holds them `size` apart,
/// zeros behind.
cr_status cri_h5_reserve_texts(cr_h5* file, const char* name, int rows, int size, cr_error* error);
cr_status cri_h5_write_texts(cr_h5* file, const char* name, int first, int n, int size,
                             const char* texts, cr_error* error);
cr_status cri_h5_read_text(const cr_h5* file, const char* name, int row, int size, char* text,
                           cr_error* error);

/// Brings everything that was written to the disk.
cr_status cri_h5_flush(cr_h5* file, cr_error* error);

/// After the last cri_h5_reserve: takes the room on the disk.
cr_status cri_h5_settle(cr_h5* file, cr_error* error);

#endif
