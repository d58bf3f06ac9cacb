// SPDX-License-Identifier: Apache-2.0
// Tables in HDF5. New files live in memory (the `core` driver, nothing on disk) until they are
// saved: the library itself does not recover well from a disk that is full.
#include "tools/hdf5.h"

#include <errno.h>
#include <fcntl.h>
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/files.h"

struct cr_h5 {
  hid_t id;
  int claim;  // descriptor that keeps other runs from a file on disk, -1 none
  char path[CR_MAX_PATH];
};

// ---- files

static cr_status begin(cr_h5** out, const char* path, cr_error* error) {
  (void)H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  cr_h5* file = calloc(1, sizeof *file);
  if (file == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "%s: no memory", path);
  }
  file->id = -1;
  file->claim = -1;
  cr_status status = cri_path_join(file->path, "", path, error);
  if (status != CR_OK) {
    free(file);
    return status;
  }
  *out = file;
  return CR_OK;
}

// the reason why a file does not open: the system's if it has one
static cr_status why_not_opened(const char* path, cr_error* error) {
  errno = 0;
  FILE* probe = fopen(path, "rb");
  bool readable = probe != NULL && (fgetc(probe) != EOF || !ferror(probe));
  int reason = errno;
  if (probe != NULL) {
    (void)fclose(probe);
  }
  return readable ? cri_fail(error, CR_ERR_FORMAT, "%s: this is not an HDF5 file, or it is damaged",
                             path)
                  : cri_fail(error, CR_ERR_FILE, "%s: cannot be read: %s", path, strerror(reason));
}

cr_status cri_h5_open(cr_h5** out, const char* path, cr_error* error) {
  cr_h5* file = NULL;
  CR_TRY(begin(&file, path, error));
  file->id = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  if (file->id < 0) {
    cri_h5_close(file);
    return why_not_opened(path, error);
  }
  *out = file;
  return CR_OK;
}

cr_status cri_h5_create(cr_h5** out, const char* path, cr_error* error) {
  enum { GROWTH = 1 << 20 };
  cr_h5* file = NULL;
  CR_TRY(begin(&file, path, error));
  hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  (void)H5Pset_fapl_core(access, GROWTH, 0);
  file->id = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access);
  (void)H5Pclose(access);
  if (file->id < 0) {
    cri_h5_close(file);
    return cri_fail(error, CR_ERR_FILE, "%s: HDF5 cannot make a file in memory", path);
  }
  *out = file;
  return CR_OK;
}

cr_status cri_h5_save(cr_h5* file, cr_error* error) {
  ssize_t size = -1;
  if (H5Fflush(file->id, H5F_SCOPE_GLOBAL) >= 0) {
    size = H5Fget_file_image(file->id, NULL, 0);
  }
  char* image = size > 0 ? malloc((size_t)size) : NULL;
  if (image == NULL || H5Fget_file_image(file->id, image, (size_t)size) != size) {
    free(image);
    return cri_fail(error, CR_ERR_MEMORY, "%s: HDF5 cannot copy the file from memory", file->path);
  }
  cr_status status = cri_file_write(file->path, image, (size_t)size, error);
  free(image);
  return status;
}

void cri_h5_close(cr_h5* file) {
  if (file == NULL) {
    return;
  }
  if (file->id >= 0) {
    (void)H5Fclose(file->id);
  }
  if (file->claim >= 0) {
    (void)close(file->claim);
  }
  free(file);
}

// ---- contents

bool cri_h5_has(const cr_h5* file, const char* name) {
  char part[CR_MAX_PATH];
  if (cri_path_join(part, "", name, NULL) != CR_OK) {
    return false;
  }
  // every group on the path has to exist before the next is tested
  for (char* c = strchr(part, '/'); c != NULL; c = strchr(c + 1, '/')) {
    *c = 0;
    if (part[0] != 0 && H5Lexists(file->id, part, H5P_DEFAULT) <= 0) {
      return false;
    }
    *c = '/';
  }
  return H5Lexists(file->id, part, H5P_DEFAULT) > 0;
}

typedef struct {
  cr_status (*visit)(void* context, const char* name);
  void* context;
  cr_status status;
} visitor;

