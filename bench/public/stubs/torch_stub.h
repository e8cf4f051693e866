// Enough of PyTorch that host code which launches kernels compiles: everything else converts to anything.
#pragma once
#include <cassert>
#include <cstdint>
#include <cmath>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <cublas_v2.h>
namespace c10 {
enum class ScalarType { Byte, Char, Short, Int, Long, Half, Float, Double, ComplexHalf, ComplexFloat, ComplexDouble, Bool, QInt8, QUInt8, QInt32, BFloat16, Float8_e5m2, Float8_e4m3fn, Undefined };
enum class DeviceType { CPU, CUDA };
enum class Layout { Strided };
enum class MemoryFormat { Contiguous, Preserve, ChannelsLast, ChannelsLast3d };
template <class T> struct CppTypeToScalarType { static constexpr ScalarType value = ScalarType::Float; };
struct Half { unsigned short x; Half() = default; __host__ __device__ Half(float) {} __host__ __device__ Half(__half) {} __host__ __device__ operator float() const { return __half2float(*(const __half *)this); } };
struct BFloat16 { unsigned short x; BFloat16() = default; __host__ __device__ BFloat16(float) {} __host__ __device__ BFloat16(__nv_bfloat16) {} __host__ __device__ operator float() const { return __bfloat162float(*(const __nv_bfloat16 *)this); } };
// Any is what no kernel depends on.
struct Any {
	template <class... A> Any(A &&...) {}
	template <class T> operator T() const;
	template <class... A> Any operator()(A &&...) const;
	template <class T> Any operator[](T) const;
};
struct Device { Device(DeviceType = {}, int = 0); DeviceType type() const; int index() const; bool is_cuda() const; bool operator==(const Device &) const; bool operator!=(const Device &) const; };
struct IntArrayRef { IntArrayRef(std::initializer_list<int64_t>); IntArrayRef(const std::vector<int64_t> &); int64_t operator[](size_t) const; size_t size() const; const int64_t *begin() const; const int64_t *end() const; std::vector<int64_t> vec() const; bool operator==(IntArrayRef) const; bool operator!=(IntArrayRef) const; };
struct Dtype { ScalarType s; operator ScalarType() const; bool operator==(ScalarType) const; bool operator!=(ScalarType) const; int itemsize() const; };
struct TensorOptions { Dtype dtype() const;  TensorOptions(ScalarType = {}); TensorOptions dtype(ScalarType) const; TensorOptions device(Any) const; template <class... A> TensorOptions device(A &&...) const; TensorOptions layout(Layout) const; TensorOptions memory_format(MemoryFormat) const; TensorOptions requires_grad(bool) const; };
struct Scalar { template <class T> Scalar(T) {} template <class T> T to() const; };
inline std::ostream &operator<<(std::ostream &o, const IntArrayRef &) { return o; }
inline std::ostream &operator<<(std::ostream &o, const TensorOptions &) { return o; }
inline std::ostream &operator<<(std::ostream &o, ScalarType) { return o; }
inline std::ostream &operator<<(std::ostream &o, const Dtype &) { return o; }
inline std::ostream &operator<<(std::ostream &o, const Device &) { return o; }
} // namespace c10
namespace at {
using namespace c10;
struct Tensor {
	Tensor();
	template <class T> T *data_ptr() const;
	template <class T> T *data() const;
	template <class T> const T *const_data_ptr() const;
	template <class T> T *mutable_data_ptr() const;
	void *data_ptr() const;
	int64_t size(int64_t) const, stride(int64_t) const, dim() const, numel() const, ndimension() const, element_size() const, storage_offset() const, nbytes() const;
	IntArrayRef sizes() const, strides() const;
	TensorOptions options() const;
	Dtype dtype() const;
	ScalarType scalar_type() const;
	ScalarType type() const;
	Device device() const;
	int get_device() const;
	bool is_contiguous(...) const, is_cuda() const, defined() const, has_value() const, is_cpu() const, is_meta() const, requires_grad() const;
	template <class T> T item() const;
	template <class... A> Tensor view(A &&...) const;
	template <class... A> Tensor reshape(A &&...) const;
	template <class... A> Tensor to(A &&...) const;
	template <class... A> Tensor sum(A &&...) const;
	template <class... A> Tensor slice(A &&...) const;
	template <class... A> Tensor select(A &&...) const;
	template <class... A> Tensor transpose(A &&...) const;
	template <class... A> Tensor permute(A &&...) const;
	template <class... A> Tensor narrow(A &&...) const;
	template <class... A> Tensor expand(A &&...) const;
	template <class... A> Tensor repeat(A &&...) const;
	Tensor view(std::initializer_list<int64_t>) const, permute(std::initializer_list<int64_t>) const, reshape(std::initializer_list<int64_t>) const;
	Tensor contiguous(...) const, clone() const, flatten() const, squeeze(...) const, unsqueeze(...) const, zero_() const, fill_(...) const, t() const, cpu() const, cuda() const, detach() const, reshape_as(Tensor) const, view_as(Tensor) const, copy_(Tensor) const, max() const, min() const, mul(Tensor) const;
	Tensor operator[](int64_t) const;
	Tensor toType(ScalarType) const;
	bool is_same_size(Tensor) const;
};
template <class... A> Tensor empty(A &&...);
Tensor empty(std::initializer_list<int64_t>, Any = {});
template <class... A> Tensor zeros(A &&...);
Tensor zeros(std::initializer_list<int64_t>, Any = {});
template <class... A> Tensor ones(A &&...);
template <class... A> Tensor full(A &&...);
Tensor full(std::initializer_list<int64_t>, Any, Any = {});
template <class... A> Tensor tensor(A &&...);
template <class... A> Tensor empty_like(A &&...);
template <class... A> Tensor zeros_like(A &&...);
template <class... A> Tensor ones_like(A &&...);
template <class... A> Tensor linear(A &&...);
template <class... A> Tensor matmul(A &&...);
template <class... A> Tensor sum(A &&...);
constexpr ScalarType kByte = ScalarType::Byte, kChar = ScalarType::Char, kInt8 = ScalarType::Char, kUInt8 = ScalarType::Byte, kShort = ScalarType::Short, kInt = ScalarType::Int, kInt32 = ScalarType::Int, kLong = ScalarType::Long, kInt64 = ScalarType::Long, kHalf = ScalarType::Half, kFloat16 = ScalarType::Half, kFloat = ScalarType::Float, kFloat32 = ScalarType::Float, kDouble = ScalarType::Double, kBool = ScalarType::Bool, kBFloat16 = ScalarType::BFloat16, kFloat8_e4m3fn = ScalarType::Float8_e4m3fn, kFloat8_e5m2 = ScalarType::Float8_e5m2;
constexpr DeviceType kCUDA = DeviceType::CUDA, kCPU = DeviceType::CPU;
template <class T, bool cuda = false> struct acc { using type = T; };
template <> struct acc<Half, true> { using type = float; };
template <> struct acc<BFloat16, true> { using type = float; };
template <> struct acc<__half, true> { using type = float; };
template <> struct acc<__nv_bfloat16, true> { using type = float; };
template <class T, bool cuda> using acc_type = typename acc<T, cuda>::type;
template <class T> struct OpMathType { using type = typename acc<T, true>::type; };
template <class T> using opmath_type = typename OpMathType<T>::type;
template <class T> struct ArrayRef { const T *begin() const, *end() const; size_t size() const; const T &operator[](size_t) const; };
using TensorList = ArrayRef<Tensor>;
template <class T> __host__ __device__ T ceil_div(T a, T b) { return (a + b - 1) / b; }
struct PhiloxCudaState { unsigned long long seed, offset; };
struct Generator { std::mutex *mutex(); };
struct CUDAGeneratorImpl { std::mutex mutex_; PhiloxCudaState philox_cuda_state(uint64_t); std::mutex *mutex_p(); };
template <class T> T *get_generator_or_default(...);
template <class T> T *check_generator(...);
namespace cuda {
namespace philox { __host__ __device__ std::tuple<uint64_t, uint64_t> unpack(PhiloxCudaState); }
namespace detail { const Generator &getDefaultCUDAGenerator(int = 0); }
struct Stream { operator cudaStream_t() const; cudaStream_t stream() const; };
Stream getCurrentCUDAStream(int = 0);
Stream getDefaultCUDAStream();
Stream getStreamFromPool(...);
cudaDeviceProp *getCurrentDeviceProperties();
cudaDeviceProp *getDeviceProperties(int);
cublasHandle_t getCurrentCUDABlasHandle();
int warp_size();
using CUDAStream = Stream;
struct OptionalCUDAGuard { template <class T> OptionalCUDAGuard(T &&...); OptionalCUDAGuard(); };
struct CUDAGuard { template <class T> CUDAGuard(T &&); };
namespace detail {
template <class... A> bool canUse32BitIndexMath(A &&...);
}
} // namespace cuda
template <class... A> Device device_of(A &&...);
struct DeviceGuard { template <class T> DeviceGuard(T &&); };
template <class T> struct numeric_limits { static __host__ __device__ T lowest() { return T(-1e30); } static __host__ __device__ T max() { return T(1e30); } };
} // namespace at
namespace c10 {
using at::ArrayRef;
template <class T> using optional = std::optional<T>;
constexpr std::nullopt_t nullopt = std::nullopt;
namespace cuda {
using at::cuda::CUDAGuard; using at::cuda::OptionalCUDAGuard; using at::cuda::getCurrentCUDAStream; using at::cuda::CUDAStream; using at::cuda::getDefaultCUDAStream;
}
} // namespace c10
namespace torch {
using namespace at;
template <class... A> TensorOptions dtype(A &&...);
template <class... A> TensorOptions device(A &&...);
constexpr ScalarType float32 = at::kFloat, float16 = at::kHalf, half = at::kHalf, bfloat16 = at::kBFloat16, int32 = at::kInt, int8 = at::kChar, uint8 = at::kByte;
using Dtype = at::ScalarType;
constexpr at::Layout kStrided = at::Layout::Strided;
}
#define TORCH_CHECK(...)
#define AT_ASSERTM(...)
#define AT_ASSERT(...)
#define TORCH_INTERNAL_ASSERT(...)
#define TORCH_CHECK_EQ(...)
#define TORCH_WARN(...)
#define AT_ERROR(...) abort()
#define C10_CUDA_CHECK(...) (__VA_ARGS__)
#define AT_CUDA_CHECK(...) (__VA_ARGS__)
#define C10_CUDA_KERNEL_LAUNCH_CHECK()
#define THCudaCheck(...) (__VA_ARGS__)
#define TORCH_CUDABLAS_CHECK(...) (__VA_ARGS__)
#define C10_HOST_DEVICE __host__ __device__
#define C10_WARP_SIZE 32
#define C10_DEVICE __device__
#define TORCH_EXTENSION_NAME stub
#define PYBIND11_MODULE(name, m) template <class M> void bind_##name(M &m)
#define TORCH_LIBRARY(name, m) template <class M> void library_##name(M &m)
#define TORCH_LIBRARY_FRAGMENT(name, m) template <class M> void fragment_##name(M &m)
#define TORCH_LIBRARY_IMPL(name, key, m) template <class M> void impl_##name##key(M &m)
#define AT_DISPATCH_FLOATING_TYPES(type, name, ...) { using scalar_t = float; __VA_ARGS__(); }
#define AT_DISPATCH_FLOATING_TYPES_AND_HALF AT_DISPATCH_FLOATING_TYPES
#define AT_DISPATCH_ALL_TYPES AT_DISPATCH_FLOATING_TYPES
#define AT_DISPATCH_FLOATING_TYPES_AND(other, type, name, ...) AT_DISPATCH_FLOATING_TYPES(type, name, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_TYPES_AND2(one, two, type, name, ...) AT_DISPATCH_FLOATING_TYPES(type, name, __VA_ARGS__)
