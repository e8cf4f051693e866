// One barrier for all slots of a ring, and what keeps a role close to the one that waits.

template <int DEPTH>
__global__ void deep(int rounds) {
  __shared__ semaphore ready[2], free_slot[DEPTH], copied;
  if (warp() == 0) {
    for (int i = 0; true; i++) {
      wait(free_slot[i % DEPTH], (i / DEPTH + 1) % 2);
      commit(ready[lane()]);
      if (i == rounds) break;
    }
  } else {
    for (int i = 0; true; i++) {
      wait(ready[group()], i % 2);  // want FP114 "one phase for all slots"
      group::arrive(free_slot[i % DEPTH], 0);
      if (i == rounds) break;
    }
  }
}

// One slot: the next round waits for this one.
__global__ void single(int rounds) {
  __shared__ semaphore ready, free_slot[1];
  if (warp() == 0) {
    for (int i = 0; i < rounds; i++) {
      wait(free_slot[i % 1], ((i + 1) / 1) % 2);
      commit(ready);
    }
  } else {
    for (int i = 0; i < rounds; i++) {
      wait(ready, i % 2);
      arrive(free_slot[i % 1]);
    }
  }
}

// A second barrier that the waiting role completes each round keeps the other with it.
__global__ void paired(int rounds) {
  __shared__ semaphore ready, taken, free_slot[2];
  if (warp() == 0) {
    for (int i = 0; i < rounds; i++) {
      wait(free_slot[i % 2], ((i + 2) / 2) % 2);
      commit(ready);
      wait(taken, i % 2);
    }
  } else {
    for (int i = 0; i < rounds; i++) {
      wait(ready, i % 2);
      arrive(taken);
      arrive(free_slot[i % 2]);
    }
  }
}

// The ring is not free at first: round i waits for round i of the other role.
__global__ void behind(int rounds) {
  __shared__ semaphore ready, full[2];
  if (warp() == 0) {
    for (int i = 0; i < rounds; i++) {
      wait(full[i % 2], (i / 2) % 2);
      commit(ready);
    }
  } else {
    for (int i = 0; i < rounds; i++) {
      wait(ready, i % 2);
      arrive(full[i % 2]);
    }
  }
}

// All meet in each round.
__global__ void meeting(int rounds) {
  __shared__ semaphore ready, free_slot[2];
  if (warp() == 0) {
    for (int i = 0; i < rounds; i++) {
      wait(free_slot[i % 2], ((i + 2) / 2) % 2);
      commit(ready);
      asm volatile("bar.sync 1, 64;" ::: "memory");
    }
  } else {
    for (int i = 0; i < rounds; i++) {
      wait(ready, i % 2);
      arrive(free_slot[i % 2]);
      asm volatile("bar.sync 1, 64;" ::: "memory");
    }
  }
}
