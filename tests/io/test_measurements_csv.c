// SPDX-License-Identifier: Apache-2.0
// Tables: channels, units, rates, and the usual mistakes, each with one sentence that names file, line and column.
#include "scenes/io_arm.h"
#include "support/close.h"
#include "support/scratch.h"

static cr_model* m;

static void setup(void) { m = arm_open(); }
static void teardown(void) { cr_model_destroy(m); }
AROUND_FILE(setup, teardown)

static cr_measurements* read_text(const char* text) {
  return arm_read(m, scratch_write("drive.csv", text), NULL);
}

TEST(columns_become_channels) {
  cr_measurements* s = read_text(
      "# a recording\n"
      "time [ms],ctrl[drive],encoder [deg],gyro.x (deg/s),gyro.y (deg/s),gyro.z "
      "(deg/s),qpos[slide] [mm]\n"
      "0, 0.5, 180, 180, 0, 90, 12\n"
      "\n"
      "10,0.6,90,0,0,0,13\n"
      "20,0.7,nan,0,0,0,14\n");
  assert_int_equal(cr_measurements_count(s), 1);
  assert_string_equal(cr_measurements_name(s, 0), "drive");
  assert_int_equal(cr_measurements_channels(s, 0), 4);
  cr_channel_info c = arm_channel(s, 0, "gyro");
  assert_int_equal(c.rows, 3);
  assert_close(c.values[0], CR_PI, 1e-15);
  assert_close(c.values[2], CR_PI / 2, 1e-15);
  assert_close(c.time[2], 0.02, 1e-15);
  c = arm_channel(s, 0, "encoder");
  assert_int_equal(c.rows, 2);  // it was not measured in the last row
  assert_close(c.values[1], CR_PI / 2, 1e-15);
  assert_close(arm_channel(s, 0, "qpos[slide]").values[2], 0.014, 1e-15);
  assert_close(arm_channel(s, 0, "ctrl[drive]").values[1], 0.6, 0);
  cr_measurements_destroy(s);
}

TEST(channels_have_their_own_rates) {
  cr_measurements* s = read_text(
      "time;ctrl[drive];encoder;site_xpos[tip].z\n0;1;0.1;\n0.5;;0.2;\n1;2;0.3;0.9\n1.5;;0.4;\n");
  assert_int_equal(arm_channel(s, 0, "encoder").rows, 4);
  cr_channel_info c = arm_channel(s, 0, "ctrl[drive]");
  assert_int_equal(c.rows, 2);
  assert_true(c.time[1] == 1 && c.values[1] == 2);
  c = arm_channel(s, 0, "site_xpos[tip].z");
  assert_true(c.rows == 1 && c.time[0] == 1);
  cr_measurements_destroy(s);
}

TEST(quaternions_are_collected_in_any_order) {
  cr_measurements* s = read_text(
      "attitude.z,attitude.x,attitude.w,attitude.y,time\n0.6,0,0.8,0,0\n,,,,1\n0,0,1,0,2\n");
  cr_channel_info c = arm_channel(s, 0, "attitude");
  assert_int_equal(c.rows, 2);
  assert_true(c.values[0] == 0.8 && c.values[3] == 0.6 && c.time[1] == 2);
  cr_measurements_destroy(s);
}

TEST(a_free_joint_is_one_channel) {
  cr_measurements* s = read_text(
      "time,qpos[root][0],qpos[root][1],qpos[root][2],qpos[root][3],qpos[root][4],qpos[root][5],"
      "qpos[root][6]\n0,1,2,3,1,0,0,0\n1,1,2,3,0,1,0,0\n");
  cr_channel_info c = arm_channel(s, 0, "qpos[root]");
  assert_true(c.rows == 2 && c.values[2] == 3 && c.values[7 + 4] == 1);
  cr_measurements_destroy(s);
}

TEST(columns_by_number_find_their_joint) {
  cr_measurements* s = read_text("time,qpos[0],qpos[2],qpos[3],qpos[4],qpos[5]\n0,.5,1,0,0,0\n");
  assert_int_equal(cr_measurements_channels(s, 0), 2);
  assert_true(arm_channel(s, 0, "qpos[ball]").values[0] == 1);
  cr_measurements_destroy(s);
}

TEST(missing_components_leave_single_numbers) {
  cr_measurements* s = read_text("time,gyro.x,gyro.z\n0,1,2\n");
  assert_int_equal(cr_measurements_channels(s, 0), 2);
  assert_true(arm_channel(s, 0, "gyro.z").values[0] == 2);
  cr_measurements_destroy(s);
}

