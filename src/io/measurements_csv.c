// SPDX-License-Identifier: Apache-2.0
// Measurements from tables. A column is one number; the columns of one sensor, joint or body become one channel.
#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/locale.h"
#include "io/measurements_file.h"
#include "tools/files.h"

enum { WHERE = 320 };

typedef struct {
  cri_measured_name name;
  cr_real factor;
  cr_real* values;  // a row each; NaN: empty
  bool used;
} column;

typedef struct {
  const cri_measured_file* f;
  char separator;
  column* column;
  int n;
  char* line_of_names;  // a comment that may hold them
  int names_at;         // its line
  int* line;            // of each row
  int rows, capacity;
  int time;     // the column, -1 none
  double rate;  // of a comment, 0 none
  char where[WHERE];
} table;

static void at_line(table* t, int number) {
  (void)snprintf(t->where, sizeof t->where, "%.280s: line %d", t->f->path, number);
}

static cr_status no_memory(const table* t) {
  return cri_fail(t->f->error, CR_ERR_MEMORY, "%s: no memory", t->f->path);
}

// ---- cells

// cuts the cell that begins at *text, without blanks and quotes around it, and moves *text behind it; NULL after
// the last
static char* next_cell(char** text, char separator) {
  char* begin = *text;
  if (begin == NULL) {
    return NULL;
  }
  while (*begin == ' ' || (*begin == '\t' && separator != '\t')) {
    begin++;
  }
  char* end = begin;
  bool quoted = *begin == '"';
  if (quoted) {
    begin++;
    end = begin + strcspn(begin, "\"");
    char* after = *end != 0 ? end + 1 : end;
    *end = 0;
    end = after;
  }
  char* stop = strchr(end, separator);
  *text = stop != NULL ? stop + 1 : NULL;
  if (!quoted) {
    char* last = stop != NULL ? stop : end + strlen(end);
    while (last > begin && isspace((unsigned char)last[-1])) {
      last--;
    }
    *last = 0;
  }
  return begin;
}

static int count_cells(const char* line, char separator) {
  int n = 1;
  bool quoted = false;
  for (; *line != 0; line++) {
    quoted = *line == '"' ? !quoted : quoted;
    n += *line == separator && !quoted;
  }
  return n;
}

static bool is_number(const char* cell) {
  char* end;
  (void)cri_number(cell, &end);
  return end != cell && *end == 0;
}

// ---- names

static char separator_of(const char* line) {
  return strchr(line, ';') != NULL ? ';' : strchr(line, '\t') != NULL ? '\t' : ',';
}

static cr_status check_twice(const table* t, int i) {
  const cri_measured_name* a = &t->column[i].name;
  for (int k = 0; k < i; k++) {
    const cri_measured_name* b = &t->column[k].name;
    bool same =
        a->kind == b->kind &&
        (a->kind == CRI_NAME_TIME ||
         (a->kind == CRI_NAME_PLACE && a->at.field == b->at.field && a->at.first == b->at.first));
    if (same) {
      return cri_fail(t->f->error, CR_ERR_FORMAT, "%s: columns '%.80s' and '%.80s' are one number",
                      t->where, b->shown, a->shown);
    }
  }
  return CR_OK;
}

static cr_status take_name(table* t, int i, const char* text) {
  column* c = &t->column[i];
  c->factor = 1;
  CR_TRY(cri_measured_name_find(&c->name, t->f, t->where, text));
  switch (c->name.kind) {
    case CRI_NAME_IGNORED:
      return CR_OK;
    case CRI_NAME_RATE:
      return cri_fail(t->f->error, CR_ERR_FORMAT,
                      "%s: a rate is no column; write a line '# rate: 200 Hz'", t->where);
    case CRI_NAME_TIME:
      if (c->name.text[0] != 0) {
        return cri_fail(t->f->error, CR_ERR_FORMAT,
                        "%s: column '%.80s': a table has one column of times; leave cells empty "
                        "where a signal has other times",
                        t->where, c->name.shown);
      }
      t->time = i;
      CR_TRY(cri_measured_time_factor(&c->name, t->f, t->where, "s", &c->factor));
      break;
    case CRI_NAME_PLACE:
      if (c->name.at.count != 1) {
        return cri_fail(t->f->error, CR_ERR_FORMAT,
                        "%s: column '%.80s' is %d numbers; a column names one, as '%.80s[0]'",
                        t->where, c->name.shown, c->name.at.count, c->name.text);
      }
      CR_TRY(cri_measured_factor(&c->name, t->f, t->where, 0, &c->factor));
      break;
  }
  return check_twice(t, i);
}

