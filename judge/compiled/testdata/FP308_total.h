constexpr int WARP_SIZE = 32;
