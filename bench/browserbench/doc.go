// Package browserbench loads the same small site with amble's browser and with what people would use instead, each client
// a process of its own with the same Chrome, and measures what the whole tree of its processes cost.
//
// The clients that are Go programs are in this package; those for Node are small scripts in peers/, run with packages that
// Install puts outside the repository. The site is served by the process that measures, so that nothing of it counts
// towards a client, and it counts what it was asked for.
package browserbench