static herr_t visit_link(hid_t group, const char* name, const H5L_info_t* info, void* data) {
  visitor* v = data;
  (void)group;
  (void)info;
  v->status = v->visit(v->context, name);
  return v->status == CR_OK ? 0 : 1;
}

cr_status cri_h5_each(const cr_h5* file, const char* group,
                      cr_status (*visit)(void* context, const char* name), void* context,
                      cr_error* error) {
  if (!cri_h5_has(file, group)) {
    return cri_fail(error, CR_ERR_FORMAT, "%s: there is no group '%s'", file->path, group);
  }
  visitor v = {visit, context, CR_OK};
  herr_t result = H5Literate_by_name(file->id, group, H5_INDEX_NAME, H5_ITER_INC, NULL, visit_link,
                                     &v, H5P_DEFAULT);
  if (result < 0) {
    return cri_fail(error, CR_ERR_FORMAT, "%s: the members of '%s' cannot be listed", file->path,
                    group);
  }
  return v.status;
}

// ---- reading

// A few bytes can declare any number of numbers. No filter makes more than this of a byte, and numbers that were
// never written need no more room than this.
static cr_status check_stored(const cr_h5* file, const char* name, hid_t set, hsize_t numbers,
                              cr_error* error) {
  enum { MOST_FOLD = 1100, ALWAYS = 1 << 17 };
  hid_t type = H5Dget_type(set);
  hsize_t item = H5Tget_size(type), stored = H5Dget_storage_size(set);
  (void)H5Tclose(type);
  return numbers <= ALWAYS || numbers / MOST_FOLD <= stored / (item > 0 ? item : 1)
             ? CR_OK
             : cri_fail(error, CR_ERR_FORMAT,
                        "%s: '%s' says that it has %llu numbers, but it holds only %llu bytes",
                        file->path, name, (unsigned long long)numbers, (unsigned long long)stored);
}

// a product, limited to its maximum
static hsize_t times(hsize_t a, hsize_t b) {
  return b > 0 && a > HSIZE_UNDEF / 2 / b ? HSIZE_UNDEF / 2 : a * b;
}

static cr_status shape_of(const cr_h5* file, const char* name, hid_t set, int* rows, int* cols,
                          cr_error* error) {
  hid_t space = H5Dget_space(set);
  hid_t type = H5Dget_type(set);
  H5T_class_t class = H5Tget_class(type);
  int rank = H5Sget_simple_extent_ndims(space);
  hsize_t size[2] = {0, 1};
  bool ok = rank == 1 || rank == 2;
  if (ok) {
    (void)H5Sget_simple_extent_dims(space, size, NULL);
  }
  (void)H5Tclose(type);
  (void)H5Sclose(space);
  if (class != H5T_FLOAT && class != H5T_INTEGER) {
    return cri_fail(error, CR_ERR_FORMAT, "%s: '%s' does not hold numbers", file->path, name);
  }
  if (!ok || size[0] > INT32_MAX || size[1] > INT32_MAX || times(size[0], size[1]) > INT32_MAX) {
    return cri_fail(error, CR_ERR_FORMAT,
                    "%s: '%s' has %d dimensions or is too large; rows and "
                    "columns expected",
                    file->path, name, rank);
  }
  *rows = (int)size[0];
  *cols = (int)size[1];
  return CR_OK;
}

// selects rows of a data set; the two spaces of a transfer, which the caller closes
typedef struct {
  hid_t set, memory, file;
} selection;

static void unselect(selection* s) {
  (void)H5Sclose(s->memory);
  (void)H5Sclose(s->file);
  (void)H5Dclose(s->set);
}

// false if there is no such set, or not so many rows
static bool select_rows(const cr_h5* file, const char* name, int first, int n, selection* s) {
  enum { MOST = 8 };
  hsize_t size[MOST] = {0}, start[MOST] = {0};
  s->set = cri_h5_has(file, name) ? H5Dopen2(file->id, name, H5P_DEFAULT) : -1;
  if (s->set < 0) {
    return false;
  }
  s->file = H5Dget_space(s->set);
  int rank = H5Sget_simple_extent_ndims(s->file);
  bool ok = rank >= 1 && rank <= MOST && H5Sget_simple_extent_dims(s->file, size, NULL) >= 0;
  ok = ok && (hsize_t)first + (hsize_t)n <= size[0];
  hsize_t numbers = (hsize_t)n;
  start[0] = (hsize_t)first;
  size[0] = (hsize_t)n;
  for (int k = 1; k < rank && ok; k++) {
    numbers = times(numbers, size[k]);
  }
  ok = ok && H5Sselect_hyperslab(s->file, H5S_SELECT_SET, start, NULL, size, NULL) >= 0;
  s->memory = H5Screate_simple(1, &numbers, NULL);
  if (!ok) {
    unselect(s);
  }
  return ok;
}

