struct Bound {
  int rows;
  __device__ int m() const { return rows; }
};
