package load

import (
	"paddock/engine/gguf"
	"paddock/engine/plan"
	"paddock/words"
)

// projectors are the files beside the model that let it see or hear.
func (p *Presenter) projectors() []gguf.Facts {
	var list []gguf.Facts
	for _, f := range p.beside {
		if f.Kind == gguf.Projector {
			list = append(list, f)
		}
	}
	return list
}

// visionMode is where the projector of a complete plan runs.
func visionMode(q plan.Plan) string {
	switch {
	case q.Projector() == "":
		return VisionOff
	case q.ProjectorDevice == plan.ProjectorCPU || len(q.DeviceIDs()) == 0:
		return plan.ProjectorCPU
	}
	return plan.ProjectorGPU
}

func (p *Presenter) publishVision(verdict plan.Verdict) {
	s := &p.state
	s.Vision, s.VisionNotes = Vision{}, nil
	files, path := p.projectors(), s.Plan.Projector()
	mode := visionMode(s.Plan)
	var notes []Note
	off := Option{Value: VisionOff, Label: words.T("load.vision.off"), Chosen: mode == VisionOff}
	s.Vision.Modes = []Option{p.option(find(p.offered().Projector, plan.NoProjector), words.T("load.vision")+" "+words.T("load.vision.off"), off, &notes)}
	for _, value := range plan.ProjectorDevices() {
		o := Option{Value: value, Label: words.T("load.vision." + value), Chosen: mode == value}
		switch {
		case len(files) == 0 && path == "":
			o.Off = true
		case value == plan.ProjectorGPU && len(s.Plan.DeviceIDs()) == 0:
			o.Off = true
			notes = append(notes, Note{Kind: Off, Text: words.T("load.vision.noDevice")})
		default:
			o = p.option(find(p.offered().ProjectorDevice, value), words.T("load.vision.name."+value), o, &notes)
		}
		s.Vision.Modes = append(s.Vision.Modes, o)
	}
	if len(files) == 0 && path == "" {
		notes = append(notes, Note{Kind: Off, Text: words.T("load.vision.none")})
	}
	for i, f := range files {
		shown := f.Path == path || path == "" && i == 0
		o := Option{Value: f.Path, Label: fileName(f.Path), Chosen: shown}
		if shown {
			s.Vision.Name = o.Label + " · " + words.T("load.gib", map[string]any{"GiB": words.GiB(f.SizeBytes)})
		}
		if len(files) > 1 {
			s.Vision.Files = append(s.Vision.Files, p.option(find(p.offered().Projector, f.Path), o.Label, o, &notes))
		}
	}
	s.VisionNotes = append(p.findings(verdict, "projectorPath", "projectorDevice"), unique(notes)...)
}

// unique leaves out notes that say the same.
func unique(notes []Note) []Note {
	var list []Note
	seen := map[Note]bool{}
	for _, n := range notes {
		if !seen[n] {
			seen[n] = true
			list = append(list, n)
		}
	}
	return list
}