cr_status cri_h5_shape(const cr_h5* file, const char* name, int* rows, int* cols, cr_error* error) {
  selection s;
  if (!select_rows(file, name, 0, 0, &s)) {
    return cri_fail(error, CR_ERR_FORMAT, "%s: there is no data set '%s'", file->path, name);
  }
  enum { MOST = 8 };
  hsize_t size[MOST] = {0};
  int rank = H5Sget_simple_extent_dims(s.file, size, NULL);
  hid_t type = H5Dget_type(s.set);
  H5T_class_t class = H5Tget_class(type);
  (void)H5Tclose(type);
  hsize_t width = 1;
  for (int k = 1; k < rank; k++) {
    width = times(width, size[k]);
  }
  cr_status status = check_stored(file, name, s.set, times(size[0], width), error);
  unselect(&s);
  CR_TRY(status);
  if ((class != H5T_FLOAT && class != H5T_INTEGER) || size[0] > INT32_MAX || width > INT32_MAX) {
    return cri_fail(error, CR_ERR_FORMAT, "%s: '%s' does not hold numbers, or is too large",
                    file->path, name);
  }
  *rows = (int)size[0];
  *cols = (int)width;
  return CR_OK;
}

static cr_status read_rows(const cr_h5* file, const char* name, hid_t type, int first, int n,
                           void* values, cr_error* error) {
  selection s;
  if (n == 0) {
    return CR_OK;
  }
  bool ok = select_rows(file, name, first, n, &s);
  if (ok) {
    ok = H5Dread(s.set, type, s.memory, s.file, H5P_DEFAULT, values) >= 0;
    unselect(&s);
  }
  return ok ? CR_OK
            : cri_fail(error, CR_ERR_FORMAT, "%s: rows %d to %d of '%s' cannot be read", file->path,
                       first, first + n - 1, name);
}

cr_status cri_h5_read_rows(const cr_h5* file, const char* name, int first, int n, double* values,
                           cr_error* error) {
  return read_rows(file, name, H5T_NATIVE_DOUBLE, first, n, values, error);
}

static cr_status read_set(const cr_h5* file, const char* name, hid_t set, double** values,
                          int* rows, int* cols, cr_error* error) {
  CR_TRY(shape_of(file, name, set, rows, cols, error));
  CR_TRY(check_stored(file, name, set, (hsize_t)*rows * (hsize_t)*cols, error));
  double* numbers = calloc((size_t)*rows * (size_t)*cols + 1, sizeof *numbers);
  if (numbers == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "%s: no memory for '%s'", file->path, name);
  }
  if (H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers) < 0) {
    free(numbers);
    return cri_fail(error, CR_ERR_FORMAT, "%s: '%s' cannot be read: the file is damaged",
                    file->path, name);
  }
  *values = numbers;
  return CR_OK;
}

cr_status cri_h5_read(const cr_h5* file, const char* name, double** values, int* rows, int* cols,
                      cr_error* error) {
  hid_t set = cri_h5_has(file, name) ? H5Dopen2(file->id, name, H5P_DEFAULT) : -1;
  if (set < 0) {
    return cri_fail(error, CR_ERR_FORMAT, "%s: there is no data set '%s'", file->path, name);
  }
  cr_status status = read_set(file, name, set, values, rows, cols, error);
  (void)H5Dclose(set);
  return status;
}

