// SPDX-License-Identifier: Apache-2.0
// A URDF file before it is compiled: its links and joints as a tree, with every fault named
// by element and line. libmujoco reads the same file again; io/urdf_compile.h adds to its
// reading.
#ifndef CR_IO_URDF_H
#define CR_IO_URDF_H

#include "access/report.h"
#include "tools/xml.h"

typedef struct {
  const cr_xml* xml;
  const char* name;
  int joint;  // the joint whose child it is; -1 for the root
  double mass;
  bool has_inertial, has_inertia, has_collision;  // has_inertia: its tensor is not zero
} cr_urdf_link;

typedef struct {
  const cr_xml* xml;
  const char *name, *type;
  int parent, child;
} cr_urdf_joint;

typedef struct {
  const char* path;
  cr_xml* xml;
  cr_urdf_link* links;
  cr_urdf_joint* joints;
  int nlink, njoint, root;
} cr_urdf;

/// Reads and checks a file; `report` gets ignored and suspicious elements. Valid for
/// cri_urdf_free whatever is returned; `path` must live as long. Errors: CR_ERR_FILE,
/// CR_ERR_MEMORY, CR_ERR_FORMAT with file, line and element.
cr_status cri_urdf_read(cr_urdf* u, const char* path, cr_load_report* report, cr_error* error);

void cri_urdf_free(cr_urdf* u);

/// CR_ERR_FORMAT with the place of an element in front: "robot.urdf:7: <limit> of joint 'knee': ".
cr_status cri_urdf_fail(const cr_urdf* u, const cr_xml* at, cr_error* error, const char* format,
                        ...) __attribute__((format(printf, 4, 5)));

/// The link or joint of a name; -1 if there is none.
int cri_urdf_link_find(const cr_urdf* u, const char* name);
int cri_urdf_joint_find(const cr_urdf* u, const char* name);

#endif
