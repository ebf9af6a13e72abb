package get

import (
	"path"
	"slices"
	"time"

	"paddock/engine/gguf"
	"paddock/engine/hub"
	"paddock/hardware"
	"paddock/words"
)

// publish makes the next state from what is known and shows it.
func (p *Presenter) publish() {
	if p.closed {
		return
	}
	s := &p.state
	s.Rows = make([]Row, len(p.repos))
	for i, r := range p.repos {
		s.Rows[i] = rowOf(r, r.ID == s.Repo)
	}
	s.About = ""
	if at := slices.IndexFunc(p.repos, func(r hub.Repo) bool { return r.ID == s.Repo }); at >= 0 {
		s.About = about(p.repos[at])
	}
	s.Files = make([]FileRow, len(p.listing.Items))
	for i, item := range p.listing.Items {
		s.Files[i] = p.fileRow(i, item)
	}
	s.Offer = p.offer()
	s.Jobs = p.shownJobs()
	p.show(*s)
}

func rowOf(r hub.Repo, opened bool) Row {
	owner, name := path.Split(r.ID)
	row := Row{ID: r.ID, Name: gguf.Printable(name), Gated: r.Gated, Opened: opened}
	if owner != "" {
		row.Owner = gguf.Printable(owner[:len(owner)-1])
	}
	row.About = words.T("get.row", map[string]any{
		"Owner": row.Owner, "Downloads": words.Count(r.Downloads), "Likes": words.Count(r.Likes), "Date": date(r.Updated),
	})
	return row
}

// about is what is said of a repository beside its files.
func about(r hub.Repo) string {
	return words.T("get.about", map[string]any{
		"Licence": gguf.Printable(r.Licence), "Downloads": words.Count(r.Downloads), "Date": date(r.Updated), "Gated": r.Gated,
	})
}

// date is a day, empty for none.
func date(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.Local().Format("2006-01-02")
}

func (p *Presenter) fileRow(at int, item hub.Item) FileRow {
	row := FileRow{
		Label: item.Quantisation, Name: gguf.Printable(item.Name), Size: amount(item.SizeBytes),
		Parts: len(item.Files), item: item, at: at,
	}
	switch item.Kind {
	case hub.Model:
		row.Verdict = verdict(item.SizeBytes, p.machine)
	default:
		row.Verdict = Verdict{Unknown, words.T("get.kind." + string(item.Kind))}
	}
	if row.Label == "" {
		row.Label = words.T("get.label.none")
	}
	if item.Missing != 0 {
		row.Off = words.T("get.file.incomplete", map[string]any{"Missing": item.Missing, "Parts": item.Missing + len(item.Files)})
		return row
	}
	if at < len(p.here) {
		switch h := p.here[at]; {
		case h.whole:
			row.Here, row.Whole = words.T("get.here"), true
		case h.bytes > 0:
			row.Here = words.T("get.here.part", map[string]any{"Done": amount(h.bytes)})
		}
	}
	return row
}

// What a model needs beside its weights, for an estimate: a short context and
// room to compute.
const (
	extraShare = 10 // a tenth of its size
	extraBytes = 512 << 20
)

// verdict estimates from the size alone. Devices' own memory comes before the
// computer's, which is slower.
func verdict(bytes uint64, machine hardware.Snapshot) Verdict {
	needed := bytes + bytes/extraShare + extraBytes
	var fast, slow hardware.Pool
	for _, pool := range machine.Pools {
		largest := &fast
		if pool.Kind == hardware.RAM {
			largest = &slow
		}
		if pool.TotalBytes > largest.TotalBytes {
			*largest = pool
		}
	}
	name := map[string]any{"Pool": gguf.Printable(fast.Name)}
	switch {
	case fast.TotalBytes == 0 && slow.TotalBytes == 0:
		return Verdict{Unknown, ""}
	case usable(fast) >= needed:
		return Verdict{Fits, words.T("get.fits", name)}
	case usable(slow) >= needed && fast.TotalBytes > 0:
		return Verdict{Slow, words.T("get.fits.slow", name)}
	case usable(slow) >= needed:
		return Verdict{Fits, words.T("get.fits", map[string]any{"Pool": gguf.Printable(slow.Name)})}
	}
	return Verdict{TooLarge, words.T("get.tooLarge")}
}

// usable is what of a pool a model could have when other programs are closed.
func usable(p hardware.Pool) uint64 { return p.TotalBytes / 100 * 92 }

// offer is what the button would do with the chosen file.
func (p *Presenter) offer() Offer {
	at := p.state.FileAt
	if at < 0 || at >= len(p.state.Files) {
		return Offer{}
	}
	row := p.state.Files[at]
	size := map[string]any{"Size": row.Size}
	o := Offer{Label: words.T("get.download", size)}
	want := p.listing.Want(row.item)
	if slices.ContainsFunc(p.jobs, func(j *job) bool { return j.busy() && j.brings(want) }) {
		o.Off, o.Note = true, Note{Info, words.T("get.offer.runs")}
		return o
	}
	if row.Off != "" {
		o.Off, o.Note = true, Note{Off, row.Off}
		return o
	}
	if row.Whole {
		if row.item.Kind != hub.Model {
			return Offer{Label: o.Label, Off: true, Note: Note{Good, words.T("get.here.companion")}}
		}
		return Offer{Label: words.T("get.setUp"), SetUp: true, Note: Note{Good, words.T("get.here.all")}}
	}
	needed := row.item.SizeBytes
	if at < len(p.here) && p.here[at].bytes > 0 {
		needed -= min(needed, p.here[at].bytes)
		o.Label = words.T("get.resume.size", map[string]any{"Size": amount(needed)})
	}
	switch {
	case p.freeErr != nil:
		o.Note = Note{Caution, words.T("get.free.unknown")}
	case p.free < needed:
		o.Off = true
		o.Note = Note{Off, words.T("get.free.tooLittle", map[string]any{"Free": amount(p.free), "Needed": amount(needed)})}
	default:
		o.Note = Note{Info, words.T("get.free.after", map[string]any{"Free": amount(p.free - needed)})}
	}
	return o
}

// amount is a number of bytes with its unit, of which small files have a smaller.
func amount(bytes uint64) string {
	if bytes < 1<<30/10 {
		return words.T("get.mib", map[string]any{"MiB": words.MiB(bytes)})
	}
	return words.T("get.gib", map[string]any{"GiB": words.GiB(bytes)})
}

// speed is how many bytes come in a second, with its unit.
func speed(bytes uint64) string {
	if bytes < 1<<20/2 {
		return words.T("get.kibs", map[string]any{"KiB": words.Count(int(max(1, bytes>>10)))})
	}
	return words.T("get.mibs", map[string]any{"MiB": words.MiB(bytes)})
}