cr_status cri_h5_read_numbers(const cr_h5* file, const char* object, const char* name, int n,
                              double* values, bool* present, cr_error* error) {
  *present = H5Aexists_by_name(file->id, object, name, H5P_DEFAULT) > 0;
  if (!*present) {
    return CR_OK;
  }
  hid_t attribute = H5Aopen_by_name(file->id, object, name, H5P_DEFAULT, H5P_DEFAULT);
  hid_t space = H5Aget_space(attribute);
  bool fits = H5Sget_simple_extent_npoints(space) == n;
  bool ok = fits && H5Aread(attribute, H5T_NATIVE_DOUBLE, values) >= 0;
  (void)H5Sclose(space);
  (void)H5Aclose(attribute);
  if (ok) {
    return CR_OK;
  }
  char many[32] = "one number";
  if (n != 1) {
    (void)snprintf(many, sizeof many, "%d numbers", n);
  }
  return cri_fail(error, CR_ERR_FORMAT, "%s: attribute '%s' of '%s' is not %s", file->path, name,
                  object, many);
}

cr_status cri_h5_read_attribute(const cr_h5* file, const char* object, const char* name,
                                double* value, bool* present, cr_error* error) {
  return cri_h5_read_numbers(file, object, name, 1, value, present, error);
}

// n texts, `size` bytes apart, joined by commas
static char* join(const char* texts, size_t n, size_t size) {
  char* joined = malloc(n * (size + 1) + 1);
  size_t used = 0;
  for (size_t i = 0; i < n && joined != NULL; i++) {
    size_t length = strnlen(texts + i * size, size);
    if (i > 0) {
      joined[used++] = ',';
    }
    memcpy(joined + used, texts + i * size, length);
    used += length;
  }
  if (joined != NULL) {
    joined[used] = 0;
  }
  return joined;
}

static char* read_texts(hid_t attribute, hid_t type, hid_t space) {
  hssize_t count = H5Sget_simple_extent_npoints(space);
  size_t size = H5Tget_size(type), n = count > 0 ? (size_t)count : 0;
  // HDF5 itself crashes on texts of variable length in a damaged file
  bool text = H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0 && n > 0 &&
              n < 100000 && size < 100000;
  char* raw = text ? calloc(n, size) : NULL;
  char* joined = NULL;
  if (raw != NULL && H5Aread(attribute, type, raw) >= 0) {
    joined = join(raw, n, size);
  }
  free(raw);
  return joined;
}

cr_status cri_h5_read_texts(const cr_h5* file, const char* object, const char* name, char** text,
                            cr_error* error) {
  *text = NULL;
  if (H5Aexists_by_name(file->id, object, name, H5P_DEFAULT) <= 0) {
    return CR_OK;
  }
  hid_t attribute = H5Aopen_by_name(file->id, object, name, H5P_DEFAULT, H5P_DEFAULT);
  hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute);
  *text = read_texts(attribute, type, space);
  (void)H5Sclose(space);
  (void)H5Tclose(type);
  (void)H5Aclose(attribute);
  return *text != NULL ? CR_OK
                       : cri_fail(error, CR_ERR_FORMAT,
                                  "%s: attribute '%s' of '%s' is not text of fixed length (as h5py "
                                  "writes numpy.bytes_(\"a,b\"))",
                                  file->path, name, object);
}

// ---- writing

static cr_status cannot_write(const cr_h5* file, const char* name, cr_error* error) {
  return cri_fail(error, CR_ERR_FILE, "%s: HDF5 cannot write '%s'", file->path, name);
}

