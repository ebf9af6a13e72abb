package picture_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"image"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"paddock/engine/picture"
	"paddock/engine/picture/picturetest"
)

// failure is the error of a picture that must be refused, by Prepare.
func failure(t *testing.T, source picture.Source) *picture.Error {
	t.Helper()
	p, err := picture.Prepare(t.Context(), source, picture.Options{})
	var failed *picture.Error
	if !errors.As(err, &failed) {
		t.Fatalf("prepared %d x %d, %v", p.Width, p.Height, err)
	}
	if failed.Path != source.Path || failed.Error() == "" {
		t.Errorf("the error is of %q: %s", failed.Path, failed)
	}
	return failed
}

func TestWhatIsNoPictureIsSaidToBeWhatItIs(t *testing.T) {
	bmpLetters := "BMW is a car maker, and this is a text about cars."
	tests := []struct {
		name  string
		data  string
		want  picture.Problem
		looks picture.Likeness
		kind  picture.Kind
	}{
		{"a file of no bytes", "", picture.Empty, "", ""},
		{"a text", "Dear all,\nhere is the picture.\n", picture.NotAPicture, picture.LooksText, ""},
		{"a text that begins like a BMP", bmpLetters, picture.NotAPicture, picture.LooksText, ""},
		{"a text with umlauts, cut", "gr\xc3\xbc\xc3", picture.NotAPicture, picture.LooksText, ""},
		{"a text in UTF-16", "\xff\xfeh\x00i\x00", picture.NotAPicture, picture.LooksText, ""},
		{"a web page", "\n<!DOCTYPE html><html><svg></svg>", picture.NotAPicture, picture.LooksWebPage, ""},
		{"a PDF", "%PDF-1.7\n", picture.NotAPicture, picture.LooksPDF, ""},
		{"an archive", "PK\x03\x04\x14\x00", picture.NotAPicture, picture.LooksArchive, ""},
		{"a video", "\x00\x00\x00\x18ftypisom\x00\x00\x02\x00", picture.NotAPicture, picture.LooksVideo, ""},
		{"an AVI video", "RIFF\x00\x00\x00\x00AVI LIST", picture.NotAPicture, picture.LooksVideo, ""},
		{"music", "ID3\x04\x00", picture.NotAPicture, picture.LooksAudio, ""},
		{"a recording", "RIFF\x00\x00\x00\x00WAVEfmt ", picture.NotAPicture, picture.LooksAudio, ""},
		{"a model", "GGUF\x03\x00\x00\x00", picture.NotAPicture, picture.LooksModel, ""},
		{"a program", "\x7fELF\x02\x01\x01\x00", picture.NotAPicture, picture.LooksProgram, ""},
		{"noise", "\x01\x02\x03\xff\xfe\xfd", picture.NotAPicture, "", ""},
		{"an AVIF", string(picturetest.File(t, "quadrants.avif")), picture.Unsupported, "", picture.AVIF},
		{"an SVG", `<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>`, picture.Unsupported, "", picture.SVG},
		{"a JPEG XL", "\xff\x0a\x00\x00", picture.Unsupported, "", picture.JPEGXL},
		{"a Photoshop file", "8BPS\x00\x01", picture.Unsupported, "", picture.Photoshop},
		{"a raw picture", "\x00\x00\x00\x18ftypcrx \x00\x00\x00\x01crx isom", picture.Unsupported, "", picture.CanonRaw},
		{"a HEIC narrower than its library can", string(picturetest.File(t, "small.heic")), picture.Unsupported, "", picture.HEIC},
		{"a PNG that only begins", "\x89PNG\r\n\x1a\n", picture.Broken, "", picture.PNG},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "picture.png")
			if err := os.WriteFile(path, []byte(test.data), 0o600); err != nil {
				t.Fatal(err)
			}
			for _, source := range []picture.Source{{Path: path}, {Path: "pasted", Bytes: []byte(test.data)}} {
				if got := failure(t, source); got.Problem != test.want || got.Looks != test.looks || got.Kind != test.kind {
					t.Errorf("%s, %q, %q", got.Problem, got.Looks, got.Kind)
				}
				if _, err := picture.Thumbnail(t.Context(), source, 64); err == nil {
					t.Error("it has a thumbnail")
				}
			}
		})
	}
}

