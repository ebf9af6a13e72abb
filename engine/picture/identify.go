package picture

// SniffBytes is how much of a file's start Sniff wants to see.
const SniffBytes = sniffBytes

// Sniff finds out what a file is that starts like this, whatever it is called: a
// kind of picture, or what it looks like that is none, or neither. That a kind is
// known does not mean that it is read, nor that the file is whole.
func Sniff(start []byte) (Kind, Likeness) { return sniff(start) }
