// SPDX-License-Identifier: Apache-2.0
// The declarations are those of EGL 1.5, EGL_EXT_platform_device and OSMesa's GL/osmesa.h, whose headers need not be there.
#include "render/gl_context.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

// ---- what is called

typedef void (*any_function)(void);
typedef any_function (*egl_lookup)(const char*);
static struct {
  bool ready;
  void* display;
  egl_lookup get_proc_address;
  unsigned (*query_devices)(int, void**, int*);
  void* (*get_platform_display)(unsigned, void*, const int*);
  unsigned (*initialize)(void*, int*, int*);
  unsigned (*choose_config)(void*, const int*, void**, int, int*);
  unsigned (*bind_api)(unsigned);
  void* (*create_context)(void*, void*, void*, const int*);
  unsigned (*destroy_context)(void*, void*);
  unsigned (*make_current)(void*, void*, void*, void*);
} egl;

static struct {
  bool ready;
  void* (*create_context)(unsigned, int, int, int, void*);
  void (*destroy_context)(void*);
  unsigned char (*make_current)(void*, void*, unsigned, int, int);
} osmesa;

struct cr_gl {
  void* context;
  bool by_egl;
  unsigned char* window;  // OSMesa's, which nothing draws into
};

// data and functions are the same kind of pointer in POSIX, not in C
static bool find(void* library, const char* name, void* function) {
  void* found = library != NULL ? dlsym(library, name) : NULL;
  memcpy(function, &found, sizeof found);
  return found != NULL;
}

static bool find_egl(const char* name, void* function) {
  any_function found = egl.get_proc_address(name);
  memcpy(function, &found, sizeof found);
  return found != NULL;
}

// ---- EGL

// the first device that can be opened: graphics cards come first, a device without one last
static bool open_display(void) {
  enum { DEVICES = 16, PLATFORM_DEVICE = 0x313f };
  void* device[DEVICES];
  int n = 0;
  if (egl.query_devices(DEVICES, device, &n) == 0) {
    return false;
  }
  for (int i = 0; i < n; i++) {
    egl.display = egl.get_platform_display(PLATFORM_DEVICE, device[i], NULL);
    if (egl.display != NULL && egl.initialize(egl.display, NULL, NULL) != 0) {
      return true;
    }
  }
  return false;
}

static bool load_egl(void) {
  void* library = dlopen("libEGL.so.1", RTLD_NOW | RTLD_LOCAL);
  bool found = find(library, "eglGetProcAddress", &egl.get_proc_address) &&
               find_egl("eglQueryDevicesEXT", &egl.query_devices) &&
               find_egl("eglGetPlatformDisplayEXT", &egl.get_platform_display) &&
               find_egl("eglInitialize", &egl.initialize) &&
               find_egl("eglChooseConfig", &egl.choose_config) &&
               find_egl("eglBindAPI", &egl.bind_api) &&
               find_egl("eglCreateContext", &egl.create_context) &&
               find_egl("eglDestroyContext", &egl.destroy_context) &&
               find_egl("eglMakeCurrent", &egl.make_current) && open_display();
  // libmujoco takes its functions of OpenGL from a library that is loaded
  if (!found && library != NULL) {
    (void)dlclose(library);
  }
  return found;
}

static bool open_egl(cr_gl* gl) {
  enum { BITS = 8, DEPTH = 24, OPENGL_API = 0x30a2 };
  enum { BLUE = 0x3022, GREEN, RED, DEPTH_SIZE, STENCIL_SIZE, SURFACE_TYPE = 0x3033 };
  enum { PBUFFER_BIT = 1, RENDERABLE_TYPE = 0x3040, OPENGL_BIT = 8, NONE = 0x3038 };
  static const int wanted[] = {RED,          BITS,        GREEN,           BITS,         BLUE,
                               BITS,         DEPTH_SIZE,  DEPTH,           STENCIL_SIZE, BITS,
                               SURFACE_TYPE, PBUFFER_BIT, RENDERABLE_TYPE, OPENGL_BIT,   NONE};
  void* config = NULL;
  int n = 0;
  gl->by_egl = true;
  if (egl.choose_config(egl.display, wanted, &config, 1, &n) == 0 || n < 1 ||
      egl.bind_api(OPENGL_API) == 0) {
    return false;
  }
  gl->context = egl.create_context(egl.display, config, NULL, NULL);
  return gl->context != NULL;
}