func TestWhatCanNotBeOpenedIsSaid(t *testing.T) {
	folder := t.TempDir()
	if got := failure(t, picture.Source{Path: filepath.Join(folder, "gone.png")}); got.Problem != picture.Missing || !errors.Is(got, fs.ErrNotExist) {
		t.Error(got)
	}
	if got := failure(t, picture.Source{Path: folder}); got.Problem != picture.Unreadable {
		t.Error(got)
	}
	if got := failure(t, picture.Source{}); got.Problem != picture.Missing {
		t.Error(got)
	}
}

func TestAPictureThatEndsTooEarlyIsBroken(t *testing.T) {
	photo := picturetest.Photo(300, 200)
	files := map[picture.Kind][]byte{
		picture.PNG: picturetest.Encode(t, "png", photo), picture.JPEG: picturetest.Encode(t, "jpeg", photo),
		picture.GIF: picturetest.Encode(t, "gif", photo), picture.BMP: picturetest.Encode(t, "bmp", photo),
		picture.TIFF: picturetest.Encode(t, "tiff", photo), picture.WebP: picturetest.File(t, "lossy.webp"),
		picture.HEIC: picturetest.File(t, "quadrants.heic"),
	}
	for kind, data := range files {
		for _, part := range []int{len(data) / 2, len(data) * 9 / 10} {
			if got := failure(t, picture.Source{Bytes: data[:part]}); got.Problem != picture.Broken || got.Kind != kind {
				t.Errorf("%d of %d bytes of a %s: %v", part, len(data), kind, got)
			}
		}
	}
	animated := picturetest.File(t, "animated.webp")
	if got := failure(t, picture.Source{Bytes: animated[:100]}); got.Problem != picture.Broken {
		t.Error(got)
	}
}

func TestAFrameOutsideOfItsPictureIsBroken(t *testing.T) {
	data := bytes.Clone(picturetest.File(t, "animated.webp"))
	data[bytes.Index(data, []byte("ANMF"))+8]++ // two pixels to the right
	if got := failure(t, picture.Source{Bytes: data}); got.Problem != picture.Broken {
		t.Error(got)
	}
}

func TestASideOfAFewPixelsIsRefused(t *testing.T) {
	for _, size := range []image.Point{{1, 1}, {1, 500}, {500, 1}, {picture.MinSide - 1, 500}} {
		got := failure(t, picture.Source{Bytes: picturetest.Encode(t, "png", picturetest.Quadrants(size.X, size.Y))})
		if got.Problem != picture.TooSmall || got.Width != size.X || got.Height != size.Y {
			t.Errorf("%v: %v", size, got)
		}
	}
}

// sized is a picture with another size in its header than it has.
func sized(t *testing.T, kind string, width, height uint32) []byte {
	t.Helper()
	var data []byte
	if kind != "progressive" {
		data = picturetest.Encode(t, kind, picturetest.Quadrants(64, 64))
	}
	switch kind {
	case "bmp":
		binary.LittleEndian.PutUint32(data[18:], width)
		binary.LittleEndian.PutUint32(data[22:], height)
	case "gif":
		binary.LittleEndian.PutUint16(data[6:], uint16(width))
		binary.LittleEndian.PutUint16(data[8:], uint16(height))
	case "progressive":
		data = bytes.Clone(picturetest.File(t, "progressive.jpg"))
		putJPEG(data, 0xc2, width, height)
	case "jpeg":
		putJPEG(data, 0xc0, width, height)
	}
	return data
}

func putJPEG(data []byte, marker byte, width, height uint32) {
	frame := bytes.Index(data, []byte{0xff, marker})
	binary.BigEndian.PutUint16(data[frame+5:], uint16(height))
	binary.BigEndian.PutUint16(data[frame+7:], uint16(width))
}

