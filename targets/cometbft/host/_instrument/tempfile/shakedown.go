package tempfile

// WriteFileAtomic writes to the disk of whoever built this program: see instrument.sh.
var WriteFileAtomic = writeFileAtomic
