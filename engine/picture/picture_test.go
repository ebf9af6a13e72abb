package picture_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"image"
	"image/color"
	"image/color/palette"
	"image/draw"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"paddock/engine/picture"
	"paddock/engine/picture/picturetest"
)

// prepared is a picture from memory that has to be accepted, and its pixels.
func prepared(t *testing.T, data []byte, o picture.Options) (picture.Prepared, image.Image) {
	t.Helper()
	p, err := picture.Prepare(t.Context(), picture.Source{Bytes: data}, o)
	if err != nil {
		t.Fatal(err)
	}
	img, kind, err := image.Decode(bytes.NewReader(p.Bytes))
	if err != nil || "image/"+kind != p.MIME {
		t.Fatalf("what was prepared is %s, said to be %s: %v", kind, p.MIME, err)
	}
	if size := img.Bounds().Size(); size != image.Pt(p.Width, p.Height) {
		t.Fatalf("what was prepared is %v, said to be %d x %d", size, p.Width, p.Height)
	}
	if sum := sha256.Sum256(p.Bytes); p.SHA256 != hex.EncodeToString(sum[:]) {
		t.Errorf("SHA256 %s", p.SHA256)
	}
	return p, img
}

func near(a, b color.Color) bool {
	const most = 0x1400 // JPEG's and the video codecs' own error
	r1, g1, b1, _ := a.RGBA()
	r2, g2, b2, _ := b.RGBA()
	for _, pair := range [][2]uint32{{r1, r2}, {g1, g2}, {b1, b2}} {
		if max(pair[0], pair[1])-min(pair[0], pair[1]) > most {
			return false
		}
	}
	return true
}

// corners checks the colours in the middles of the four quadrants.
func corners(t *testing.T, img image.Image, topLeft, topRight, bottomLeft, bottomRight color.Color) {
	t.Helper()
	w, h := img.Bounds().Dx(), img.Bounds().Dy()
	for _, c := range []struct {
		x, y int
		want color.Color
	}{{w / 4, h / 4, topLeft}, {w * 3 / 4, h / 4, topRight}, {w / 4, h * 3 / 4, bottomLeft}, {w * 3 / 4, h * 3 / 4, bottomRight}} {
		if got := img.At(c.x, c.y); !near(got, c.want) {
			t.Errorf("at %d, %d it is %v, want %v", c.x, c.y, got, c.want)
		}
	}
}

func quadrants(t *testing.T, img image.Image) {
	t.Helper()
	corners(t, img, picturetest.TopLeft, picturetest.TopRight, picturetest.BottomLeft, picturetest.BottomRight)
}

// converted is a picture in another colour model.
func converted(to draw.Image) image.Image {
	draw.Draw(to, to.Bounds(), picturetest.Quadrants(to.Bounds().Dx(), to.Bounds().Dy()), image.Point{}, draw.Src)
	return to
}

