package config

import "io/fs"

// isOurs says whether the file belongs to us: folders for temporary files are
// each user's own on Windows.
func isOurs(fs.FileInfo) bool { return true }
