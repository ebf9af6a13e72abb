package graph

import "testing"

func TestThePoolHandsOutTheBestHole(t *testing.T) {
	var p pool
	a, b, c, d := p.take(320), p.take(96), p.take(64), p.take(32)
	if a.offset != 0 || b.offset != 320 || c.offset != 416 || d.offset != 480 || p.mostUsed() != 512 {
		t.Fatal(a, b, c, d, p.mostUsed())
	}
	p.give(a, 320)
	p.give(c, 64)
	if got := p.take(50); got != c { // rounded to 64
		t.Errorf("50 bytes at %v", got)
	}
	if got := p.take(64); got != a {
		t.Errorf("64 bytes at %v", got)
	}
	if got := p.take(300); got.offset != 512 {
		t.Errorf("300 bytes at %v", got)
	}
	if p.mostUsed() != 832 { // 300 are 320
		t.Errorf("%d bytes used", p.mostUsed())
	}
}

func TestHolesThatTouchBecomeOne(t *testing.T) {
	for _, order := range [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {2, 1, 0}, {2, 0, 1}} {
		var p pool
		places := []place{p.take(64), p.take(64), p.take(64)}
		p.take(64)
		for _, i := range order {
			p.give(places[i], 64)
		}
		if got := p.take(192); got.offset != 0 || p.mostUsed() != 256 {
			t.Errorf("given back in the order %v: 192 bytes at %v, %d used", order, got, p.mostUsed())
		}
	}
}

func TestADeviceWithSmallBuffersHasSeveral(t *testing.T) {
	p := pool{chunkBytes: 1024}
	p.take(1000)
	if second := p.take(512); second.chunk != 1 {
		t.Errorf("%+v", second)
	}
	if large := p.take(4096); large.chunk != 2 {
		t.Errorf("%+v", large)
	}
	if p.mostUsed() != 1024+512+4096 {
		t.Errorf("%d bytes", p.mostUsed())
	}
}

func TestAResultTakesThePlaceOfAnOperandNobodyElseNeeds(t *testing.T) {
	chain := func(again bool) uint64 {
		g := New(nil)
		x := g.op(256, 4, 1, g.input(64))
		y := g.over(256, 4, 1, x)
		if again {
			y = g.over(256, 4, 1, y, x)
		}
		g.op(1, 1, 1, y)
		return g.Bytes(nil, 1)[0]
	}
	if alone, needed := chain(false), chain(true); alone != 4096+64 || needed != 2*4096+64 {
		t.Errorf("%d and %d bytes", alone, needed)
	}
}

func TestWhatADeviceNeedsFromElsewhereIsCopiedToIt(t *testing.T) {
	build := func(copies int, limit uint64) []uint64 {
		g := New([]uint64{limit})
		x := g.rowsOf(g.held(1, 1<<20, true), 256, 64, g.input(256)) // embeddings in RAM
		g.op(256, 64, 1, g.held(0, 1<<18, true), x)
		return g.Bytes(nil, copies)
	}
	const result = 256 * 64 * 4
	if got := build(1, 0); got[0] != 2*result || got[1] != 256+result {
		t.Errorf("once: %v", got)
	}
	if got := build(4, 0); got[0] != 5*result || got[1] != 4*256+result {
		t.Errorf("in a pipeline: %v", got)
	}
}

func TestWeightsInRAMAreCopiedForABatchOfTokens(t *testing.T) {
	for tokens, device := range map[int]int{512: 0, 1: 1} {
		g := New([]uint64{0})
		weights := g.held(1, 1<<20, true)
		y := g.op(256, tokens, 1, weights, g.input(4*256*tokens))
		g.assign()
		if got := g.tensors[y].device; got != device {
			t.Errorf("%d tokens are computed on %d", tokens, got)
		}
	}
	g := New([]uint64{1 << 10})
	y := g.op(256, 512, 1, g.held(1, 1<<20, true), g.input(4*256*512))
	g.assign()
	if g.tensors[y].device != 1 {
		t.Error("weights too large for the device are copied to it")
	}
}
