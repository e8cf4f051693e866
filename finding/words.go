package finding

// Property is what a name in a report stands for.
type Property struct {
	Name  string
	Words string // in a list: "a hang; an access that nothing orders"
	Text  string // what is asked, in a sentence
}

// Properties lists what kernels are asked, in words of the field. Reports for machines have the names.
var Properties = []Property{
	{"deadlock", "a hang", "Threads wait for ever at a barrier for threads, arrivals or bytes that never come."},
	{"livelock", "an endless spin", "Threads read a flag for ever: it has its last value, and that is not the one they wait for."},
	{"phase", "a missed phase", "A wait on an mbarrier passes too early, or waits for the wrong phase: the barrier is one or two phases on."},
	{"arrivals", "too many arrivals", "An mbarrier gets more arrivals in one phase than it is initialised for."},
	{"bytes", "lost transaction bytes", "The bytes that an mbarrier expects and those that copies bring do not add up: its phase never completes."},
	{"race", "a data race", "Two accesses of one place in memory, one of them a write, are ordered by nothing, within a CTA or a cluster."},
	{"lifetime", "use outside of its life", "An mbarrier is used before its init, or shared memory when its CTA has exited, or a copy is in flight then."},
	{"quiet", "a phase half arrived at exit", "A phase of an mbarrier has some of its arrivals when all threads are done. Nothing waits for it; the counts do not fit."},
	{"attribution", "an arrival in an earlier phase", "An arrival may come before the phase that it is meant for has begun, and count for the one before. By itself that is a warning."},
	{RaceGrid, "races between CTAs", "Accesses of CTAs that are in no cluster together may conflict in global memory."},
	{Order, "order of memory", "Data are handed to other threads by operations whose order or scope may be too weak under PTX's memory model."},
	{Proxy, "proxies", "Ordinary accesses and those of asynchronous units (TMA, bulk copies, tensor cores) meet with no proxy fence between."},
}

// Words is a property in words of the field; its name where it has none.
func Words(name string) string {
	for _, p := range Properties {
		if p.Name == name {
			return p.Words
		}
	}
	return name
}
