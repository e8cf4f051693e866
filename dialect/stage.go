package dialect

// StageMethods say what methods of pipelines do with the stage that their state says, by name (cutlass/pipeline/sm90_pipeline.hpp). A pipeline is mostly a parameter of a
// template, whose class nothing says.
var StageMethods = map[string]string{
	"producer_acquire": "acquire", "producer_tail": "acquire", "producer_get_barrier": "fill", "producer_commit": "commit",
	"consumer_wait": "wait", "consumer_release": "release",
	"producer_try_acquire": "", "consumer_try_wait": "", "consumer_test_wait": "", // these look only
}

// StateMethods say the same of methods of a state.
var StateMethods = map[string]string{"index": "use", "advance": "set"}
