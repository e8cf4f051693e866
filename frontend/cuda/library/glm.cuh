// Models of the vectors and matrices of GLM (https://github.com/g-truc/glm, detail/type_vec3.hpp, type_mat3x3.hpp): what their members are, and where. What is computed of
// them is not followed.

namespace glm {

template <int L, typename T, int Q = 0> struct vec;

template <typename T, int Q> struct vec<1, T, Q> {
  T x;
  __device__ T& operator[](int i) { return x; }
};
template <typename T, int Q> struct vec<2, T, Q> {
  T x, y;
  __device__ T& operator[](int i) { return (&x)[i]; }
};
template <typename T, int Q> struct vec<3, T, Q> {
  T x, y, z;
  __device__ T& operator[](int i) { return (&x)[i]; }
};
template <typename T, int Q> struct vec<4, T, Q> {
  T x, y, z, w;
  __device__ T& operator[](int i) { return (&x)[i]; }
};

template <int C, int R, typename T, int Q = 0> struct mat {
  vec<R, T, Q> value[C];
  __device__ vec<R, T, Q>& operator[](int i) { return value[i]; }
};

using vec1 = vec<1, float>;
using vec2 = vec<2, float>;
using vec3 = vec<3, float>;
using vec4 = vec<4, float>;
using dvec2 = vec<2, double>;
using dvec3 = vec<3, double>;
using dvec4 = vec<4, double>;
using ivec2 = vec<2, int>;
using ivec3 = vec<3, int>;
using ivec4 = vec<4, int>;
using uvec2 = vec<2, unsigned>;
using uvec3 = vec<3, unsigned>;
using uvec4 = vec<4, unsigned>;
using mat2 = mat<2, 2, float>;
using mat3 = mat<3, 3, float>;
using mat4 = mat<4, 4, float>;
using mat2x2 = mat<2, 2, float>;
using mat3x2 = mat<3, 2, float>;
using mat2x3 = mat<2, 3, float>;
using mat3x3 = mat<3, 3, float>;
using mat4x3 = mat<4, 3, float>;
using mat3x4 = mat<3, 4, float>;
using mat4x4 = mat<4, 4, float>;

}  // namespace glm
