package interval

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/ir"
)

// A kernel of a CTA of 128 threads with an array of one word for each.
const text = `kernel k
parameter n
parameter in
parameter out
part n = n+0
part in = in+0 pointer
part out = out+0 pointer
special %%tid.x, %%ntid.x, %%ctaid.x
variable shared s at 0 bytes 512 element 4
variable shared b at 512 bytes 8 element 8
function k
b0:
 %%own = mul.b32 %%tid.x, 4
 %%last = sub.b32 508, %%own
 %%there = add.b64 in, %%own
%s
`

const (
	put     = " store.shared.b32 [%own], %tid.x size 4 ! k.cu:1 store\n"
	take    = " %x = load.shared.b32 [%last] size 4\n"
	meet    = " barrier.cta.aligned 0, 0\n"
	mate    = " %mate = xor.b32 %own, 4\n %y = load.shared.b32 [%mate] size 4 ! k.cu:3 load\n"
	send    = " %p = setp.eq.s32 %tid.x, 0\n @!%p branch b2\nb1:\n async.bulk.from_shared [out], [0:s], _ bytes 512\nb2:\n return"
	vote    = " %q = setp.eq.s32 %tid.x, 3\n %w = vote.ballot.sync %q, -1 members -1\n"
	choose  = " %c = mul.b32 %k, 4\n %c2 = add.b32 0:s, %c\n"
	pick    = " %k = load.global.b32 [in] size 4\n" + choose
	unknown = " %k = load.global.b32 [%there] size 4\n"
)

// busy are loops of 3,600 rounds in which lanes exchange values.
const busy = " %i = move.s32 0\nb1:\n %p = setp.lt.s32 %i, 60\n @!%p branch b6\nb2:\n %j = move.s32 0\nb3:\n %q = setp.lt.s32 %j, 60\n @!%q branch b5\nb4:\n %v = shuffle.down.sync %j, 16, 31 members -1\n %v = shuffle.down.sync %v, 8, 31 members -1\n %v = shuffle.down.sync %v, 4, 31 members -1\n %j = add.s32 %j, 1\n branch b3\nb5:\n %i = add.s32 %i, 1\n branch b1\nb6:\n"

// loop goes round as often as n says, ahead the same with something behind it.
func loop(body string) string { return ahead(body, "n") + " return" }

func ahead(body, rounds string) string {
	return " %i = move.s32 0\nb1:\n %p = setp.lt.s32 %i, " + rounds + "\n @!%p branch b3\nb2:\n" + body + " %i = add.s32 %i, 1\n branch b1\nb3:\n"
}

// many goes round once for each 16,384 that n says, strides for each 8,192.
func many(body string) string {
	return " %m = add.s32 n, 16383\n %most = div.s32 %m, 16384\n" + ahead(body, "%most") + " return"
}

// nested goes twice round a loop in each round of another one. A place goes on by one element in each of these, and back by as many bytes as are said after both; then it is written.
func nested(within, back, behind string) string {
	return " %i = move.s32 0\n %pos = move.s32 %own\nb1:\n %p = setp.lt.s32 %i, 3\n @!%p branch b6\nb2:\n %j = move.s32 0\nb3:\n %q = setp.lt.s32 %j, 2\n @!%q branch b5\nb4:\n" + within +
		" %pos = add.s32 %pos, 4\n %j = add.s32 %j, 1\n branch b3\nb5:\n %pos = sub.s32 %pos, " + back + "\n %i = add.s32 %i, 1\n branch b1\nb6:\n" + behind + " store.shared.b32 [%pos], %tid.x size 4\n %x = load.shared.b32 [%own] size 4\n return"
}

func strides(body string) string {
	return strings.Replace(ahead(body, "n"), "%i = add.s32 %i, 1\n", "%i = add.s32 %i, 8192\n", 1) + " return"
}

// unless goes on at a block where a word of shared memory that nobody writes is zero.
func unless(register, word, block string) string {
	return " " + register + " = load.shared.b32 [" + word + "] size 4\n %p" + register[1:] + " = setp.eq.b32 " + register + ", 0\n @%p" + register[1:] + " branch " + block + "\n"
}