func TestEveryFormatIsReadByItsBytes(t *testing.T) {
	const w, h = 48, 32
	rect := image.Rect(0, 0, w, h)
	rgba := picturetest.Quadrants(w, h)
	encode := func(kind string, img image.Image) []byte { return picturetest.Encode(t, kind, img) }
	tests := []struct {
		name  string
		data  []byte
		kind  picture.Kind
		first bool // of several frames
	}{
		{"PNG", encode("png", rgba), picture.PNG, false},
		{"PNG of 16 bits", encode("png", converted(image.NewNRGBA64(rect))), picture.PNG, false},
		{"PNG with a palette", encode("png", converted(image.NewPaletted(rect, palette.WebSafe))), picture.PNG, false},
		{"JPEG", encode("jpeg", rgba), picture.JPEG, false},
		{"progressive JPEG", picturetest.File(t, "progressive.jpg"), picture.JPEG, false},
		{"JPEG of four inks, YCCK", picturetest.File(t, "ycck.jpg"), picture.JPEG, false},
		{"GIF", encode("gif", rgba), picture.GIF, false},
		{"BMP", encode("bmp", rgba), picture.BMP, false},
		{"TIFF", encode("tiff", rgba), picture.TIFF, false},
		{"TIFF of 16 bits", encode("tiff", converted(image.NewNRGBA64(rect))), picture.TIFF, false},
		{"lossy WebP", picturetest.File(t, "lossy.webp"), picture.WebP, false},
		{"lossless WebP", picturetest.File(t, "lossless.webp"), picture.WebP, false},
		{"animated WebP", picturetest.File(t, "animated.webp"), picture.WebP, true},
		{"HEIC", picturetest.File(t, "quadrants.heic"), picture.HEIC, false},
	}
	sizes := map[picture.Kind]image.Point{picture.HEIC: image.Pt(200, 150)}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p, img := prepared(t, test.data, picture.Options{})
			size, other := sizes[test.kind]
			if !other {
				size = rect.Max
			}
			if p.Kind != test.kind || image.Pt(p.OriginalWidth, p.OriginalHeight) != size || image.Pt(p.Width, p.Height) != size {
				t.Errorf("%s, %d x %d of %d x %d", p.Kind, p.Width, p.Height, p.OriginalWidth, p.OriginalHeight)
			}
			if slices.Contains(p.Notes, picture.FirstFrame) != test.first {
				t.Errorf("notes %v", p.Notes)
			}
			quadrants(t, img)

			wrong := filepath.Join(t.TempDir(), "ĝüße 图.txt")
			if err := os.WriteFile(wrong, test.data, 0o600); err != nil {
				t.Fatal(err)
			}
			fromFile, err := picture.Prepare(t.Context(), picture.Source{Path: wrong}, picture.Options{})
			if err != nil || fromFile.SHA256 != p.SHA256 {
				t.Errorf("as a file with a wrong suffix: %s, %v", fromFile.SHA256, err)
			}
			thumbnail, err := picture.Thumbnail(t.Context(), picture.Source{Path: wrong}, 16)
			if err != nil {
				t.Fatal(err)
			}
			if want := image.Rect(0, 0, 16, (16*size.Y+size.X/2)/size.X); thumbnail.Rect != want {
				t.Errorf("thumbnail %v", thumbnail.Rect)
			}
			quadrants(t, thumbnail)
		})
	}
}

// A JPEG of four inks without a transform has them as they are: the YCCK file read
// that way shows its luma as red and its chroma as green and blue. They are of the
// inks' complement, without what is black ink.
func TestAJPEGOfFourInksWithoutATransformIsRead(t *testing.T) {
	data := bytes.Clone(picturetest.File(t, "ycck.jpg"))
	const transform = 11
	data[bytes.Index(data, []byte("Adobe"))+transform] = 0
	_, img := prepared(t, data, picture.Options{})
	planes := func(c color.RGBA) color.Color {
		white := int(max(c.R, c.G, c.B))
		ink := func(v uint8) uint8 { return uint8(255 - int(v)*255/white) }
		y, cb, cr := color.RGBToYCbCr(ink(c.R), ink(c.G), ink(c.B))
		shown := func(v uint8) uint8 { return uint8(int(v) * white / 255) }
		return color.RGBA{shown(y), shown(cb), shown(cr), 0xff}
	}
	corners(t, img, planes(picturetest.TopLeft), planes(picturetest.TopRight), planes(picturetest.BottomLeft), planes(picturetest.BottomRight))
}

