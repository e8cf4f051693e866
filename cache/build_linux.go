package cache

// executable is the file that was started, even if another one has its name now.
func executable() (string, error) { return "/proc/self/exe", nil }