static cr_status take_names(table* t, char* line) {
  t->separator = separator_of(line);
  t->n = count_cells(line, t->separator);
  t->column = calloc((size_t)t->n, sizeof *t->column);
  if (t->column == NULL) {
    return no_memory(t);
  }
  char* rest = line;
  for (int i = 0; i < t->n; i++) {
    char* cell = next_cell(&rest, t->separator);
    cell = cell != NULL ? cell : line + strlen(line);
    if (i == t->n - 1 && i > 0 && cell[0] == 0) {  // a separator at the end of each line
      t->column[i].name.kind = CRI_NAME_IGNORED;
      break;
    }
    CR_TRY(take_name(t, i, cell));
  }
  return CR_OK;
}

// ---- rows

static cr_status grow(table* t) {
  int capacity = t->capacity > INT_MAX / 4 ? INT_MAX : 2 * t->capacity + 256;
  int* line = realloc(t->line, (size_t)capacity * sizeof *line);
  if (line == NULL) {
    return no_memory(t);
  }
  t->line = line;
  for (int i = 0; i < t->n; i++) {
    cr_real* values = realloc(t->column[i].values, (size_t)capacity * sizeof *values);
    if (values == NULL) {
      return no_memory(t);
    }
    t->column[i].values = values;
  }
  t->capacity = capacity;
  return CR_OK;
}

// "0,5"
static bool has_decimal_comma(const char* cell) {
  size_t whole = strspn(cell, "+-0123456789");
  return cell[whole] == ',' && isdigit((unsigned char)cell[whole + 1]);
}

static cr_status take_cell(const table* t, const column* c, const char* cell, cr_real* value) {
  char* end;
  *value = (cr_real)NAN;
  if (c->name.kind == CRI_NAME_IGNORED || cell[0] == 0) {
    return CR_OK;
  }
  double x = cri_number(cell, &end);
  if (end == cell || *end != 0) {
    return cri_fail(
        t->f->error, CR_ERR_FORMAT, "%s, column '%.80s': '%.40s' %s", t->where, c->name.shown, cell,
        has_decimal_comma(cell) ? "has a decimal comma; write a point" : "is no number");
  }
  bool control = c->name.kind == CRI_NAME_PLACE && c->name.at.field == CR_FIELD_ctrl;
  if (isinf(x) || (isnan(x) && (control || c->name.kind == CRI_NAME_TIME))) {
    return cri_fail(t->f->error, CR_ERR_FORMAT, "%s, column '%.80s': '%.40s' is not finite%s",
                    t->where, c->name.shown, cell,
                    control ? "; leave the cell empty where a control keeps its value" : "");
  }
  *value = (cr_real)x * c->factor;
  return CR_OK;
}

static cr_status take_time(const table* t) {
  const cr_real* time = t->column[t->time].values;
  int k = t->rows;
  if (isnan(time[k])) {
    return cri_fail(t->f->error, CR_ERR_FORMAT, "%s, column '%.80s': the time is missing", t->where,
                    t->column[t->time].name.shown);
  }
  return k == 0 || time[k] > time[k - 1]
             ? CR_OK
             : cri_fail(t->f->error, CR_ERR_FORMAT,
                        "%s, column '%.80s': time %.9g s comes after %.9g s; it has to increase",
                        t->where, t->column[t->time].name.shown, (double)time[k],
                        (double)time[k - 1]);
}

