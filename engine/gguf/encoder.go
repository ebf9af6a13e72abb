package gguf

// An Encoder is what a projector's header says of the pictures it takes.
type Encoder struct {
	Type        string // clip.projector_type
	FeedForward int
	ImageSize   int // side in pixels
	PatchSize   int
	Merge       int // patches a side that become one token; 0 when it does not say
}

func (f *Facts) encoder(m metadata) {
	prefix := encoderPrefix(m)
	f.Encoder = Encoder{
		Type:        m.text("clip.projector_type"),
		FeedForward: m.count(prefix + "feed_forward_length"),
		ImageSize:   m.count(prefix + "image_size"),
		PatchSize:   m.count(prefix + "patch_size"),
		Merge:       m.count(prefix + "spatial_merge_size"),
	}
	if f.Encoder.Type == "" {
		f.Encoder.Type = m.text(prefix + "projector_type")
	}
}