func TestAPictureIsTurnedTheWayItsCameraWasHeld(t *testing.T) {
	tl, tr, bl, br := picturetest.TopLeft, picturetest.TopRight, picturetest.BottomLeft, picturetest.BottomRight
	seen := map[uint16][4]color.Color{ // top left, top right, bottom left, bottom right
		0: {tl, tr, bl, br}, 1: {tl, tr, bl, br}, 2: {tr, tl, br, bl}, 3: {br, bl, tr, tl}, 4: {bl, br, tl, tr},
		5: {tl, bl, tr, br}, 6: {bl, tl, br, tr}, 7: {br, tr, bl, tl}, 8: {tr, br, tl, bl}, 9: {tl, tr, bl, br},
	}
	files := map[string][]byte{
		"JPEG": picturetest.Encode(t, "jpeg", picturetest.Quadrants(48, 32)),
		"PNG":  picturetest.Encode(t, "png", picturetest.Quadrants(48, 32)),
		"WebP": picturetest.File(t, "alpha.webp"), // with VP8X, which EXIF needs
	}
	for name, file := range files {
		for orientation, want := range seen {
			data := picturetest.WithEXIF(t, file, picturetest.EXIF(orientation, "secret garden"))
			p, img := prepared(t, data, picture.Options{})
			width, height := 48, 32
			if orientation >= 5 && orientation <= 8 {
				width, height = height, width
			}
			if p.Width != width || p.Height != height || p.OriginalWidth != width || p.OriginalHeight != height {
				t.Errorf("%s, %d: %d x %d of %d x %d", name, orientation, p.Width, p.Height, p.OriginalWidth, p.OriginalHeight)
			}
			if name == "WebP" { // its lower half is transparent
				for i, c := range want {
					if c == bl || c == br {
						want[i] = color.White
					}
				}
			}
			corners(t, img, want[0], want[1], want[2], want[3])
			if bytes.Contains(p.Bytes, []byte("secret")) || bytes.Contains(p.Bytes, []byte("Exif")) {
				t.Errorf("%s: the metadata is still there", name)
			}
			thumbnail, err := picture.Thumbnail(t.Context(), picture.Source{Bytes: data}, 24)
			if err != nil {
				t.Fatal(err)
			}
			corners(t, thumbnail, want[0], want[1], want[2], want[3])
		}
	}
}

// A box in the file says a quarter to the left. EXIF, which phones write beside it
// with the same meaning, is not followed.
func TestAHEICIsTurnedOnce(t *testing.T) {
	p, img := prepared(t, picturetest.File(t, "turned.heic"), picture.Options{})
	if p.Width != 150 || p.Height != 200 || p.OriginalWidth != 150 || p.OriginalHeight != 200 {
		t.Errorf("%d x %d of %d x %d", p.Width, p.Height, p.OriginalWidth, p.OriginalHeight)
	}
	corners(t, img, picturetest.TopRight, picturetest.BottomRight, picturetest.TopLeft, picturetest.BottomLeft)
}

func TestWhatIsTransparentBecomesWhite(t *testing.T) {
	img := image.NewNRGBA(image.Rect(0, 0, 64, 64))
	for i := range 32 * 64 { // the lower half stays transparent black
		copy(img.Pix[4*i:], []uint8{0xf0, 0, 0, 0xff})
	}
	for _, kind := range []string{"png", "tiff"} {
		p, got := prepared(t, picturetest.Encode(t, kind, img), picture.Options{})
		corners(t, got, picturetest.TopLeft, picturetest.TopLeft, color.White, color.White)
		if p.MIME != "image/png" {
			t.Errorf("%s became %s", kind, p.MIME)
		}
	}
	_, got := prepared(t, picturetest.File(t, "alpha.webp"), picture.Options{})
	corners(t, got, picturetest.TopLeft, picturetest.TopRight, color.White, color.White)
}

func TestPhotosBecomeJPEGAndDrawingsPNG(t *testing.T) {
	page := image.NewRGBA(image.Rect(0, 0, 600, 400))
	draw.Draw(page, page.Rect, image.White, image.Point{}, draw.Src)
	draw.Draw(page, image.Rect(0, 0, 600, 100), picturetest.Photo(600, 100), image.Point{}, draw.Src)
	tests := []struct {
		name string
		img  image.Image
		want string
	}{
		{"a photo", picturetest.Photo(600, 400), "image/jpeg"},
		{"a small photo", picturetest.Photo(100, 100), "image/png"},
		{"a drawing", picturetest.Quadrants(600, 400), "image/png"},
		{"a page with a picture", page, "image/png"},
	}
	for _, test := range tests {
		if p, _ := prepared(t, picturetest.Encode(t, "png", test.img), picture.Options{}); p.MIME != test.want {
			t.Errorf("%s became %s, want %s", test.name, p.MIME, test.want)
		}
	}
}