func TestRaces(t *testing.T) {
	for name, c := range map[string]struct {
		body  string
		races int
	}{
		"a barrier":                      {put + meet + take + " return", 0},
		"none":                           {put + take + " return", 1},
		"a loop with both":               {loop(put + meet + take + meet), 0},
		"a loop with the first":          {loop(put + meet + take), 1},
		"a loop with the second":         {loop(put + take + meet), 1},
		"rounds of many":                 {many(put + meet + take), 1},
		"rounds of many, met":            {many(put + meet + take + meet), 0},
		"a place that goes to and fro":   {nested(" %z = load.shared.b32 [512] size 4\n", "8", ""), 0},
		"with nothing on the way":        {nested("", "8", ""), 0},
		"before the interval":            {nested("", "8", meet), 0},
		"a place that goes on":           {nested(" %z = load.shared.b32 [512] size 4\n", "4", ""), 2}, // the array behind it, too
		"on with nothing on the way":     {nested("", "4", ""), 1},
		"behind much that is computed":   {put + busy + take + " return", 1},
		"behind that, met":               {put + busy + meet + take + " return", 0},
		"on before the interval":         {nested("", "4", meet), 1},
		"strides of many":                {strides(put + meet + take), 1},
		"strides of many, met":           {strides(put + meet + take + meet), 0},
		"a bulk copy of what others put": {put + send, 1},
		"a bulk copy, met":               {put + meet + send, 0},
		"a bulk copy of its own":         {" %p = setp.eq.s32 %tid.x, 0\n @!%p branch b2\nb1:\n store.shared.b32 [0], 7 size 4\n async.bulk.from_shared [out], [0], _ bytes 16\nb2:\n return", 0},
		"of its own":                     {put + " %x = load.shared.b32 [%own] size 4\n return", 0},
		"lanes meet only":                {put + " barrier.warp members 4294967295\n" + take + " return", 1},
		"all write the same":             {" store.shared.b32 [0], 7 size 4\n return", 0},
		"each writes itself":             {" store.shared.b32 [0], %tid.x size 4\n return", 1},
		"all write twice":                {unknown + " store.shared.b32 [0], 7 size 4\n store.shared.b32 [0], %k size 4\n return", 0},
		"a constant, and data":           {unknown + " %p = setp.eq.s32 %tid.x, 64\n store.shared.b32 [%own], 0 size 4\n @%p store.shared.b32 [0], %k size 4\n return", 1},
		"data of its own in front":       {unknown + " %p = setp.gt.s32 %k, 0\n @%p branch b2\nb1:\n return\nb2:\n" + meet + put + take + " return", 1},
		"data of its own in front, met":  {unknown + " %p = setp.gt.s32 %k, 0\n @%p branch b2\nb1:\n return\nb2:\n" + meet + put + meet + take + " return", 0},
		"data say whether":               {unknown + " %p = setp.gt.s32 %k, 0\n @%p store.shared.b32 [%own], 1 size 4\n" + take + " return", 1},
		"data say whether, of both":      {unknown + " %p = setp.gt.s32 %k, 0\n @%p store.shared.b32 [%own], 1 size 4\n @!%p %x = load.shared.b32 [%last] size 4\n return", 0},
		"lanes meet in tiles":            {put + " %c = and.b32 %tid.x, 16\n %k = shl.b32 65535, %c\n barrier.warp members %k\n" + mate + " return", 0},
		"lanes meet in tiles too narrow": {put + " %c = and.b32 %tid.x, 31\n %k = shl.b32 1, %c\n barrier.warp members %k\n" + mate + " return", 1},
		"an update if data say so":       {unknown + " %p = setp.gt.s32 %k, 0\n @!%p branch b2\nb1:\n %x = load.shared.b32 [0] size 4 ! k.cu:2 load\n %y = add.b32 %x, 1\n store.shared.b32 [0], %y size 4 ! k.cu:2 store\nb2:\n return", 1},
		"an update of one's own":         {unknown + " %p = setp.eq.s32 %k, %tid.x\n @!%p branch b2\nb1:\n %x = load.shared.b32 [0] size 4 ! k.cu:2 load\n %y = add.b32 %x, 1\n store.shared.b32 [0], %y size 4 ! k.cu:2 store\nb2:\n return", 0},
		"an update of one winner":        {unknown + " %x = atomic.cas.global.b32 [out], 0, 1 size 4\n %p = setp.eq.s32 %x, 0\n @!%p branch b2\nb1:\n %x = load.shared.b32 [0] size 4 ! k.cu:2 load\n %y = add.b32 %x, 1\n store.shared.b32 [0], %y size 4 ! k.cu:2 store\nb2:\n return", 0},
		"data say where":                 {put + unknown + " %c = mul.b32 %k, 4\n %c2 = add.b32 0:s, %c\n %x = load.shared.b32 [%c2] size 4 ! k.cu:2 load\n return", 1},
		"data say where, met":            {put + meet + unknown + " %c = mul.b32 %k, 4\n %c2 = add.b32 0:s, %c\n %x = load.shared.b32 [%c2] size 4 ! k.cu:2 load\n return", 0},
		"data say where in a buffer":     {unknown + " %k = convert.s64.s32 %k\n %k4 = mul.s64 %k, 4\n %a = add.b64 out, %own\n %c = add.b64 out, %k4\n store.global.b32 [%a], 0 size 4\n %x = load.global.b32 [%c] size 4\n return", 1},
		"data say where in another one":  {unknown + " %k = convert.s64.s32 %k\n %k4 = mul.s64 %k, 4\n %a = add.b64 out, %own\n %c = add.b64 in, %k4\n store.global.b32 [%a], 0 size 4\n %x = load.global.b32 [%c] size 4\n return", 0},
		"data say where in its own part": {unknown + " %k = convert.s64.s32 %k\n %k4 = mul.s64 %k, 4\n %a = add.b64 out, %own\n %c = add.b64 %a, %k4\n store.global.b32 [%a], 0 size 4\n %x = load.global.b32 [%c] size 4\n return", 0},
		"data say whether, and where":    {unknown + choose + " %p = setp.ge.s32 %k, 0\n @%p store.shared.b32 [%c2], 1 size 4 ! k.cu:2 store\n" + take + " return", 1},
		"the thread says so, too":        {unknown + choose + " %p = setp.eq.s32 %k, %tid.x\n @%p store.shared.b32 [%c2], 1 size 4 ! k.cu:2 store\n" + take + " return", 0},
		"data that are one number":       {unknown + " %p = setp.eq.s32 %k, 7777\n @%p store.shared.b32 [%own], 1 size 4\n" + take + " return", 1},
		"a bound that memory holds":      {" %mate = xor.b32 %own, 128\n %e = load.global.b32 [in] size 4\n %p = setp.lt.s32 %tid.x, %e\n @%p store.shared.b32 [%own], 1 size 4\n @%p %x = load.shared.b32 [%mate] size 4\n return", 1},
		"bounds that are apart":          {" %e = load.global.b32 [in] size 4\n %p = setp.lt.s32 %tid.x, %e\n %q = setp.ge.s32 %tid.x, %e\n @%p store.shared.b32 [%own], 1 size 4\n @%q %x = load.shared.b32 [%own] size 4\n return", 0},
		"memory picks one of all":        {put + pick + " %x = load.shared.b32 [%c2] size 4 ! k.cu:2 load\n return", 1},
		"memory picks one of all, met":   {put + meet + pick + " %x = load.shared.b32 [%c2] size 4 ! k.cu:2 load\n return", 0},
		"memory picks who writes":        {pick + " %p = setp.eq.s32 %tid.x, %k\n @%p store.shared.b32 [%c2], 1 size 4 ! k.cu:2 store\n %x = load.shared.b32 [%own] size 4\n return", 0},
		"lanes meet":                     {put + " barrier.warp members -1\n" + mate + " return", 0},
		"lanes exchange a value":         {put + vote + mate + " return", 1},
		"lanes exchange a value behind":  {mate + vote + put + " return", 0},
		"lanes meet, then exchange":      {put + " barrier.warp members -1\n" + vote + mate + " return", 0},
		"in every round, lanes meet":     {loop(put + " barrier.warp members -1\n" + mate + " barrier.warp members -1\n"), 0},
		"a call of all reads":            {put + " %x = load.may_sync.shared.b32 [%last] size 4\n return", 0},
		"one lane's call reads":          {put + " %p = setp.ne.s32 %tid.x, 0\n @%p branch b2\nb1:\n %x = load.may_sync.shared.b32 [%last] size 4\nb2:\n return", 1},
		"one lane calls somebody":        {" %p = setp.ne.s32 %tid.x, 0\n @%p branch b2\nb1:\n outside.may_sync text \"f\"\n store.shared.b32 [0], 7 size 4\nb2:\n %x = load.shared.b32 [0] size 4\n return", 1},
		"a warp calls somebody":          {" %p = setp.ge.s32 %tid.x, 32\n @%p branch b2\nb1:\n outside.may_sync text \"f\"\n store.shared.b32 [0], 7 size 4\nb2:\n %x = load.shared.b32 [0] size 4\n return", 0},
		"behind a long loop":             {ahead(put, "100") + take + " return", 1},
		"behind a long loop, met":        {ahead(put, "100") + meet + take + " return", 0},
		"a condition that is the same":   {put + unless("%m", "512", "b2") + "b1:\n" + meet + "b2:\n" + unless("%m2", "512", "b4") + "b3:\n" + take + "b4:\n return", 0},
		"another condition":              {put + unless("%m", "512", "b2") + "b1:\n" + meet + "b2:\n" + unless("%m2", "516", "b4") + "b3:\n" + take + "b4:\n return", 1},
		"lanes in one statement":         {put + meet + mate + " store.shared.b32 [%own], %y size 4 ! k.cu:3 store\n return", 0},
		"lanes in two statements":        {put + meet + mate + " store.shared.b32 [%own], %y size 4 ! k.cu:4 store\n return", 1},
		"an mbarrier":                    {" %p = setp.eq.s32 %tid.x, 0\n @%p mbar.init.shared [512], 1\n %q = mbar.test.try.shared [512], 0\n return", 1},
		"an mbarrier, met":               {" %p = setp.eq.s32 %tid.x, 0\n @%p mbar.init.shared [512], 1\n" + meet + " %q = mbar.test.try.shared [512], 0\n return", 0},
	} {
		k, err := ir.Parse("k.ir", fmt.Sprintf(text, c.body))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got, fits := Races(k, Launch{Block: [3]int{128, 1, 1}})
		if len(got) != c.races || !fits {
			t.Errorf("%s: %+v (fits %v), want %d", name, got, fits, c.races)
		}
	}
}

