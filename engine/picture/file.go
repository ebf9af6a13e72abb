package picture

import (
	"bytes"
	"context"
	"errors"
	"image"
	"io"
	"io/fs"
	"os"
)

// A file is an opened picture: what its headers say, with nothing decoded.
type file struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	path   string
	data   *io.SectionReader
	closer io.Closer // nil of bytes in memory

	kind          Kind
	stored        image.Config // as the file has it
	width, height int          // as it is looked at: turned
	header
}

// A header is what we read of a file ourselves, because its decoder doesn't say.
type header struct {
	orientation   int // of EXIF, 1 to 8
	severalFrames bool
	// perPixel is the memory decoding takes for each pixel, in bytes, 0 when the
	// colour model says it.
	perPixel uint64
}

// errNotRegular is of a folder, a pipe or a device, where reading could wait.
var errNotRegular = errors.New("not a regular file")

// open reads the headers of a picture, and refuses what is none or too large.
// cancel is what ends ctx when decoding takes too long.
func open(ctx context.Context, cancel context.CancelCauseFunc, source Source) (_ *file, err error) {
	f := &file{ctx: ctx, cancel: cancel, path: source.Path}
	defer func() {
		if err != nil {
			f.Close()
		}
	}()
	if source.Bytes != nil {
		f.data = io.NewSectionReader(bytes.NewReader(source.Bytes), 0, int64(len(source.Bytes)))
	} else if err := f.openPath(); err != nil {
		return nil, err
	}
	switch size := uint64(f.data.Size()); {
	case size == 0:
		return nil, f.failed(Empty, nil)
	case size > MaxFileBytes:
		e := f.failed(TooLarge, nil)
		e.Bytes, e.LimitBytes = size, MaxFileBytes
		return nil, e
	}
	start := make([]byte, sniffBytes)
	n, err := f.reader().ReadAt(start, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, f.failed(Unreadable, err)
	}
	if err := f.sniff(start[:n]); err != nil {
		return nil, err
	}
	return f, f.readHeader()
}

func (f *file) openPath() error {
	info, err := os.Stat(f.path)
	if err != nil {
		return f.unopened(err)
	}
	if !info.Mode().IsRegular() {
		return f.failed(Unreadable, errNotRegular)
	}
	opened, err := os.Open(f.path)
	if err != nil {
		return f.unopened(err)
	}
	f.closer = opened
	f.data = io.NewSectionReader(opened, 0, info.Size())
	return nil
}

func (f *file) unopened(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return f.failed(Missing, err)
	}
	return f.failed(Unreadable, err)
}

// Close closes the file.
func (f *file) Close() {
	if f.closer != nil {
		f.closer.Close() // was only read
	}
}

// reader reads the file from its start.
func (f *file) reader() bounded {
	return bounded{f.ctx, io.NewSectionReader(f.data, 0, f.data.Size())}
}

// failed is the error of a picture, with what is known of it.
func (f *file) failed(problem Problem, err error) *Error {
	return &Error{Problem: problem, Path: f.path, Kind: f.kind, Width: f.width, Height: f.height, Err: err}
}

// sniff finds out what the file is, by its first bytes.
func (f *file) sniff(start []byte) error {
	kind, looks := sniff(start)
	f.kind = kind
	switch {
	case kind == "":
		e := f.failed(NotAPicture, nil)
		e.Looks = looks
		return e
	case formats[kind].decode == nil:
		return f.failed(Unsupported, nil)
	}
	return nil
}

// readHeader reads the size and the rest of what is known before decoding.
func (f *file) readHeader() error {
	format := formats[f.kind]
	if format.header != nil {
		f.header = format.header(f.reader())
	}
	if f.orientation < 1 || f.orientation > 8 {
		f.orientation = 1
	}
	config, err := format.config(f.reader())
	if err != nil {
		return f.undecodable(err)
	}
	f.stored = config
	f.width, f.height = config.Width, config.Height
	if config.Width <= 0 || config.Height <= 0 {
		return f.failed(Broken, nil)
	}
	if f.orientation >= 5 {
		f.width, f.height = f.height, f.width
	}
	if pixels := uint64(config.Width) * uint64(config.Height); pixels > MaxPixels {
		e := f.failed(TooLarge, nil)
		e.Pixels, e.LimitPixels = pixels, MaxPixels
		return e
	}
	return nil
}
