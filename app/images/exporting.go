package images

import (
	"path/filepath"

	"paddock/app/widgets"
	job "paddock/engine/images"
	"paddock/words"
)

// ExportBeside counts what a text file beside each picture would do, and asks.
func (p *Presenter) ExportBeside() {
	p.beside(words.T("pictures.export.counting"), func(set *job.Set) func() {
		plan, err := set.PlanBeside(p.ctx)
		return func() {
			if err != nil {
				p.note = problem(err)
				return
			}
			p.askBeside(plan)
		}
	})
}

func (p *Presenter) askBeside(b job.Beside) {
	data := map[string]any{"New": b.New, "Same": b.Same, "Overwrite": b.Overwrite, "Without": b.Without, "Pasted": b.Pasted, "Long": b.LongNames}
	switch {
	case b.New+b.Overwrite > 0:
	case len(b.Errors) > 0:
		p.note = problem(b.Errors[0])
		return
	default:
		p.note = Note{widgets.Info, words.T("pictures.beside.nothing", data)}
		return
	}
	q := &Question{Title: words.T("pictures.beside.title"), Text: words.T("pictures.beside.text", data)}
	if b.Overwrite > 0 {
		q.Choices = append(q.Choices, Choice{Label: words.T("pictures.beside.overwrite", data), Danger: true, do: func() { p.writeBeside(b, true) }})
	}
	if b.New > 0 {
		q.Choices = append(q.Choices, Choice{Label: words.T("pictures.beside.write", data), do: func() { p.writeBeside(b, false) }})
	}
	p.question = q
}

func (p *Presenter) writeBeside(b job.Beside, overwrite bool) {
	p.beside(words.T("pictures.export.writing"), func(*job.Set) func() {
		written, err := b.Write(p.ctx, overwrite)
		return func() {
			if err == nil && len(written.Errors) > 0 {
				err = written.Errors[0]
			}
			if err != nil {
				p.note = problem(err)
				return
			}
			p.note = Note{widgets.Good, words.T("pictures.beside.done", map[string]any{"Count": written.Files, "Kept": written.Kept})}
		}
	})
}

// Export writes all results to one file, which may go if it is there.
func (p *Presenter) Export(format job.Format, path string) {
	p.beside(words.T("pictures.export.writing"), func(set *job.Set) func() {
		o := job.ExportOptions{Format: format, Title: words.T("pictures.export.title"),
			Reason: func(err error) string { return words.Error(err).Text() }}
		if format == job.Markdown {
			o.Thumbnails = p.seams.Thumbs
		}
		data := map[string]any{"File": filepath.Base(path)}
		if o.Thumbnails != nil {
			data["Folder"] = filepath.Base(job.PicturesFolder(path))
		}
		err := set.Export(p.ctx, path, o)
		return func() {
			if err != nil {
				p.note = problem(err)
				return
			}
			p.note = Note{widgets.Good, words.T("pictures.export.done", data)}
		}
	})
}

// CopyOne copies the chosen picture's text.
func (p *Presenter) CopyOne() {
	p.keepTyped()
	if i := p.State().Item(); i != nil && i.Text != "" {
		p.seams.Copy(i.Text)
	}
}

// CopyAll copies all texts.
func (p *Presenter) CopyAll() {
	if p.set == nil {
		return
	}
	p.keepTyped()
	if text := p.set.Texts(nil); text != "" {
		p.seams.Copy(text)
	}
}