TEST(a_rate_stands_for_times) {
  cr_measurements* s = read_text("# rate: 200 Hz\nencoder\n1\n2\n3\n");
  assert_close(arm_channel(s, 0, "encoder").time[2], 0.01, 1e-15);
  cr_measurements_destroy(s);
  s = read_text("# rate: 2 kHz\nencoder,tacho\n1,1\n2,\n3,4\n");
  assert_close(arm_channel(s, 0, "tacho").time[1], 0.001, 1e-15);
  cr_measurements_destroy(s);
  s = read_text("# rate = 10\ntime,encoder\n0,1\n0.1,2\n0.2,3\n");  // both agree
  cr_measurements_destroy(s);
}

TEST(spreadsheets_and_numpy_are_read) {
  cr_measurements* s = read_text("\xef\xbb\xbf\"time\",\"drive\",\r\n0,1,\r\n1,2,\r\n");
  assert_true(arm_channel(s, 0, "ctrl[0]").values[1] == 2);  // a control by its own name
  cr_measurements_destroy(s);
  s = read_text("# time,encoder\n0.0e+00,1.5e+00\n1.0e+00,2.5e+00");  // numpy.savetxt(header=...)
  assert_true(arm_channel(s, 0, "encoder").values[1] == 2.5);
  cr_measurements_destroy(s);
  s = read_text("time\tencoder\tgyro.x\n0\t1\t\n1\t\t2\n");
  assert_true(arm_channel(s, 0, "gyro.x").time[0] == 1);
  cr_measurements_destroy(s);
}

TEST(options_name_and_ignore_columns) {
  static const char* const columns[] = {"t=time [ms]", "enc 7=encoder [deg]"};
  static const char* const ignored[] = {"status", "temp"};
  const cr_measurements_file o = {.size = sizeof o,
                                  .run = "swing",
                                  .columns = columns,
                                  .ncolumn = 2,
                                  .ignored = ignored,
                                  .nignored = 2};
  const char* path = scratch_write("log.csv", "t,enc 7,status,temp [C]\n0,180,ok,20\n1,0,bad,21\n");
  cr_measurements* s = arm_read(m, path, &o);
  assert_string_equal(cr_measurements_name(s, 0), "swing");
  assert_int_equal(cr_measurements_channels(s, 0), 1);
  assert_close(arm_channel(s, 0, "encoder").values[0], CR_PI, 1e-15);
  assert_close(arm_channel(s, 0, "encoder").time[1], 0.001, 1e-15);
  cr_measurements_destroy(s);
}

// ---- mistakes

typedef struct {
  const char *text, *part;
} mistake;