// TestFits: a shape under which the kernel traps is none of its launches.
func TestFits(t *testing.T) {
	k, err := ir.Parse("k.ir", fmt.Sprintf(text, " %p = setp.eq.b32 %ntid.x, 64\n @%p branch b2\nb1:\n exit.trap\nb2:\n"+put+take+" return"))
	if err != nil {
		t.Fatal(err)
	}
	for threads, want := range map[int]bool{64: true, 128: false} {
		if _, fits := Races(k, Launch{Block: [3]int{threads, 1, 1}}); fits != want {
			t.Errorf("%d threads: fits %v, want %v", threads, fits, want)
		}
	}
}

// TestSparing: what is at the end of a kernel is looked at, however much work the rest of it is.
func TestSparing(t *testing.T) {
	body := ""
	for range 250 {
		for j := range 12 {
			body += fmt.Sprintf(" %%v%d = mul.b32 %%own, %d\n %%v%d = and.b32 %%v%d, 508\n %%x%d = load.shared.b32 [%%v%d] size 4\n", j, j+3, j, j, j, j)
		}
		body += meet
	}
	k, err := ir.Parse("k.ir", fmt.Sprintf(text, body+put+take+" return"))
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := Races(k, Launch{Block: [3]int{128, 1, 1}}); len(got) != 1 {
		t.Errorf("%+v, want the race at the end", got)
	}
}

