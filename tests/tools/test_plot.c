// SPDX-License-Identifier: Apache-2.0
#include "support/close.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/scratch.h"
#include "tools/files.h"
#include "tools/plot.h"

static const char csv[] = "evaluation,loss,side\n0,1,0.06\n1,0.1,0.08\n2,0.02,0.1\n";

TEST(a_plot_is_a_picture_and_its_script) {
  const char* folder;
  char path[CR_MAX_PATH], *data = NULL;
  size_t n = 0;
  cr_error error = {0};
  const cr_panel panels[] = {{"loss", "loss", true, (double)NAN, NULL},
                             {"side", "side", false, 0.1048, "listed"}};
  assert_int_equal(mkdir((folder = scratch_path("it's a folder")), 0777), 0);
  assert_int_equal(cri_path_join(path, folder, "history.csv", NULL), CR_OK);
  assert_int_equal(cri_file_write(path, csv, strlen(csv), NULL), CR_OK);
  if (cri_plot(folder, "history.csv", "a fit", panels, 2, &error) != CR_OK) {
    fail_msg("%s", error.text);
  }
  assert_int_equal(unlink(path), 0);
  assert_int_equal(cri_path_join(path, folder, "plot.png", NULL), CR_OK);
  assert_int_equal(cri_file_read(path, &data, &n, NULL), CR_OK);
  assert_true(n > 1000);
  assert_memory_equal(data + 1, "PNG", 3);
  free(data);
  assert_int_equal(unlink(path), 0);
  assert_int_equal(cri_path_join(path, folder, "plot.gp", NULL), CR_OK);
  assert_int_equal(cri_file_read(path, &data, &n, NULL), CR_OK);
  assert_non_null(strstr(data, "0.1048 with lines"));
  free(data);
  assert_int_equal(unlink(path), 0);
  assert_int_equal(rmdir(folder), 0);
}

TEST(charts_draw_rows_of_a_kind) {
  const char* folder = scratch_path("");
  char *data = NULL, path[CR_MAX_PATH];
  size_t n = 0;
  cr_error error = {0};
  const cr_curve curves[] = {
      {"t.csv", "evaluation", "loss", "all", CR_CURVE_LINE, NULL, 0},
      {"t.csv", "evaluation", "loss", "of one side", CR_CURVE_BOTH, "side", 0.08},
      {"t.csv", "evaluation", "loss,side", "between", CR_CURVE_BAND, NULL, 0}};
  const cr_chart charts[] = {{"evaluation", "loss", false, true, (double)NAN, 2, curves, 3},
                             {"evaluation", "loss", false, false, 0, 1, curves + 1, 1}};
  (void)snprintf(path, sizeof path, "%s", scratch_path("t.csv"));
  assert_int_equal(cri_file_write(path, csv, strlen(csv), NULL), CR_OK);
  if (cri_charts(folder, "c", "two charts", charts, 2, 2, &error) != CR_OK) {
    fail_msg("%s", error.text);
  }
  assert_int_equal(cri_file_read(scratch_path("c.png"), &data, &n, NULL), CR_OK);
  assert_true(n > 1000);
  free(data);
  assert_int_equal(cri_file_read(scratch_path("c.gp"), &data, &n, NULL), CR_OK);
  assert_non_null(strstr(data, "(column('side') == 0.08 ? column('evaluation') : NaN):'loss'"));
  assert_non_null(strstr(data, "(abs(column('loss'))):(abs(column('side'))) with filledcurves"));
  free(data);
  assert_int_equal(unlink(path), 0);
  assert_int_equal(unlink(scratch_path("c.png")), 0);
  assert_int_equal(unlink(scratch_path("c.gp")), 0);
}

TEST(a_missing_table_is_an_error) {
  const char* folder;
  cr_error error = {0};
  const cr_panel panel = {"loss", "loss", true, (double)NAN, NULL};
  folder = scratch_path("");
  assert_int_equal(cri_plot(folder, "nothing.csv", "a fit", &panel, 1, &error), CR_ERR_FILE);
  assert_non_null(strstr(error.text, "no plot"));
}
