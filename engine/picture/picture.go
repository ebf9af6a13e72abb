// Package picture is the one way of a picture to the engine. Whatever the file is
// called, its bytes decide: it is decoded within bounds, turned the way its camera
// was held, freed of metadata, put on white, made small enough and encoded anew,
// as PNG or JPEG. Foreign bytes never reach the engine.
package picture

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
)

// What is accepted.
const (
	// DefaultMaxSide is the long side of a prepared picture, in pixels. A page of
	// text stays readable, and encoders that keep a picture's own size (Qwen's)
	// make about 2,000 tokens of it: half of a context of 4,096.
	DefaultMaxSide = 1536
	// MaxSideLimit is the largest Options.MaxSide that is followed, in pixels.
	MaxSideLimit = 4096
	// MinSide is the smallest side a picture may have, in pixels. There is nothing
	// to see in less, and field reports name engines that abort at a side of one.
	MinSide = 4
	// PaddedSide is the smallest side of a prepared picture, in pixels: what is
	// smaller gets a white border. The largest patch of known encoders is 32.
	PaddedSide = 32

	// MaxFileBytes is how long a file may be.
	MaxFileBytes = 256 << 20
	// MaxPixels is how many a picture may have before it is scaled: the largest
	// cameras make 200 million.
	MaxPixels = 1 << 28
	// MaxDecodeBytes is the memory that decoding may take, of all pictures
	// together that are decoded at one time. A PNG or a JPEG of 100 million pixels
	// has room in it, a HEIC of 24 million.
	MaxDecodeBytes = 640 << 20
)

// A Source is where a picture comes from: a file, or bytes in memory.
type Source struct {
	Path  string // of the file; with Bytes only a name for messages, and may be empty
	Bytes []byte // nil: the file is read
}

// Options say how a picture is prepared.
type Options struct {
	MaxSide int // longest side in pixels, up to MaxSideLimit; 0: DefaultMaxSide
}

// A Prepared is a picture the engine takes.
type Prepared struct {
	Bytes         []byte
	MIME          string // "image/png" or "image/jpeg"
	Width, Height int    // pixels

	Kind                          Kind   // of the source
	OriginalWidth, OriginalHeight int    // pixels, as it is looked at: turned
	SHA256                        string // of Bytes, in hexadecimal
	Notes                         []Note // what is worth saying
}

// A Note is something that was done to a picture and that a user may want to know.
type Note string

// The notes.
const (
	FirstFrame Note = "firstFrame" // of an animation, or the first of several pages
	ScaledDown Note = "scaledDown"
	Padded     Note = "padded" // with white, to PaddedSide
)

// Prepare makes of a picture what goes to the engine. It returns at once when ctx
// ends. The error is a *Error, or ctx's.
func Prepare(ctx context.Context, source Source, o Options) (Prepared, error) {
	return run(ctx, source, func(f *file) (Prepared, error) { return prepare(f, o) })
}

func prepare(f *file, o Options) (Prepared, error) {
	side := o.MaxSide
	if side <= 0 {
		side = DefaultMaxSide
	}
	side = min(side, MaxSideLimit)
	if min(f.width, f.height) < MinSide {
		return Prepared{}, f.failed(TooSmall, nil)
	}
	seen, err := f.decode(side)
	if err != nil {
		return Prepared{}, err
	}
	p := Prepared{Kind: f.kind, OriginalWidth: f.width, OriginalHeight: f.height}
	if f.severalFrames {
		p.Notes = append(p.Notes, FirstFrame)
	}
	if seen.scaled {
		p.Notes = append(p.Notes, ScaledDown)
	}
	img, padded := pad(seen.img)
	if padded {
		p.Notes = append(p.Notes, Padded)
	}
	p.Width, p.Height = img.Rect.Dx(), img.Rect.Dy()
	if p.Bytes, p.MIME, err = encode(img, seen.transparent); err != nil {
		return Prepared{}, f.failed(Broken, err)
	}
	sum := sha256.Sum256(p.Bytes)
	p.SHA256 = hex.EncodeToString(sum[:])
	return p, nil
}
