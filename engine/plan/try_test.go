package plan

import (
	"reflect"
	"testing"

	"paddock/engine/gguf"
)

func TestTryingAValueIsWhatOffersDo(t *testing.T) {
	g := Given{Model: gguf.Facts{Path: "/m/a.gguf", Kind: gguf.Model, ContextTokens: 8192, HeadSizeK: 80, HeadSizeV: 80}}
	p, _ := Complete(Plan{}, g)
	for _, offer := range Offers(p, g).CacheV {
		tried := p
		tried.CacheV = offer.Value
		if got := Try(tried, g, "cacheV", offer.Value); !reflect.DeepEqual(got, offer) {
			t.Errorf("%s: %+v, offered %+v", offer.Value, got, offer)
		}
	}
	if o := Try(Plan{Slots: 1000}, g, "slots", "1000"); o.Refusal == nil || o.Refusal.Setting != "slots" || o.Plan.CacheK != "f16" {
		t.Errorf("1,000 slots are %+v", o)
	}
}