cr_status cri_h5_write(cr_h5* file, const char* name, const double* values, int rows, int cols,
                       cr_error* error) {
  const hsize_t size[2] = {(hsize_t)rows, (hsize_t)cols};
  hid_t links = H5Pcreate(H5P_LINK_CREATE);
  hid_t space = H5Screate_simple(cols > 0 ? 2 : 1, size, NULL);
  (void)H5Pset_create_intermediate_group(links, 1);
  hid_t set = H5Dcreate2(file->id, name, H5T_IEEE_F64LE, space, links, H5P_DEFAULT, H5P_DEFAULT);
  bool empty = rows == 0;
  bool ok = set >= 0 &&
            (empty || H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
  if (set >= 0) {
    ok = H5Dclose(set) >= 0 && ok;
  }
  (void)H5Sclose(space);
  (void)H5Pclose(links);
  return ok ? CR_OK : cannot_write(file, name, error);
}

static cr_status write_attribute(cr_h5* file, const char* object, const char* name, hid_t type,
                                 hid_t memory_type, const void* value, cr_error* error) {
  hid_t space = H5Screate(H5S_SCALAR);
  hid_t attribute =
      H5Acreate_by_name(file->id, object, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  bool ok = attribute >= 0 && H5Awrite(attribute, memory_type, value) >= 0;
  if (attribute >= 0) {
    (void)H5Aclose(attribute);
  }
  (void)H5Sclose(space);
  return ok ? CR_OK : cannot_write(file, name, error);
}

cr_status cri_h5_write_attribute(cr_h5* file, const char* object, const char* name, double value,
                                 cr_error* error) {
  return write_attribute(file, object, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &value, error);
}

cr_status cri_h5_write_text(cr_h5* file, const char* object, const char* name, const char* value,
                            cr_error* error) {
  hid_t type = H5Tcopy(H5T_C_S1);
  (void)H5Tset_size(type, strlen(value) + 1);
  cr_status status = write_attribute(file, object, name, type, type, value, error);
  (void)H5Tclose(type);
  return status;
}

// ---- on disk

// reserves so many bytes on the disk for a file: HDF5 itself does not survive a write that fails
static cr_status take_room(const char* path, off_t bytes, cr_error* error) {
  int descriptor = open(path, O_WRONLY | O_CREAT, 0666);
  int reason = descriptor < 0 ? errno : posix_fallocate(descriptor, 0, bytes);
  if (descriptor >= 0) {
    (void)close(descriptor);
  }
  return reason == 0
             ? CR_OK
             : cri_fail(error, CR_ERR_FILE, "%s: cannot be written: %s", path, strerror(reason));
}

// HDF5 truncates a file before it looks for locks; so Carom's own claim comes first
static cr_status claim(cr_h5* file, int flags, cr_error* error) {
  struct stat mine, there;
  do {
    if (file->claim >= 0) {
      (void)close(file->claim);  // renamed by the run that had it
    }
    file->claim = open(file->path, O_RDWR | flags, 0666);
    if (file->claim < 0) {
      return cri_fail(error, CR_ERR_FILE, "%s: cannot be written: %s", file->path, strerror(errno));
    }
    if (flock(file->claim, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
      return cri_fail(error, CR_ERR_FILE, "%s: another run is writing to this file", file->path);
    }
  } while (fstat(file->claim, &mine) != 0 || stat(file->path, &there) != 0 ||
           mine.st_ino != there.st_ino);
  return CR_OK;
}

// HDF5 on a file that is claimed: creates it, or opens it
static cr_status take_on_disk(cr_h5* file, bool anew, cr_error* error) {
  hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  (void)H5Pset_file_locking(access, false, true);
  file->id = anew ? H5Fcreate(file->path, H5F_ACC_TRUNC, H5P_DEFAULT, access)
                  : H5Fopen(file->path, H5F_ACC_RDWR, access);
  (void)H5Pclose(access);
  return file->id >= 0 ? CR_OK
         : anew        ? cri_fail(error, CR_ERR_FILE, "%s: HDF5 cannot create the file", file->path)
                       : why_not_opened(file->path, error);
}

cr_status cri_h5_create_on_disk(cr_h5** out, const char* path, size_t numbers, cr_error* error) {
  enum { OWN = 1 << 16 };  // bytes, more than HDF5 adds
  cr_h5* file = NULL;
  CR_TRY(begin(&file, path, error));
  cr_status status = claim(file, O_CREAT, error);
  status =
      status == CR_OK ? take_room(path, (off_t)(numbers * sizeof(double) + OWN), error) : status;
  status = status == CR_OK ? take_on_disk(file, true, error) : status;
  if (status != CR_OK) {
    cri_h5_close(file);
    return status;
  }
  *out = file;
  return CR_OK;
}

cr_status cri_h5_finish(cr_h5* file, const char* path, cr_error* error) {
  bool closed = H5Fclose(file->id) >= 0;
  file->id = -1;
  errno = 0;
  bool ok = closed && fsync(file->claim) == 0 && rename(file->path, path) == 0;
  int reason = errno;
  cri_h5_close(file);
  return ok ? CR_OK
            : cri_fail(error, CR_ERR_FILE, "%s: cannot be written: %s", path,
                       reason != 0 ? strerror(reason) : "HDF5 cannot close the file");
}

cr_status cri_h5_settle(cr_h5* file, cr_error* error) {
  CR_TRY(cri_h5_flush(file, error));
  hsize_t size = 0;
  if (H5Fget_filesize(file->id, &size) < 0) {
    return cannot_write(file, "all", error);
  }
  return take_room(file->path, (off_t)size, error);
}

cr_status cri_h5_open_on_disk(cr_h5** out, const char* path, cr_error* error) {
  cr_h5* file = NULL;
  CR_TRY(begin(&file, path, error));
  cr_status status = claim(file, 0, error);
  status = status == CR_OK ? take_on_disk(file, false, error) : status;
  if (status != CR_OK) {
    cri_h5_close(file);
    return status;
  }
  *out = file;
  return CR_OK;
}

static cr_status reserve(cr_h5* file, const char* name, hid_t type, int rows, int cols,
                         cr_error* error) {
  const hsize_t size[2] = {(hsize_t)rows, (hsize_t)cols};
  hid_t links = H5Pcreate(H5P_LINK_CREATE), layout = H5Pcreate(H5P_DATASET_CREATE);
  hid_t space = H5Screate_simple(cols > 0 ? 2 : 1, size, NULL);
  (void)H5Pset_create_intermediate_group(links, 1);
  (void)H5Pset_layout(layout, H5D_CONTIGUOUS);
  (void)H5Pset_alloc_time(layout, H5D_ALLOC_TIME_EARLY);
  (void)H5Pset_obj_track_times(layout, false);  // the same numbers make the same file
  hid_t set = H5Dcreate2(file->id, name, type, space, links, layout, H5P_DEFAULT);
  bool ok = set >= 0 && H5Dclose(set) >= 0;
  (void)H5Sclose(space);
  (void)H5Pclose(layout);
  (void)H5Pclose(links);
  return ok ? CR_OK : cannot_write(file, name, error);
}

cr_status cri_h5_reserve(cr_h5* file, const char* name, int rows, int cols, cr_error* error) {
  return reserve(file, name, H5T_IEEE_F64LE, rows, cols, error);
}

static hid_t text_of(int size) {
  hid_t type = H5Tcopy(H5T_C_S1);
  (void)H5Tset_size(type, (size_t)size);
  return type;
}

cr_status cri_h5_reserve_texts(cr_h5* file, const char* name, int rows, int size, cr_error* error) {
  hid_t type = text_of(size);
  cr_status status = reserve(file, name, type, rows, 0, error);
  (void)H5Tclose(type);
  return status;
}

static cr_status write_rows(cr_h5* file, const char* name, hid_t type, int first, int n,
                            const void* values, cr_error* error) {
  selection s;
  if (n == 0) {
    return CR_OK;
  }
  bool ok = select_rows(file, name, first, n, &s);
  if (ok) {
    ok = H5Dwrite(s.set, type, s.memory, s.file, H5P_DEFAULT, values) >= 0;
    unselect(&s);
  }
  return ok ? CR_OK : cannot_write(file, name, error);
}

cr_status cri_h5_write_rows(cr_h5* file, const char* name, int first, int n, const double* values,
                            cr_error* error) {
  return write_rows(file, name, H5T_NATIVE_DOUBLE, first, n, values, error);
}

cr_status cri_h5_write_texts(cr_h5* file, const char* name, int first, int n, int size,
                             const char* texts, cr_error* error) {
  hid_t type = text_of(size);
  cr_status status = write_rows(file, name, type, first, n, texts, error);
  (void)H5Tclose(type);
  return status;
}

cr_status cri_h5_read_text(const cr_h5* file, const char* name, int row, int size, char* text,
                           cr_error* error) {
  hid_t type = text_of(size);
  cr_status status = read_rows(file, name, type, row, 1, text, error);
  (void)H5Tclose(type);
  return status;
}

cr_status cri_h5_flush(cr_h5* file, cr_error* error) {
  return H5Fflush(file->id, H5F_SCOPE_GLOBAL) >= 0 ? CR_OK : cannot_write(file, "all", error);
}
