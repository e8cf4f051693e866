package lower

// discoveries are what the runs of one kernel found out about it and later runs rely on. Runs that started without
// knowing are repeated.
type discoveries struct {
	domains    map[string][]int64  // values of an unknown, where they are not those of any trip count
	shortNames map[string][]string // the texts that short names stand for, by prefix
	walks      []string            // walks over the grid (stride.go)
	responses  map[string]string   // where responses of cluster launch control arrive → the mbarrier that says so
}

func newDiscoveries() discoveries {
	return discoveries{domains: map[string][]int64{}, shortNames: map[string][]string{}, responses: map[string]string{}}
}
