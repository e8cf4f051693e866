constexpr int SIDE = 128;