// A race of global memory at an address that is made of a chosen number has to be shown more often than others.
func TestTold(t *testing.T) {
	for _, c := range []struct {
		p    pair
		told bool
	}{
		{pair{hits: 2, chances: 2, race: &Race{Buffer: "out"}}, true},
		{pair{hits: 2, chances: 2, chosen: true, sizes: [2]bool{true, true}, race: &Race{}}, true},
		{pair{hits: 3, chances: 3, chosen: true, sizes: [2]bool{true, true}, race: &Race{Buffer: "out"}}, false},
		{pair{hits: 4, chances: 4, chosen: true, sizes: [2]bool{true, true}, race: &Race{Buffer: "out"}}, true},
		{pair{hits: 4, chances: 5, chosen: true, sizes: [2]bool{true, true}, race: &Race{Buffer: "out"}}, false},
		{pair{hits: 4, chances: 4, chosen: true, sizes: [2]bool{true, false}, race: &Race{Buffer: "out"}}, false},
		{pair{hits: 3, chances: 3, chosen: true, sizes: [2]bool{true, false}, race: &Race{}}, false},
		{pair{hits: 4, chances: 4, chosen: true, sizes: [2]bool{true, false}, race: &Race{}}, true},
		{pair{hits: 4, chances: 4, chosen: true, assumed: true, sizes: [2]bool{true, false}, race: &Race{}}, false},
	} {
		if got := c.p.told(); got != c.told {
			t.Errorf("%+v: told %v", c.p, got)
		}
	}
}
