package dialect

import "strings"

// signatures gives the parameters of every operation; brackets mark those that may be absent. Rows and wrappers are
// checked against it, so a misspelt parameter is an error where it is written and not a silent miss later.
var signatures = map[Kind]string{
	MbarrierInit:           "ptr, count",
	MbarrierInval:          "ptr",
	MbarrierArrive:         "ptr, [count], [peer], [pred], [sem], [scope], [space]",
	MbarrierArriveExpectTx: "ptr, bytes, [peer], [pred], [sem], [scope], [space]",
	MbarrierArriveDrop:     "ptr, [count], [bytes], [peer], [pred], [sem], [scope], [space]",
	MbarrierExpectTx:       "ptr, bytes, [peer], [pred], [sem], [scope], [space]",
	MbarrierCompleteTx:     "ptr, bytes, [peer], [pred], [sem], [scope], [space]",
	MbarrierWait:           "ptr, phase, [sem], [scope], [space], [token], [pred]",
	MbarrierTryWait:        "ptr, phase, [sem], [scope], [space], [token], [pred]",
	MbarrierTestWait:       "ptr, phase, [sem], [scope], [space], [token], [pred]",
	MbarrierInitFence:      "[sem], [scope]",
	CpAsyncMbarrierArrive:  "ptr, [noinc]",
	NamedBarrierSync:       "id, [count], [aligned]",
	NamedBarrierArrive:     "id, [count], [aligned]",
	NamedBarrierObject:     "id, [count]",
	CtaSync:                "",
	WarpSync:               "[mask]",
	ClusterArrive:          "[sem]",
	ClusterWait:            "",
	ClusterSync:            "",
	GridSync:               "",
	ThreadIdx:              "[axis]",
	BlockIdx:               "[axis]",
	BlockDim:               "[axis]",
	GridDim:                "[axis]",
	LaneIdx:                "",
	WarpIdx:                "",
	WarpGroupIdx:           "",
	ClusterRank:            "[axis]",
	ClusterSize:            "[axis]",
	ClusterCoord:           "[axis]",
	ClusterShape:           "[axis]",
	ClusterIdx:             "[axis]",
	ClusterCount:           "[axis]",
	ElectOne:               "[mask]",
	Uniform:                "x",
	MapaShared:             "ptr, peer",
	FenceProxy:             "kind, [space], [scope], [sem]",
	Fence:                  "[sem], [scope]",
	AtomicAdd:              "ptr, value, [sem], [scope], [space]",
	AtomicSub:              "ptr, value, [sem], [scope], [space]",
	AtomicMax:              "ptr, [value], [sem], [scope], [space]",
	AtomicExch:             "ptr, value, [sem], [scope], [space]",
	AtomicCas:              "ptr, cmp, value, [sem], [scope], [space]",
	Reduce:                 "ptr, value, [op], [sem], [scope], [space]",
	Load:                   "ptr, [sem], [scope], [space], [rows], [shape]",
	Store:                  "ptr, [value], [sem], [scope], [space], [rows], [shape]",
	TmaLoad:                "ptr, [dst], [src], [bytes], [mask], [group], [atom], [pred]",
	TmaStore:               "[dst], [src], [bytes]",
	BulkCommit:             "",
	BulkWait:               "[count], [read]",
	CpAsync:                "[dst], [src], [bytes]",
	CpAsyncCommit:          "",
	CpAsyncWait:            "[count], [all]",
	StoreAsync:             "ptr, [dst], [bytes], [peer]",
	Tcgen05Commit:          "ptr, [mask]",
	MmaAsync:               "[d], [a], [b], [idesc], [group], [sa], [sb], [at]",
	WgmmaCommit:            "",
	WgmmaWait:              "[count]",
	ClcTryCancel:           "ptr, [response], [multicast]",
	ClcResponse:            "ptr",
	TmemAlloc:              "[ptr], [count]",
	TmemAddress:            "[ptr], [dtype]",
	TmemStore:              "[ptr]",
	TmemStoreWait:          "[loads]",
	TmemLoad:               "[ptr], [shape], [count]",
	TmemLoadWait:           "",
	WgmmaFence:             "",
	TensormapWrite:         "",
	TmemFree:               "[count]",
	GridDepWait:            "",
	GridDepLaunch:          "",
	SetMaxRegister:         "[count], [action]",
	AllocMbarrier:          "[count]",
	AllocShared:            "[dtype], [count], [layout]",
	Nanosleep:              "",
	Trap:                   "",
	Exit:                   "",
	Pure:                   "",
}

// parameter is one parameter of an operation.
type parameter struct {
	name     string
	optional bool
}

var signatureOf = func() map[Kind][]parameter {
	out := map[Kind][]parameter{}
	for k := range signatures {
		out[k] = splitSignature(k)
	}
	return out
}()

// parameters lists an operation's parameters in signature order.
func parameters(k Kind) []parameter { return signatureOf[k] }

func splitSignature(k Kind) []parameter {
	var out []parameter
	for _, w := range strings.Split(signatures[k], ",") {
		w = strings.TrimSpace(w)
		if w == "" {
			continue
		}
		name := strings.Trim(w, "[]")
		out = append(out, parameter{name: name, optional: name != w})
	}
	return out
}

// takes reports whether operation k has the parameter.
func takes(k Kind, name string) bool {
	for _, p := range parameters(k) {
		if p.name == name {
			return true
		}
	}
	return false
}
