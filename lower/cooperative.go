package lower

// cooperative is the host's call that launches a kernel all of whose CTAs are resident (CUDA Runtime API, Execution Control).
const cooperative = "cudaLaunchCooperativeKernel"
