// SPDX-License-Identifier: Apache-2.0
// The counts of a data block, no include guard: define the macros you need, include it. The struct, its
// room, twins, copies and the rows of fields come from it. Sizes of fields name the counts
// (model/data_fields.h).
//
//   CR_LIVE(name, text)           rows there are now, name_max of them at most: see cri_capacity_default
//   CR_PART(name, text)           how many of the rows are of one kind
//   CR_ROOM(name, numbers, text)  room made once, for so many numbers of the model m, after the rows before it
#ifndef CR_LIVE
#define CR_LIVE(name, text)
#endif
#ifndef CR_PART
#define CR_PART(name, text)
#endif
#ifndef CR_ROOM
#define CR_ROOM(name, numbers, text)
#endif
// clang-format off

CR_LIVE(ncon, "contacts")
CR_LIVE(nefc, "constraint rows")
CR_LIVE(nJ,   "non-zeros of efc_J")
CR_PART(ne,   "equality rows")
CR_PART(nf,   "friction rows")
CR_PART(nl,   "limit rows")

CR_ROOM(nH,       cri_contact_room(m),              "numbers of what the contact model's linear solve needs")
CR_ROOM(nHindex,  triangle(m) + 2 * m->nv + 1,      "numbers of the structure of a factor over all dofs")
CR_ROOM(nmoment,  count_moment(m),                  "non-zeros of actuator_moment")
CR_ROOM(nrk,      most_stages(m),                   "stages of the integrator, or of MuJoCo's, whichever are more")
CR_ROOM(nefmL,      is_discrete(m) ? triangle(m) : 0, "numbers of the factor of the effective inertia")
CR_ROOM(nefmfluid, is_discrete(m) ? m->nC : 0,      "non-zeros of efm_fluid")
CR_ROOM(nefmindex, is_discrete(m) ? d->nHindex : 0, "numbers of the structure of efm_L")
CR_ROOM(nbefore,      count_changed(m, d),          "numbers that added stages keep")

// clang-format on
#undef CR_LIVE
#undef CR_PART
#undef CR_ROOM
