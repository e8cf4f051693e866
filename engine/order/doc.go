// Package order decides programs with static control, of millions of commands, by happens-before: named barriers, the cluster
// barrier and mbarriers. One execution is run, and the order it shows is checked to be that of all executions.
package order
