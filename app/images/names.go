package images

import (
	"path/filepath"
	"slices"
	"strings"

	"paddock/engine/gguf"
	job "paddock/engine/images"
	"paddock/words"
)

// names are what pictures are called that share their file's name with another of the set.
// They are worked out anew when the set has other pictures.
type names struct {
	of  map[job.ID]string
	ids []job.ID // of the pictures they were worked out for
}

func (n *names) update(items []*job.Item) {
	if slices.EqualFunc(n.ids, items, func(id job.ID, i *job.Item) bool { return id == i.ID }) {
		return
	}
	n.ids = make([]job.ID, len(items))
	for i, item := range items {
		n.ids[i] = item.ID
	}
	n.of = twinNames(items)
}

// twinNames tells pictures of the same name apart by the end of their folder, the shortest
// that no other of them has.
func twinNames(items []*job.Item) map[job.ID]string {
	same := map[string][]*job.Item{}
	for _, i := range items {
		if !i.Pasted {
			same[i.Name] = append(same[i.Name], i)
		}
	}
	of := map[job.ID]string{}
	for name, twins := range same {
		for deep := 1; len(twins) > 1; deep++ {
			ends := map[string]int{}
			for _, i := range twins {
				ends[folderEnd(i.Path, deep)]++
			}
			twins = slices.DeleteFunc(twins, func(i *job.Item) bool {
				end := folderEnd(i.Path, deep)
				if ends[end] > 1 && end != filepath.Dir(i.Path) {
					return false
				}
				of[i.ID] = words.T("pictures.twin", map[string]any{"File": gguf.Printable(name), "Folder": gguf.Printable(end)})
				return true
			})
		}
	}
	return of
}

// folderEnd is the end of a file's folder, so many names of it.
func folderEnd(path string, names int) string {
	folder := filepath.Dir(path)
	rest := folder
	for range names {
		cut := strings.LastIndexByte(rest, filepath.Separator)
		if cut < 0 {
			return folder
		}
		rest = rest[:cut]
	}
	if end := folder[len(rest)+1:]; end != "" {
		return end
	}
	return folder // the root
}

// nameOf is a picture's name, safe to show, and with its folder where another one is
// called the same.
func nameOf(i *job.Item, twins map[job.ID]string) string {
	if name, is := twins[i.ID]; is {
		return name
	}
	return gguf.Printable(i.Name)
}