static const mistake mistakes[] = {
    // names
    {"time,encodr\n0,1\n",
     "line 1: column 'encodr' is no place of the model, no control and not "
     "time; did you mean encoder?"},
    {"time,Gyro.x\n0,1\n",
     "line 1: column 'Gyro.x' is no place of the model, no control and not "
     "time; did you mean gyro"},
    {"time,hinge\n0,1\n", "did you mean qpos[hinge] or qvel[hinge]"},
    {"tme,encoder\n0,1\n",
     "column 'tme' is no place of the model, no control and not time; did "
     "you mean time"},
    {"time,qpos[hinje]\n0,1\n",
     "line 1: column 'qpos[hinje]': 'qpos[hinje]': there is no 'hinje'; "
     "did you mean 'hinge'?"},
    {"time,qpso[hinge]\n0,1\n", "did you mean qpos[hinge]"},
    {"time,gyro.w\n0,1\n", "no component 'w'"},
    {"time,gyro\n0,1\n", "column 'gyro' is 3 numbers; a column names one, as 'gyro[0]'"},
    {"time,foobarbaz\n0,1\n",
     "column 'foobarbaz' is no place of the model, no control and not time"},
    {"time,body_mass[drone]\n0,1\n", "is of the model, not a signal that can be measured"},
    {"time,qfrc_applied[0]\n0,1\n", "of inputs only ctrl can be recorded"},
    {"time,encoder,sensordata[encoder]\n0,1,1\n",
     "line 1: columns 'encoder' and 'sensordata[encoder]' are one number"},
    {"time,encoder,time\n0,1,0\n", "columns 'time' and 'time' are one number"},
    {"time,,encoder\n0,1,2\n", "line 1: a column has no name"},
    {"time,attitude.w,attitude.x,attitude.y\n0,1,0,0\n",
     "column 'attitude.w' is a part of a quaternion; columns for all 4 numbers of its place"},
    {"0,1\n1,2\n", "line 1: the first line has to name the columns"},
    {"rate,encoder\n1,1\n", "a rate is no column; write a line '# rate: 200 Hz'"},
    {"encoder.time,encoder\n0,1\n", "a table has one column of times"},
    // units
    {"time,encoder [mm]\n0,1\n",
     "line 1: column 'encoder [mm]': it has the unit 'mm', the model's unit is rad"},
    {"time,qpos[slide] [deg]\n0,1\n", "it has the unit 'deg', the model's unit is m"},
    {"time,encoder [dgr]\n0,1\n", "there is no unit 'dgr'; the model's is rad"},
    {"time,gyro.x [g]\n0,1\n", "it has the unit 'g', the model's unit is rad/s"},
    {"time,ctrl[drive] [mNm]\n0,1\n", "the model has no unit for it, so 'mNm' cannot be converted"},
    {"time [rad],encoder\n0,1\n", "column 'time [rad]': 'rad' is no unit of time"},
    {"time[ms],encoder\n0,1\n", "column 'time[ms]': a unit stands behind a blank"},
    {"time,encoder(deg)\n0,1\n", "column 'encoder(deg)': a unit stands behind a blank"},
    // times
    {"encoder\n1\n2\n", "has neither a column 'time' nor a line '# rate: 200 Hz'"},
    {"time,encoder\n0,1\n0.2,1\n0.1,1\n",
     "line 4, column 'time': time 0.1 s comes after 0.2 s; it has to increase"},
    {"time,encoder\n0,1\n0,1\n", "line 3, column 'time': time 0 s comes after 0 s"},
    {"time,encoder\n0,1\n,1\n", "line 3, column 'time': the time is missing"},
    {"time,encoder\n0,1\nnan,1\n", "line 3, column 'time': 'nan' is not finite"},
    {"# rate: 100 Hz\ntime,encoder\n0,1\n0.1,1\n",
     "the times have 10 rows a second, the rate is 100; leave one of them out"},
    {"# rate: fast\nencoder\n1\n", "line 1: a rate is a positive number, as in '# rate: 200 Hz'"},
    {"# rate: 5 Hz\n# rate: 6 Hz\nencoder\n1\n", "line 2: a second rate; one is expected"},
    // cells
    {"time,encoder\n0,1\n1,one\n", "line 3, column 'encoder': 'one' is no number"},
    {"time;encoder\n0;1\n1;0,5\n", "line 3, column 'encoder': '0,5' has a decimal comma"},
    {"time,encoder\n0,1\n0,5,1,5\n",
     "line 3: 4 cells, the line of names has 2; with decimal commas"},
    {"time,encoder,tacho\n0,1,1\n1,2\n", "line 3: 2 cells, the line of names has 3"},
    {"time,encoder\n0,inf\n", "line 2, column 'encoder': 'inf' is not finite"},
    {"time,ctrl[drive]\n0,1\n1,nan\n",
     "line 3, column 'ctrl[drive]': 'nan' is not finite; leave the cell empty"},
    {"time,attitude.w,attitude.x,attitude.y,attitude.z\n0,1,0,0,0\n1,.9,0,0,0\n",
     "line 3, column 'attitude.w': the quaternion has length 0.9, not 1"},
    {"time,attitude.w,attitude.x,attitude.y,attitude.z\n0,1,0,0,\n",
     "line 2, column 'attitude.w': only 3 numbers of a quaternion were measured"},
    {"time,encoder,tacho\n0,1,\n1,2,\n", "column 'tacho' has no number in any line; leave it out"},
    {"time,encoder\n", "has names, but no numbers"},
    {"time\n0\n1\n", "no column but the time"},
    {"# nothing\n", "has no line of names"},
    {"", "is empty"},
};

TEST(usual_mistakes_are_named) {
  for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++) {
    arm_refuses(m, scratch_write("drive.csv", mistakes[i].text), NULL, mistakes[i].part);
  }
}

TEST(the_line_is_counted_through_comments_and_blank_lines) {
  char text[1024] = "# one\n\ntime,encoder\n";
  for (int i = 4; i < 17; i++) {
    (void)snprintf(text + strlen(text), sizeof text - strlen(text), i == 9 ? "\n" : "%d,1\n", i);
  }
  (void)strcat(text, "17,1,1\n");
  arm_refuses(m, scratch_write("drive.csv", text), NULL, "drive.csv: line 17: 3 cells");
}

TEST(what_is_no_text_is_refused) {
  const char* path = scratch_path("drive.csv");
  FILE* file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite("t\0i\0m\0e\0", 1, 8, file), 8);  // UTF-16
  assert_int_equal(fclose(file), 0);
  arm_refuses(m, path, NULL, "is no plain text");
  arm_refuses(m, scratch_path("missing.csv"), NULL, "cannot be opened");
}