static cr_status take_row(table* t, char* line, int number) {
  int cells = count_cells(line, t->separator);
  if (cells != t->n) {
    return cri_fail(t->f->error, CR_ERR_FORMAT, "%s: %d cells, the line of names has %d%s",
                    t->where, cells, t->n,
                    cells > t->n && t->separator == ','
                        ? "; with decimal commas, write points or separate cells by semicolons"
                        : "");
  }
  if (t->rows == t->capacity) {
    CR_TRY(grow(t));
  }
  char* rest = line;
  for (int i = 0; i < t->n; i++) {
    char* cell = next_cell(&rest, t->separator);
    CR_TRY(take_cell(t, &t->column[i], cell != NULL ? cell : "", &t->column[i].values[t->rows]));
  }
  if (t->time >= 0) {
    CR_TRY(take_time(t));
  }
  t->line[t->rows++] = number;
  return CR_OK;
}

// ---- lines

// "# rate: 200 Hz"
static cr_status take_rate(table* t, const char* comment) {
  comment += strspn(comment, "# \t");
  if (strncmp(comment, "rate", 4) != 0) {
    return CR_OK;
  }
  comment += 4 + strspn(comment + 4, " \t");
  if (*comment != ':' && *comment != '=') {
    return CR_OK;
  }
  char* end;
  double rate = cri_number(comment + 1, &end);
  size_t blank = strspn(end, " \t");
  double by = strncmp(end + blank, "kHz", 3) == 0 ? 1000 : 1;
  const char* after = end + blank + strcspn(end + blank, " \t");
  bool ok = end != comment + 1 && rate > 0 && isfinite(rate) && after[strspn(after, " \t")] == 0 &&
            (after == end + blank || strncmp(end + blank, "Hz", 2) == 0 || by > 1);
  if (!ok || (t->rate > 0 && cr_abs((cr_real)(t->rate - rate * by)) > 0)) {
    return cri_fail(t->f->error, CR_ERR_FORMAT, "%s: %s, as in '# rate: 200 Hz'", t->where,
                    ok ? "a second rate; one is expected" : "a rate is a positive number");
  }
  t->rate = rate * by;
  return CR_OK;
}

// the names are the first line; numpy.savetxt writes them as a comment
static cr_status take_first(table* t, char* line, int number) {
  size_t cell = strcspn(line, ",;\t");
  char first[64];
  (void)snprintf(first, sizeof first, "%.*s", (int)cell, line);
  for (size_t n = strlen(first); n > 0 && first[n - 1] == ' '; n--) {
    first[n - 1] = 0;
  }
  if (!is_number(first)) {
    return take_names(t, line);
  }
  const char* names = t->line_of_names;
  if (names == NULL ||
      count_cells(names, separator_of(names)) != count_cells(line, separator_of(names))) {
    return cri_fail(t->f->error, CR_ERR_FORMAT,
                    "%s: the first line has to name the columns, as 'time,qpos[hinge]'", t->where);
  }
  at_line(t, t->names_at);
  CR_TRY(take_names(t, t->line_of_names));
  at_line(t, number);
  return take_row(t, line, number);
}

