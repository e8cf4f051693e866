// A role waits before its loop for what another one does in its loop only, and code that looks like it.

__device__ void named(Scheduler& scheduler, int role) {
  auto tile = scheduler.first();
  if (role == 0) {
    for (; tile.is_valid(); tile = scheduler.next()) {
      load(tile);
      cutlass::arch::NamedBarrier::arrive(64, 2);
    }
  } else {
    cutlass::arch::NamedBarrier::sync(64, 2);  // want FP113 "not part of the loop"
    for (; tile.is_valid(); tile = scheduler.next()) {
      use(tile);
    }
  }
}

// Whoever has no tile has left.
__device__ void gone(Scheduler& scheduler, OrderBarrier& order, int role) {
  auto tile = scheduler.first();
  if (not tile.is_valid()) {
    return;
  }
  if (role == 0) {
    while (tile.is_valid()) {
      load(tile);
      order.arrive();
      tile = scheduler.next();
    }
  } else {
    order.wait();
    while (tile.is_valid()) {
      use(tile);
      tile = scheduler.next();
    }
  }
}

// The tile is asked for first.
__device__ void asked(Scheduler& scheduler, OrderBarrier& order, int role, bool separate) {
  auto tile = scheduler.first();
  if (role == 0) {
    while (tile.is_valid()) {
      order.arrive();
      tile = scheduler.next();
    }
  } else {
    if (!separate && tile.is_valid()) {
      order.wait();
    }
    while (tile.is_valid()) {
      use(tile);
      tile = scheduler.next();
    }
  }
}

// An arrival after the loop serves a CTA without a tile.
__device__ void after(Scheduler& scheduler, OrderBarrier& order, int role) {
  auto tile = scheduler.first();
  if (role == 0) {
    while (tile.is_valid()) {
      order.arrive();
      tile = scheduler.next();
    }
    order.arrive();
  } else {
    order.wait();
    while (tile.is_valid()) {
      use(tile);
      tile = scheduler.next();
    }
  }
}

// Somebody else may arrive.
__device__ void handed(Scheduler& scheduler, OrderBarrier& order, int role) {
  auto tile = scheduler.first();
  start(order);
  if (role == 0) {
    while (tile.is_valid()) {
      order.arrive();
      tile = scheduler.next();
    }
  } else {
    order.wait();
    while (tile.is_valid()) {
      use(tile);
      tile = scheduler.next();
    }
  }
}

// Each of two groups goes through both.
__device__ void turns(Scheduler& scheduler, OrderBarrier& order) {
  auto tile = scheduler.first();
  order.wait();
  while (tile.is_valid()) {
    use(tile);
    order.arrive();
    tile = scheduler.next();
  }
}

// The body runs once at least.
__device__ void once(Scheduler& scheduler, OrderBarrier& order, int role) {
  auto tile = scheduler.first();
  if (role == 0) {
    do {
      order.arrive();
      tile = scheduler.next();
    } while (tile.is_valid());
  } else {
    order.wait();
    do {
      use(tile);
      tile = scheduler.next();
    } while (tile.is_valid());
  }
}