func TestTheLongSideIsLimited(t *testing.T) {
	tests := []struct {
		name                  string
		width, height, most   int
		wantWidth, wantHeight int
		notes                 []picture.Note
	}{
		{"by default", 3100, 1550, 0, picture.DefaultMaxSide, picture.DefaultMaxSide / 2, []picture.Note{picture.ScaledDown}},
		{"as asked", 300, 200, 150, 150, 100, []picture.Note{picture.ScaledDown}},
		{"by an odd factor", 1001, 701, 99, 99, 69, []picture.Note{picture.ScaledDown}},
		{"upright", 100, 1000, 500, 50, 500, []picture.Note{picture.ScaledDown}},
		{"not at all when it fits", 150, 100, 150, 150, 100, nil},
		{"never beyond what is followed", 4200, 40, 1 << 20, picture.MaxSideLimit, 39, []picture.Note{picture.ScaledDown}},
		{"and a strip gets a border", 3000, 10, 0, picture.DefaultMaxSide, picture.PaddedSide, []picture.Note{picture.ScaledDown, picture.Padded}},
		{"and so does a small one", 8, 8, 0, picture.PaddedSide, picture.PaddedSide, []picture.Note{picture.Padded}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			data := picturetest.Encode(t, "png", picturetest.Quadrants(test.width, test.height))
			p, img := prepared(t, data, picture.Options{MaxSide: test.most})
			if p.Width != test.wantWidth || p.Height != test.wantHeight || !slices.Equal(p.Notes, test.notes) {
				t.Errorf("%d x %d, %v; want %d x %d, %v", p.Width, p.Height, p.Notes, test.wantWidth, test.wantHeight, test.notes)
			}
			if p.OriginalWidth != test.width || p.OriginalHeight != test.height {
				t.Errorf("original %d x %d", p.OriginalWidth, p.OriginalHeight)
			}
			if !slices.Contains(p.Notes, picture.Padded) {
				quadrants(t, img)
			} else if got := img.At(0, 0); !near(got, color.White) {
				t.Errorf("the border is %v", got)
			}
		})
	}
}

func TestScalingKeepsTheMeanOfWhatItMergesEvenAtTheEdges(t *testing.T) {
	img := image.NewGray(image.Rect(0, 0, 1003, 1003)) // stripes of one pixel, black and white
	for i := range img.Pix {
		img.Pix[i] = uint8(i % 1003 % 2 * 0xff)
	}
	thumbnail, err := picture.Thumbnail(t.Context(), picture.Source{Bytes: picturetest.Encode(t, "png", img)}, 100)
	if err != nil {
		t.Fatal(err)
	}
	for x := range 99 { // of the last a block is cut
		if got := thumbnail.RGBAAt(x, 50).R; got < 110 || got > 145 {
			t.Errorf("stripes became %d at %d", got, x)
		}
	}
}

func TestTheFirstFrameOfAGIFIsTakenWithItsPlace(t *testing.T) {
	_, img := prepared(t, picturetest.Animation(t), picture.Options{})
	corners(t, img, picturetest.TopLeft, color.White, color.White, color.White)
	p, err := picture.Prepare(t.Context(), picture.Source{Bytes: picturetest.Animation(t)}, picture.Options{})
	if err != nil || p.Width != 64 || !slices.Contains(p.Notes, picture.FirstFrame) {
		t.Errorf("%d wide, notes %v, %v", p.Width, p.Notes, err)
	}
}

func TestPreparingIsTheSameEveryTimeAndSideBySide(t *testing.T) {
	var sources [][]byte
	for _, name := range []string{"quadrants.heic", "lossy.webp", "ycck.jpg"} {
		sources = append(sources, picturetest.File(t, name))
	}
	var all sync.WaitGroup
	for _, data := range sources {
		want, _ := prepared(t, data, picture.Options{})
		for range 4 {
			all.Go(func() {
				p, err := picture.Prepare(t.Context(), picture.Source{Bytes: data}, picture.Options{})
				if err != nil || p.SHA256 != want.SHA256 {
					t.Errorf("%s: %s, want %s, %v", p.Kind, p.SHA256, want.SHA256, err)
				}
			})
		}
	}
	all.Wait()
}

func TestAThumbnailOfOnePixelIsOne(t *testing.T) {
	data := picturetest.Encode(t, "png", picturetest.Quadrants(1, 1))
	if got, err := picture.Thumbnail(t.Context(), picture.Source{Bytes: data}, 0); err != nil || got.Rect != image.Rect(0, 0, 1, 1) {
		t.Errorf("%v", err)
	}
}