static cr_status take_line(table* t, char* line, int number) {
  size_t n = strlen(line);
  at_line(t, number);
  while (n > 0 && (line[n - 1] == '\r' || (line[n - 1] == ' '))) {
    line[--n] = 0;
  }
  line += strncmp(line, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;  // UTF-8 of some spreadsheets
  size_t blank = strspn(line, " \t");
  if (line[blank] == '#') {
    t->line_of_names = t->column == NULL ? line + blank + strspn(line + blank, "# \t") : NULL;
    t->names_at = number;
    return take_rate(t, line + blank);
  }
  if (line[blank] == 0 && (t->column == NULL || t->separator != '\t')) {
    return CR_OK;
  }
  return t->column == NULL ? take_first(t, line, number) : take_row(t, line, number);
}

static cr_status take_text(table* t, char* text) {
  int number = 1;
  for (char* line = text; line != NULL && *line != 0; number++) {
    char* end = strchr(line, '\n');
    if (end != NULL) {
      *end = 0;
    }
    CR_TRY(take_line(t, line, number));
    line = end != NULL ? end + 1 : NULL;
  }
  return t->rows > 0 ? CR_OK
                     : cri_fail(t->f->error, CR_ERR_FORMAT, "%s: has %s", t->f->path,
                                t->column == NULL ? "no line of names" : "names, but no numbers");
}

// ---- channels

typedef struct {
  int first, count;  // numbers of a field that belong together
  int* column;       // of each, -1 where there is none
  char place[CRI_PLACE_TEXT];
} group;

// the object that a number belongs to: a joint, a sensor, a row
static void group_of(const cr_model* m, const cr_place* at, group* g) {
  const char* rows = cri_field(at->field)->rows;
  int width = cri_field_width(m, at->field), i = at->first;
  *g = (group){.first = i - i % width, .count = width};
  int j = width == 1 && strcmp(rows, "nq") == 0   ? cri_joint_of_coordinate(m, i)
          : width == 1 && strcmp(rows, "nv") == 0 ? cri_joint_of_dof(m, i)
                                                  : -1;
  int s = at->field == CR_FIELD_sensordata ? cri_sensor_of_number(m, i) : -1;
  if (j >= 0) {
    bool position = strcmp(rows, "nq") == 0;
    g->first = position ? m->jnt_qposadr[j] : m->jnt_dofadr[j];
    g->count = position ? cri_joint_numbers(m->jnt_type[j]) : cri_joint_dofs(m->jnt_type[j]);
  } else if (s >= 0) {
    g->first = m->sensor_adr[s];
    g->count = m->sensor_dim[s];
  }
}

static bool is_place_of(const cr_model* m, const char* text, cr_field_id field, const group* g) {
  cr_place place;
  return cri_place_find(&place, m, text, NULL) == CR_OK && place.field == field &&
         place.first == g->first && place.count == g->count;
}

// the name of all numbers of a group, from that of one: without its component, or the whole field
static bool name_group(const cr_model* m, const cri_measured_name* one, group* g) {
  (void)strcpy(g->place, one->text);
  if (is_place_of(m, g->place, one->at.field, g)) {
    return true;
  }
  char *dot = strrchr(g->place, '.'), *bracket = strrchr(g->place, '[');
  char* end = dot > bracket ? dot : bracket;
  if (end != NULL) {
    *end = 0;
  }
  if (is_place_of(m, g->place, one->at.field, g)) {
    return true;
  }
  int s = one->at.field == CR_FIELD_sensordata ? cri_sensor_of_number(m, g->first) : -1;
  int j = strcmp(cri_field(one->at.field)->rows, "nq") == 0   ? cri_joint_of_coordinate(m, g->first)
          : strcmp(cri_field(one->at.field)->rows, "nv") == 0 ? cri_joint_of_dof(m, g->first)
                                                              : -1;
  const char* object = s >= 0   ? cri_object_name(m, CRI_OBJECT_sensor, s)
                       : j >= 0 ? cri_object_name(m, CRI_OBJECT_joint, j)
                                : "";
  (void)snprintf(g->place, sizeof g->place, "%s[%.90s]", cri_field(one->at.field)->name, object);
  return is_place_of(m, g->place, one->at.field, g);
}

static cr_status incomplete(const table* t, const column* c, const group* g) {
  return cri_fail(t->f->error, CR_ERR_FORMAT,
                  "%s: column '%.80s' is a part of a quaternion; columns for all %d numbers of its "
                  "place are needed",
                  t->f->path, c->name.shown, g->count);
}

// finds the columns of a group; with some missing, or no name for all, a column stands for itself
static cr_status collect(table* t, int i, group* g) {
  const cr_model* m = t->f->to->m;
  const column* c = &t->column[i];
  group_of(m, &c->name.at, g);
  g->column = calloc((size_t)g->count, sizeof *g->column);
  if (g->column == NULL) {
    return no_memory(t);
  }
  bool whole = name_group(m, &c->name, g);
  for (int k = 0; k < g->count; k++) {
    g->column[k] = -1;
    for (int l = i; l < t->n; l++) {
      const cri_measured_name* name = &t->column[l].name;
      if (name->kind == CRI_NAME_PLACE && name->at.field == c->name.at.field &&
          name->at.first == g->first + k && !t->column[l].used) {
        g->column[k] = l;
      }
    }
    whole = whole && g->column[k] >= 0;
  }
  if (!whole) {
    if (cri_place_quaternions(m, &c->name.at, NULL) < 0) {
      return incomplete(t, c, g);
    }
    g->first = c->name.at.first;
    g->count = 1;
    g->column[0] = i;
    (void)strcpy(g->place, c->name.text);
  }
  return CR_OK;
}

typedef struct {
  cr_real *time, *values;
  int* line;
  int rows;
} kept_rows;

// the rows in which any number of a group was measured
static void keep_rows(table* t, const group* g, cr_real rate, kept_rows* kept) {
  for (int r = 0; r < t->rows; r++) {
    bool any = false;
    for (int k = 0; k < g->count; k++) {
      cr_real x = t->column[g->column[k]].values[r];
      kept->values[(size_t)kept->rows * (size_t)g->count + (size_t)k] = x;
      any = any || !isnan(x);
    }
    if (any) {
      kept->time[kept->rows] = t->time >= 0 ? t->column[t->time].values[r] : (cr_real)r / rate;
      kept->line[kept->rows++] = t->line[r];
    }
  }
  for (int k = 0; k < g->count; k++) {
    t->column[g->column[k]].used = true;
  }
}

static cr_status add_group(table* t, const group* g, cr_real rate) {
  size_t rows = (size_t)t->rows;
  kept_rows kept = {.time = malloc(rows * sizeof *kept.time),
                    .values = malloc(rows * (size_t)g->count * sizeof *kept.values),
                    .line = malloc(rows * sizeof *kept.line)};
  const char* shown = t->column[g->column[0]].name.shown;
  cr_status status =
      kept.time == NULL || kept.values == NULL || kept.line == NULL ? no_memory(t) : CR_OK;
  if (status == CR_OK) {
    keep_rows(t, g, rate, &kept);
    const cr_channel_info channel = {.size = sizeof channel,
                                     .place = g->place,
                                     .rows = kept.rows,
                                     .time = kept.time,
                                     .values = kept.values};
    const cri_origin origin = {.file = t->f->path, .column = shown, .line = kept.line};
    status = kept.rows > 0 ? cri_measurements_add(t->f->to, &channel, &origin, t->f->error)
                           : cri_fail(t->f->error, CR_ERR_FORMAT,
                                      "%s: column '%.80s' has no number in any line; leave it out",
                                      t->f->path, shown);
  }
  free(kept.time);
  free(kept.values);
  free(kept.line);
  return status;
}

static cr_status add_channels(table* t) {
  cr_real rate = 0;
  int added = 0;
  CR_TRY(cri_measured_rate(t->f, t->rate, &rate));
  if (t->time < 0 && !(rate > 0)) {
    return cri_fail(t->f->error, CR_ERR_FORMAT,
                    "%s: has neither a column 'time' nor a line '# rate: 200 Hz'", t->f->path);
  }
  if (t->time >= 0) {
    CR_TRY(cri_measured_rate_check(t->f, rate, t->column[t->time].values, t->rows));
  }
  CR_TRY(cri_measurements_begin_file(t->f, NULL, cri_measurements_new_group(t->f->to)));
  for (int i = 0; i < t->n; i++) {
    if (t->column[i].name.kind == CRI_NAME_PLACE && !t->column[i].used) {
      group g;
      cr_status status = collect(t, i, &g);
      status = status == CR_OK ? add_group(t, &g, rate) : status;
      free(g.column);
      CR_TRY(status);
      added++;
    }
  }
  return added > 0 ? CR_OK
                   : cri_fail(t->f->error, CR_ERR_FORMAT, "%s: no column but the time", t->f->path);
}

cr_status cri_measurements_read_csv(const cri_measured_file* f) {
  table t = {.f = f, .time = -1};
  char* text = NULL;
  size_t size = 0;
  CR_TRY(cri_file_check(f->path, f->error));
  CR_TRY(cri_file_read(f->path, &text, &size, f->error));
  cr_status status = strlen(text) == size
                         ? take_text(&t, text)
                         : cri_fail(f->error, CR_ERR_FORMAT,
                                    "%s: is no plain text; save it as CSV, UTF-8", f->path);
  status = status == CR_OK ? add_channels(&t) : status;
  for (int i = 0; i < t.n && t.column != NULL; i++) {
    free(t.column[i].values);
  }
  free(t.column);
  free(t.line);
  free(text);
  return status;
}
