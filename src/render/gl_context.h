// SPDX-License-Identifier: Apache-2.0
// A context of OpenGL without a screen, by EGL or OSMesa. Their libraries are loaded when the first context is made, so that
// nothing is linked with them.
#ifndef CR_RENDER_GL_CONTEXT_H
#define CR_RENDER_GL_CONTEXT_H

#include "base/status.h"

typedef struct cr_gl cr_gl;

/// A context, which is the current one of the calling thread afterwards. EGL is tried first, which uses a graphics card where there
/// is one, then OSMesa; the environment variable MUJOCO_GL, egl or osmesa, asks for one of them, as in MuJoCo.
/// Owner    the caller, cr_gl_close
/// Errors   CR_ERR_UNSUPPORTED where neither works, with the packages that have them; CR_ERR_MEMORY
cr_status cr_gl_open(cr_gl** gl, cr_error* error);
void cr_gl_close(cr_gl* gl);

/// Makes it the current one of the calling thread.
/// Errors   CR_ERR_UNSUPPORTED where the library refuses
cr_status cr_gl_use(const cr_gl* gl, cr_error* error);

#endif
