// Named barriers that are arrived at again with nothing in between that waits, and code that looks like it.

// The next statement arrives a second time.
__device__ void twice() {
  cutlass::arch::NamedBarrier::arrive(256, 1);
  prepare = 1;
  cutlass::arch::NamedBarrier::arrive(256, 1);  // want FP410 "a second time"
}

// Each warp of the loop has a barrier of its own.
__device__ void deal(int n) {
  for (int i = 0; i < n; ++i) {
    cutlass::arch::NamedBarrier::arrive(64, i);
  }
}

// The wait may be in a function of another file.
__device__ void waitsElsewhere(Pipeline& pipeline, int n) {
  for (int i = 0; i < n; ++i) {
    pipeline.consumer_wait(i);
    cutlass::arch::NamedBarrier::arrive(256, 1);
  }
}

__device__ void nextTile(Scheduler& scheduler) {
  auto tile = scheduler.first();
  while (tile.valid) {
    cutlass::arch::NamedBarrier::arrive(256, 1);
    tile = scheduler.fetch_next_work(tile);
  }
}

// Only the last iteration, only the first, only once.
__device__ void last(int n) {
  for (int i = 0; i < n; ++i) {
    if (i == n - 1) cutlass::arch::NamedBarrier::arrive(256, 1);
  }
  bool first = true;
  for (int i = 0; i < n; ++i) {
    if (first) {
      cutlass::arch::NamedBarrier::arrive(256, 2);
      first = false;
    }
  }
  for (int i = 0; i < n; ++i) {
    cutlass::arch::NamedBarrier::arrive(256, 3);
    break;
  }
}

// Two roles, one line each.
__device__ void roles(int warp) {
  if (warp == 0) {
    cutlass::arch::NamedBarrier::arrive(256, 1);
  } else {
    cutlass::arch::NamedBarrier::arrive(256, 1);
  }
}

// The two sides of a condition of which one waits.
__device__ void sometimes(const int* busy, int n) {
  for (int i = 0; i < n; ++i) {
    int b = busy[i];
    if (b) {
      asm volatile("bar.sync 2, 256;" ::: "memory");
    } else {
      asm volatile("bar.arrive 1, 256;" ::: "memory");  // want FP410 "next iteration arrives"
    }
  }
}

// A loop in inline PTX may wait.
__device__ void polls(unsigned bar, int n) {
  for (int i = 0; i < n; ++i) {
    asm volatile("{\n .reg .pred p;\nAGAIN:\n mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n @!p bra AGAIN;\n}" ::"r"(bar), "r"(i & 1));
    asm volatile("bar.arrive 1, 256;" ::: "memory");
  }
}
