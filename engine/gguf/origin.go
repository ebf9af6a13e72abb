package gguf

import (
	"fmt"
	"strings"
)

// An Origin is what a file says about the model it was made of. It is for
// telling files of one model from those of another, and no more than a claim.
type Origin struct {
	Name         string // general.name, also where Facts.Name has the file's
	Basename     string // "Qwen3.5"
	SizeLabel    string // "35B-A3B"
	Finetune     string // "Instruct"
	Organisation string
	Bases        []Base // the models it was made of
}

// A Base is a model another one was made of.
type Base struct {
	Name, Organisation, Repository string // the repository's address, or "owner/name"
}

// maxBases bounds the bases a header may list: merges have a few.
const maxBases = 16

func origin(m metadata) Origin {
	o := Origin{
		Name:         strings.TrimSpace(m.text("general.name")),
		Basename:     m.text("general.basename"),
		SizeLabel:    m.text("general.size_label"),
		Finetune:     m.text("general.finetune"),
		Organisation: m.text("general.organization"),
	}
	for i := range min(m.count("general.base_model.count"), maxBases) {
		key := func(what string) string { return fmt.Sprintf("general.base_model.%d.%s", i, what) }
		base := Base{m.text(key("name")), m.text(key("organization")), m.text(key("repo_url"))}
		if base != (Base{}) {
			o.Bases = append(o.Bases, base)
		}
	}
	return o
}
