package hub

import (
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io/fs"
	"os"
	"slices"

	"paddock/diskfile"
)

// What belongs to a file that is being downloaded stands beside it.
const (
	partSuffix = ".part"      // what has come of it
	noteSuffix = ".part.json" // what it is to become
	lockSuffix = ".part.lock" // while somebody writes it
)

// A note is what is remembered of a file on its way: enough to go on with the
// whole download later.
type note struct {
	Want Want   `json:"want"`
	Path string `json:"path"` // of the file in the repository
	ETag string `json:"etag"` // the server's name for the content
}

// A draft is a file on its way.
type draft struct {
	want   Want
	wanted File
	target string
	etag   string
	file   *os.File
	bytes  uint64 // of file, all of them in hash
	hash   hash.Hash
}

// newHash is what a file's content is checked with.
func newHash(f File) hash.Hash {
	if f.SHA256 == "" && f.GitSHA1 != "" {
		h := sha1.New()
		fmt.Fprintf(h, "blob %d\x00", f.SizeBytes) // Git hashes the size too
		return h
	}
	return sha256.New()
}

// isRight says whether a content's hash is the file's. A file for which the hub
// has none can't be checked.
func isRight(h hash.Hash, f File) bool {
	sum := hex.EncodeToString(h.Sum(nil))
	switch {
	case f.SHA256 != "":
		return sum == f.SHA256
	case f.GitSHA1 != "":
		return sum == f.GitSHA1
	}
	return true
}

// partBytes is how much of a file has come before: what a download of the same
// content can go on from.
func partBytes(target string, f File) (bytes uint64, etag string) {
	n, err := readNote(target + noteSuffix)
	if err != nil {
		return 0, ""
	}
	at := slices.IndexFunc(n.Want.Files, func(of File) bool { return of.Path == n.Path })
	if at < 0 {
		return 0, ""
	}
	if of := n.Want.Files[at]; of.SHA256 != f.SHA256 || of.GitSHA1 != f.GitSHA1 || of.SizeBytes != f.SizeBytes {
		return 0, "" // of another version of it
	}
	info, err := os.Lstat(target + partSuffix)
	if err != nil || !info.Mode().IsRegular() || uint64(info.Size()) > f.SizeBytes {
		return 0, ""
	}
	return uint64(info.Size()), n.ETag
}

func readNote(path string) (note, error) {
	var n note
	text, err := readSmall(path)
	if err != nil {
		return n, err
	}
	return n, json.Unmarshal(text, &n)
}

// openDraft opens the part of a file, or begins one. What is there is not yet in
// the hash.
func openDraft(want Want, wanted File, target string) (*draft, error) {
	d := &draft{want: want, wanted: wanted, target: target, hash: newHash(wanted)}
	d.bytes, d.etag = partBytes(target, wanted)
	flags := os.O_RDWR
	if d.bytes == 0 { // made anew: through a link something else would be overwritten
		flags |= os.O_CREATE | os.O_EXCL
		if err := forget(target); err != nil {
			return nil, err
		}
	}
	file, err := os.OpenFile(target+partSuffix, flags, 0o644)
	if err != nil {
		return nil, unwritable(target, err)
	}
	d.file = file
	if err := d.remember(d.etag); err != nil {
		file.Close()
		return nil, err
	}
	return d, nil
}

// remember writes the note.
func (d *draft) remember(etag string) error {
	d.etag = etag
	text, err := json.Marshal(note{Want: d.want, Path: d.wanted.Path, ETag: etag})
	if err == nil {
		path := d.target + noteSuffix
		if err = os.WriteFile(path+".tmp", text, 0o644); err == nil {
			err = os.Rename(path+".tmp", path)
		}
	}
	if err != nil {
		return unwritable(d.target, err)
	}
	return nil
}

// write adds what has come.
func (d *draft) write(data []byte) error {
	n, err := d.file.WriteAt(data, int64(d.bytes))
	d.hash.Write(data[:n])
	d.bytes += uint64(n)
	if err != nil {
		return unwritable(d.target, err)
	}
	return nil
}

// startOver forgets what has come.
func (d *draft) startOver() error {
	if err := d.file.Truncate(0); err != nil {
		return unwritable(d.target, err)
	}
	d.bytes, d.hash = 0, newHash(d.wanted)
	return d.remember("")
}

// finish gives the whole file its name, when its content is the right one. Else
// nothing of it stays. What has come into its place meanwhile is somebody's.
func (d *draft) finish() error {
	if !isRight(d.hash, d.wanted) {
		d.file.Close()
		forget(d.target)
		return &Error{Kind: WrongHash, Repo: d.want.Repo, File: d.wanted.Path}
	}
	err := d.file.Sync()
	err = errors.Join(err, d.file.Close())
	if _, there := os.Stat(d.target); there == nil {
		return &Error{Kind: Different, Repo: d.want.Repo, File: d.target}
	}
	if err == nil {
		err = os.Rename(d.target+partSuffix, d.target)
	}
	if err != nil {
		return unwritable(d.target, err)
	}
	forget(d.target)
	return nil
}

// forget removes the part of a file, its note, and one half written.
func forget(target string) error {
	var failed error
	for _, suffix := range []string{partSuffix, noteSuffix, noteSuffix + ".tmp"} {
		if err := os.Remove(target + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			failed = errors.Join(failed, unwritable(target+suffix, err))
		}
	}
	return failed
}

// unwritable is why a file can't be written: a full disk is told apart.
func unwritable(path string, err error) error {
	if diskfile.Full(err) {
		return &Error{Kind: NoSpace, File: path, Err: err}
	}
	return &Error{Kind: Unwritable, File: path, Err: err}
}
