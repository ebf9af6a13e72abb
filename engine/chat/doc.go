// Package chat keeps conversations: an SQLite database in a folder, with the
// pictures as files beside it and a backup for each of the last days.
//
// A conversation is a tree of turns. An answer that is asked for again, and a
// message that is edited, become siblings of the old one; nothing is written over.
// The path from the first turn to Current is what is on view.
//
// What a Store's method has returned without an error is on the disk. An answer
// that is being written is there too, half a second behind at most. When the
// process is killed, the next Open finds it with the end Interrupted.
//
// Deleting hides. What was deleted a day ago is removed for good when the store is
// opened.
package chat