// ---- OSMesa

static bool load_osmesa(void) {
  static const char* const names[] = {"libOSMesa.so.8", "libOSMesa.so.6", "libOSMesa.so"};
  void* library = NULL;
  for (size_t i = 0; i < sizeof names / sizeof names[0] && library == NULL; i++) {
    library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
  }
  return find(library, "OSMesaCreateContextExt", &osmesa.create_context) &&
         find(library, "OSMesaDestroyContext", &osmesa.destroy_context) &&
         find(library, "OSMesaMakeCurrent", &osmesa.make_current);
}

enum { WINDOW = 16 };  // pixels along a side

static bool open_osmesa(cr_gl* gl) {
  enum { RGBA = 0x1908, DEPTH = 24, STENCIL = 8 };
  gl->by_egl = false;
  gl->window = calloc((size_t)4 * WINDOW * WINDOW, 1);
  gl->context = gl->window != NULL ? osmesa.create_context(RGBA, DEPTH, STENCIL, 0, NULL) : NULL;
  return gl->context != NULL;
}

// ---- either of them

// one for the whole process: libmujoco looks up the functions of OpenGL once
static void load(void) {
  const char* asked = getenv("MUJOCO_GL");
  bool either = asked == NULL || (strcmp(asked, "egl") != 0 && strcmp(asked, "osmesa") != 0);
  egl.ready = (either || strcmp(asked, "egl") == 0) && load_egl();
  osmesa.ready = !egl.ready && (either || strcmp(asked, "osmesa") == 0) && load_osmesa();
}

cr_status cr_gl_use(const cr_gl* gl, cr_error* error) {
  enum { UNSIGNED_BYTE = 0x1401 };
  bool used =
      gl->by_egl ? egl.make_current(egl.display, NULL, NULL, gl->context) != 0
                 : osmesa.make_current(gl->context, gl->window, UNSIGNED_BYTE, WINDOW, WINDOW) != 0;
  return used ? CR_OK
              : cri_fail(error, CR_ERR_UNSUPPORTED, "rendering: %s refuses its context of OpenGL",
                         gl->by_egl ? "EGL" : "OSMesa");
}

cr_status cr_gl_open(cr_gl** out, cr_error* error) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  (void)pthread_once(&once, load);
  cr_gl* gl = calloc(1, sizeof *gl);
  if (gl == NULL) {
    return cri_fail(error, CR_ERR_MEMORY, "rendering: no memory");
  }
  bool opened = (egl.ready && open_egl(gl)) || (osmesa.ready && open_osmesa(gl));
  cr_status status =
      opened ? cr_gl_use(gl, error)
             : cri_fail(error, CR_ERR_UNSUPPORTED,
                        "rendering needs OpenGL without a screen, by EGL or OSMesa, and neither "
                        "works here (apt-get install libosmesa6)");
  if (status != CR_OK) {
    cr_gl_close(gl);
    return status;
  }
  *out = gl;
  return CR_OK;
}

void cr_gl_close(cr_gl* gl) {
  if (gl == NULL) {
    return;
  }
  if (gl->context != NULL && gl->by_egl) {
    (void)egl.make_current(egl.display, NULL, NULL, NULL);
    (void)egl.destroy_context(egl.display, gl->context);
  } else if (gl->context != NULL) {
    osmesa.destroy_context(gl->context);
  }
  free(gl->window);
  free(gl);
}
