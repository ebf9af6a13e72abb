package library

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
)

// A set is the files of one model: one, or the parts of a split one in order.
type set struct {
	paths   []string
	infos   []os.FileInfo // of paths; nil where the system gave none
	missing []string      // names
	count   int           // of parts, 0 for a whole file
	alias   string        // what another app calls it
	problem error         // known before anything is read
}

// A part is a place in a split set, as the engine names it:
// PREFIX-00002-of-00004.gguf.
type part struct {
	prefix string // with the folder
	index  int    // from 0
	count  int
	suffix string // ".gguf", as it is spelt
}

var partPattern = regexp.MustCompile(`^(.+)-(\d{5})-of-(\d{5})(\.(?i:gguf))$`)

// maxParts bounds what a name may claim.
const maxParts = 1000

func partName(path string) (part, bool) {
	found := partPattern.FindStringSubmatch(filepath.Base(path))
	if found == nil {
		return part{}, false
	}
	index, _ := strconv.Atoi(found[2])
	count, _ := strconv.Atoi(found[3])
	if index < 1 || index > count || count > maxParts {
		return part{}, false
	}
	return part{filepath.Join(filepath.Dir(path), found[1]), index - 1, count, found[4]}, true
}

// part is the path of another part of the same set.
func (p part) part(index int) string {
	return fmt.Sprintf("%s-%05d-of-%05d%s", p.prefix, index+1, p.count, p.suffix)
}

// sets groups the files of one folder, keeping their order.
func sets(paths []string) []set {
	there := map[string]bool{}
	for _, path := range paths {
		there[path] = true
	}
	var all []set
	grouped := map[part]bool{}
	for _, path := range paths {
		name, ok := partName(path)
		if !ok {
			all = append(all, set{paths: []string{path}})
			continue
		}
		key := name
		key.index = 0
		if grouped[key] {
			continue
		}
		grouped[key] = true
		whole := set{count: name.count}
		for i := range name.count {
			if inside := name.part(i); there[inside] {
				whole.paths = append(whole.paths, inside)
			} else {
				whole.missing = append(whole.missing, filepath.Base(inside))
			}
		}
		all = append(all, whole)
	}
	return all
}
