// Package journal is an append-only file of entries that survives kill -9 and power loss: what Append has
// acknowledged is read back by the next Open, whole steps or nothing.
//
// # On disk
//
// One folder belongs to one journal and to one process at a time:
//
//	lock                    held with flock while open; its text is the holder's process id
//	journal-0000000000000001  the entries; the number is the generation, one up at each Checkpoint
//	journal-….tmp           a generation being written aside; removed by the next Open
//	torn                    the last torn tail that Open cut off, kept for whoever wants to look
//
// A generation starts with a head (magic, format version, generation, a random key, CRC-32C) and goes on with frames:
//
//	marker 8 | body length 4 | body CRC-32C 4 | head CRC-32C 4 | body
//
// A body is a run of entries, each "length 4 | CRC-32C 4 | bytes", all integers little-endian. A frame is what one
// fsync made durable: the steps of all writers that waited together. The next frame is written only after that fsync
// has returned, and this is what tells the two kinds of damage apart. Where no frame follows the broken bytes, they
// are the write that the crash interrupted and that nobody was told of: Open cuts them off and says so (Torn). Where
// a frame follows, acknowledged entries are lost: Open returns a *DamagedError and touches nothing. Close adds an
// empty frame, so that after an orderly end damage to the last step is known for what it is, too.
//
// Marker and checksums depend on the secret key, on the generation and on the frame's place in the file. So bytes that
// come from outside (a URL, a robots.txt) can never pass for a frame, nor can a frame of another place or file.
//
// The only loss that no single file can show is a cut at exactly the end of a frame: such a file is a valid, older one.
package journal