func TestATooLargePictureIsRefusedBeforeItIsDecoded(t *testing.T) {
	tests := map[string]struct {
		data          []byte
		width, height int
		memory        bool
	}{
		"a PNG of many pixels":        {pngOf(t, 60000, 50000, 8), 60000, 50000, false},
		"a PNG of many bits":          {pngOf(t, 10000, 9000, 16), 10000, 9000, true},
		"a BMP of many pixels":        {sized(t, "bmp", 1<<15, 1<<15), 1 << 15, 1 << 15, false},
		"a GIF of many pixels":        {sized(t, "gif", 65535, 65535), 65535, 65535, false},
		"a JPEG of many pixels":       {sized(t, "jpeg", 65535, 65535), 65535, 65535, false},
		"a JPEG that needs a lot":     {sized(t, "progressive", 12000, 10000), 12000, 10000, true},
		"an EXIF that turns its size": {picturetest.WithEXIF(t, sized(t, "jpeg", 65535, 40000), picturetest.EXIF(6, "")), 40000, 65535, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := failure(t, picture.Source{Bytes: test.data})
			if got.Problem != picture.TooLarge || got.Width != test.width || got.Height != test.height || got.Memory != test.memory {
				t.Errorf("%+v", got)
			}
			pixels := uint64(test.width) * uint64(test.height)
			if !test.memory && (got.Pixels != pixels || got.LimitPixels != picture.MaxPixels) {
				t.Errorf("%d pixels of %d", got.Pixels, got.LimitPixels)
			}
			if test.memory && (got.Bytes <= got.LimitBytes || got.LimitBytes != picture.MaxDecodeBytes) {
				t.Errorf("%d bytes of %d", got.Bytes, got.LimitBytes)
			}
		})
	}
}

// pngOf is a PNG that ends where its pixels should begin.
func pngOf(t *testing.T, width, height uint32, depth byte) []byte {
	header := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, width), height)
	return append([]byte("\x89PNG\r\n\x1a\n"), picturetest.Chunk("IHDR", append(header, depth, 6, 0, 0, 0))...)
}

func TestATooLongFileIsRefusedUnread(t *testing.T) {
	path := filepath.Join(t.TempDir(), "long.png")
	if err := os.WriteFile(path, picturetest.Encode(t, "png", picturetest.Quadrants(64, 64)), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, picture.MaxFileBytes+1); err != nil { // sparse
		t.Fatal(err)
	}
	got := failure(t, picture.Source{Path: path})
	if got.Problem != picture.TooLarge || got.Bytes != picture.MaxFileBytes+1 || got.LimitBytes != picture.MaxFileBytes {
		t.Errorf("%+v", got)
	}
}

func TestPicturesSideBySideShareTheirMemory(t *testing.T) {
	source := picture.Source{Bytes: picturetest.Bomb(t, 7000, 7000, 8)} // 196 MB of pixels
	ended := make(chan struct{})
	var all sync.WaitGroup
	for range 6 {
		all.Go(func() {
			if _, err := picture.Thumbnail(t.Context(), source, 64); err != nil {
				t.Error(err)
			}
		})
	}
	go func() {
		all.Wait()
		close(ended)
	}()
	const slack = 128 << 20 // of all else
	for {
		select {
		case <-ended:
			return
		case <-time.After(10 * time.Millisecond):
		}
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		if m.HeapAlloc > picture.MaxDecodeBytes+slack {
			t.Errorf("%d MiB of memory are used", m.HeapAlloc>>20)
			<-ended
			return
		}
	}
}

func TestACancelledPictureReturnsAtOnce(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	source := picture.Source{Bytes: picturetest.Bomb(t, 8000, 8000, 8)}
	if _, err := picture.Prepare(ended, source, picture.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled before: %v", err)
	}
	short, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := picture.Thumbnail(short, source, 64); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("cancelled in the middle: %v", err)
	}
	// What was left behind ends, and gives back its memory.
	if _, err := picture.Prepare(t.Context(), source, picture.Options{}); err != nil {
		t.Errorf("after that: %v", err)
	}
}
