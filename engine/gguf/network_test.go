package gguf_test

import (
	"path/filepath"
	"testing"

	"paddock/engine/gguf"
	"paddock/engine/gguf/gguftest"
)

func networkOf(t *testing.T, name string) gguf.Facts {
	t.Helper()
	for _, g := range gguftest.Ghosts() {
		if g.Name != name {
			continue
		}
		path, err := g.Write(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		f, err := gguf.Read(path)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	t.Fatalf("no ghost %s", name)
	return gguf.Facts{}
}

func TestLayersSayWhatTheyKeep(t *testing.T) {
	type count struct{ blocks, attention, windowed, recurrent, sharing, shapes int }
	tests := map[string]count{
		"ghost-llama-8b":            {32, 32, 0, 0, 0, 2},
		"ghost-gemma4-e4b":          {42, 24, 35, 0, 18, 4},
		"ghost-gemma4-31b":          {60, 60, 50, 0, 0, 4},
		"ghost-gpt-oss-20b":         {24, 24, 12, 0, 0, 1},
		"ghost-qwen3.6-35b-a3b":     {41, 11, 0, 30, 0, 5},
		"ghost-granite-4.0-h-small": {40, 4, 0, 36, 0, 4},
		"ghost-lfm2-1.2b":           {16, 6, 0, 10, 0, 4},
		"ghost-deepseek-v3":         {61, 61, 0, 0, 0, 3},
		"ghost-bge-m3":              {24, 24, 0, 0, 0, 1},
	}
	for name, want := range tests {
		t.Run(name, func(t *testing.T) {
			f := networkOf(t, name)
			got := count{blocks: len(f.Network.Blocks), shapes: len(f.Network.Shapes)}
			var bytes uint64
			for _, b := range f.Network.Blocks {
				for is, n := range map[*int]bool{&got.attention: b.Attention, &got.windowed: b.Windowed, &got.recurrent: b.Recurrent, &got.sharing: b.SharesKV} {
					if n {
						*is++
					}
				}
				bytes += b.WeightsBytes
			}
			for _, list := range []gguf.BlockShape{f.Network.Input, f.Network.Output, f.Network.Shared} {
				for _, m := range list {
					bytes += m.Bytes
				}
			}
			if got != want || bytes != f.WeightsBytes {
				t.Errorf("got %+v with %d bytes, want %+v with %d", got, bytes, want, f.WeightsBytes)
			}
		})
	}
}

func TestHeadsOfEveryLayer(t *testing.T) {
	f := networkOf(t, "ghost-gemma4-31b")
	local, global := f.Network.Blocks[4], f.Network.Blocks[5]
	if local.KVHeads != 16 || local.HeadSizeK != 256 || !local.Windowed || global.KVHeads != 4 || global.HeadSizeK != 512 || global.Windowed {
		t.Errorf("%+v and %+v", local, global)
	}
	if first := networkOf(t, "ghost-lfm2-1.2b").Network.Blocks[0]; first.KVHeads != 0 || first.Attention || !first.Recurrent {
		t.Errorf("a first layer without key heads: %+v", first)
	}
}

func TestTheEmbeddingsAreTheOutputMatrixWhereThereIsNone(t *testing.T) {
	for name, tied := range map[string]bool{"ghost-llama-8b": false, "ghost-gemma4-e4b": true, "ghost-granite-4.0-h-small": true} {
		if got := networkOf(t, name).Network.TiedOutput; got != tied {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestAWindowCountsOnlyWhereTheEngineHasOne(t *testing.T) {
	pattern := func(architecture string, key any) []bool {
		n := gguftest.All()[0].File()
		n.Set("general.architecture", architecture)
		for i := range n.Keys {
			if rest, ok := cutArchitecture(n.Keys[i].Name); ok {
				n.Keys[i].Name = architecture + rest
			}
		}
		n.Set(architecture+".attention.sliding_window", uint32(512))
		if key != nil {
			n.Set(architecture+".attention.sliding_window_pattern", key)
		}
		path := filepath.Join(t.TempDir(), "m.gguf")
		if err := n.Write(path); err != nil {
			t.Fatal(err)
		}
		f, err := gguf.Read(path)
		if err != nil {
			t.Fatal(err)
		}
		var list []bool
		for _, b := range f.Network.Blocks {
			list = append(list, b.Windowed)
		}
		return list
	}
	tests := []struct {
		name, architecture string
		key                any
		want               [4]bool
	}{
		{"an architecture without windows", "llama", nil, [4]bool{}},
		{"every other layer", "gpt-oss", nil, [4]bool{true, false, true, false}},
		{"a period in the file", "gemma3", uint32(4), [4]bool{true, true, true, false}},
		{"a period of none", "gemma3", uint32(0), [4]bool{true, true, true, true}},
		{"a list in the file", "gemma4", []bool{false, true, true, false}, [4]bool{false, true, true, false}},
		{"a list shorter than the layers", "gemma4", []bool{true, false}, [4]bool{true, false, true, false}},
		{"an empty list", "gemma4", []bool{}, [4]bool{}},
		{"the first of each period sees everything", "smallthinker", nil, [4]bool{false, true, true, true}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := pattern(test.architecture, test.key)
			if len(got) != 4 || [4]bool(got) != test.want {
				t.Errorf("got %v", got)
			}
		})
	}
}

func cutArchitecture(key string) (string, bool) {
	const prefix = "llama"
	if len(key) > len(prefix) && key[:len(prefix)+1] == prefix+"." {
		return key[len(prefix):], true
	}
	return "", false
}
