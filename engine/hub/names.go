package hub

import (
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// longestName is how many bytes a file's name may have, so that those of its part
// and what belongs to it still fit into the 255 that file systems allow.
const longestName = 255 - len(lockSuffix)

// isSafe says whether a name from the hub can be one file's or folder's name on
// every system: it leads nowhere else and means no device.
func isSafe(name string) bool {
	if name == "" || len(name) > longestName || !utf8.ValidString(name) {
		return false
	}
	for _, r := range name {
		if strings.ContainsRune(`/\<>:"|?*`, r) || !unicode.IsPrint(r) {
			return false
		}
	}
	// Windows drops dots and spaces at the end: "..", ".. " and "..." are all up.
	if strings.TrimRight(name, ". ") != name || strings.TrimLeft(name, " ") != name {
		return false
	}
	base, _, _ := strings.Cut(name, ".")
	return !devices[strings.ToUpper(strings.TrimSpace(base))]
}

// devices are names that open something else than a file on Windows.
var devices = func() map[string]bool {
	all := map[string]bool{"CON": true, "PRN": true, "AUX": true, "NUL": true, "CONIN$": true, "CONOUT$": true}
	for _, port := range []string{"COM", "LPT"} {
		for _, number := range strings.Split("0 1 2 3 4 5 6 7 8 9 ¹ ² ³", " ") {
			all[port+number] = true
		}
	}
	return all
}()

// isSafePath says whether all parts of a name with folders are safe.
func isSafePath(path string) bool {
	for part := range strings.SplitSeq(path, "/") {
		if !isSafe(part) {
			return false
		}
	}
	return true
}

var repoPattern = regexp.MustCompile(`^(?:[\w.-]{1,96}/)?[\w.-]{1,96}$`)

// isRepo says whether an id is OWNER/NAME, or the bare name of the hub's oldest
// repositories.
func isRepo(id string) bool { return repoPattern.MatchString(id) && isSafePath(id) }

// Target is where a file of a repository is stored below a folder:
// FOLDER/OWNER/NAME/FILE. A name that can't be stored is an *Error.
func Target(folder, repo, path string) (string, error) {
	if !isRepo(repo) || !isSafePath(path) {
		return "", &Error{Kind: BadName, Repo: repo, File: path}
	}
	inside := filepath.FromSlash(repo + "/" + path)
	if !filepath.IsLocal(inside) {
		return "", &Error{Kind: BadName, Repo: repo, File: path}
	}
	return filepath.Join(folder, inside), nil
}

// quantisation matches what names say of the type of most weights, as llama.cpp
// and those who quantise write it.
var quantisation = regexp.MustCompile(`(?i)(?:^|[-._])((?:UD-)?(?:I?Q\d+(?:_[A-Z0-9]+)*|TQ\d_\d|BF16|F16|F32|FP16|FP32|MXFP4(?:_MOE)?))(?:$|[-._])`)

// quantisationOf is the label a name carries, the last if it has several, empty
// without one. It is no fact: only the file itself has that.
func quantisationOf(name string) string {
	label := ""
	for rest := strings.TrimSuffix(strings.ToLower(name), ".gguf"); ; {
		found := quantisation.FindStringSubmatchIndex(rest)
		if found == nil {
			return strings.ToUpper(label)
		}
		label = rest[found[2]:found[3]]
		rest = rest[found[3]:]
	}
}

// A part is the place of a file in a split set: PREFIX-00002-of-00004.gguf.
type part struct {
	prefix       string // with the folder
	index, count int    // index from 1
}

var partPattern = regexp.MustCompile(`^(.+)-(\d{5})-of-(\d{5})\.(?i:gguf)$`)

func partOf(path string) (part, bool) {
	found := partPattern.FindStringSubmatch(path)
	if found == nil {
		return part{}, false
	}
	index, _ := strconv.Atoi(found[2])
	count, _ := strconv.Atoi(found[3])
	return part{found[1], index, count}, index >= 1 && index <= count && count <= 1000
}
