package chunk

// How a long region is split.
const (
	samples     = 16 // texts that tell how much units count for more than texts
	sampleBytes = 2048
	batch       = 64 // chunks that are counted at once
)

// A splitter cuts a region into chunks that fit. Units are counted each for
// itself, which is a little more or less than what they count together: scale is
// the share. Every chunk is counted whole before it is given.
type splitter struct {
	*cutter
	r      *region
	units  []unit
	tokens []int // of each unit
	scale  float64
	once   float64 // of the next chunk only, 0 for scale
	tries  int     // for the same chunk
	last   bool    // no more of the region is to come
}

// split gives the chunks of a region. When last is not set, the region goes on
// and its end is returned, to be cut with what follows.
func (c *cutter) split(r region, last bool) (region, error) {
	s := &splitter{cutter: c, r: &r, units: unitsOf(r.text), last: last}
	if err := s.measure(); err != nil {
		return region{}, err
	}
	at, err := s.run()
	if err != nil || c.ended || last {
		return region{}, err
	}
	if at == len(s.units) {
		return region{split: true}, nil
	}
	return r.from(s.units[at].start), nil
}

// measure counts the units, and texts of many of them.
func (s *splitter) measure() error {
	texts := make([]string, 0, len(s.units)+samples)
	for _, u := range s.units {
		texts = append(texts, string(s.r.text[u.start:u.end]))
	}
	type span struct{ from, to int }
	var spans []span
	step := max(1, len(s.units)/samples)
	for from := 0; from < len(s.units) && len(spans) < samples; from += step {
		to := from
		for to < len(s.units) && s.units[to].end-s.units[from].start < sampleBytes {
			to++
		}
		if to > from {
			spans = append(spans, span{from, to})
			texts = append(texts, string(s.r.text[s.units[from].start:s.units[to-1].end]))
		}
	}
	counts, err := s.count(texts)
	if err != nil {
		return err
	}
	for i := range counts {
		counts[i] = max(0, counts[i]-s.special)
	}
	s.tokens = counts[:len(s.units)]
	apart, together := 0, 0
	for i, span := range spans {
		for _, n := range s.tokens[span.from:span.to] {
			apart += n
		}
		together += counts[len(s.units)+i]
	}
	s.scale = 1
	if apart > 0 {
		s.scale = float64(together) / float64(apart)
	}
	return nil
}

// A cutting is a chunk that was not counted yet: units from to to, and where the
// next one begins.
type cutting struct {
	from, to, next int
	chunk          Chunk
}

// run gives chunks until the units are used up, or too few to know where the next
// one ends. It returns the first unit that is not used.
func (s *splitter) run() (int, error) {
	at := 0
	for {
		cuttings, end := s.plan(at)
		var inputs []string
		for _, c := range cuttings {
			inputs = append(inputs, s.options.Input(c.chunk.Text))
		}
		if len(inputs) == 0 {
			return end, nil
		}
		counts, err := s.count(inputs)
		if err != nil {
			return 0, err
		}
		for i, c := range cuttings {
			if excess := counts[i] - s.overhead - s.max; excess > 0 {
				if end, err = s.shrink(c, counts[i]); err != nil {
					return 0, err
				}
				break
			}
			s.tries = 0
			c.chunk.Split = s.options.Strategy.Method != Tokens
			if s.give(c.chunk, counts[i]); s.ended {
				return 0, nil
			}
		}
		at = end
	}
}

// plan is the next chunks by what their units count, and the unit after them.
func (s *splitter) plan(at int) (cuttings []cutting, end int) {
	for at < len(s.units) && len(cuttings) < batch {
		to := s.fill(at)
		if to == len(s.units) && !s.last {
			break
		}
		next := to
		if to < len(s.units) {
			next = s.overlap(at, to)
		}
		if chunk, ok := s.r.chunk(s.units[at].start, s.units[to-1].end); ok {
			cuttings = append(cuttings, cutting{at, to, next, chunk})
		}
		at = next
	}
	return cuttings, at
}

// fill is how far a chunk goes that begins at a unit: at least one, at most as
// many as fit, and then back to the last good boundary.
func (s *splitter) fill(from int) int {
	sums, scale := 0.0, s.scale
	if s.once > 0 {
		scale, s.once = s.once, 0
	}
	to := from
	for to < len(s.units) {
		sums += float64(s.tokens[to]) * scale
		if sums > float64(s.max) && to > from {
			break
		}
		to++
	}
	if to == len(s.units) {
		return to
	}
	// The start of a unit behind the best boundary in the last quarter.
	best, at := s.units[to].before, to
	for back, left := to-1, float64(s.max)/4; back > from; back-- {
		if left -= float64(s.tokens[back]) * scale; left < 0 {
			break
		}
		if s.units[back].before > best && (s.units[back].before != word || best == inWord) {
			best, at = s.units[back].before, back
		}
	}
	return at
}

// overlap is the unit the next chunk begins with.
func (s *splitter) overlap(from, to int) int {
	if s.options.Strategy.Method != Tokens || s.options.Strategy.OverlapTokens == 0 {
		return to
	}
	next := to
	left := float64(s.options.Strategy.OverlapTokens)
	// At most half of it, or the next chunk could begin where this one did.
	for at := to - 1; at >= from+(to-from+1)/2; at-- {
		if left -= float64(s.tokens[at]) * s.scale; left < 0 {
			break
		}
		if s.units[at].before > inWord {
			next = at
		}
	}
	return next
}

// shrink is called when a chunk has more tokens than it may: what follows is
// planned again with what was learnt. A unit that is too long by itself is taken
// apart, and a character that is, is reported and left out.
func (s *splitter) shrink(c cutting, counted int) (int, error) {
	if c.to-c.from > 1 {
		together := 0
		for i := c.from; i < c.to; i++ {
			s.tokens[i] = max(1, s.tokens[i]) // or no scale would make them fewer
			together += s.tokens[i]
		}
		// A little more each time, until it fits; the chunks after it may be ordinary.
		s.tries++
		s.once = float64(counted-s.overhead) / float64(together) * (1 + 0.01*float64(s.tries))
		s.scale *= 1.002
		return c.from, nil
	}
	u := s.units[c.from]
	parts := runesOf(s.r.text, u)
	if len(parts) > 1 {
		texts := make([]string, len(parts))
		for i, part := range parts {
			texts[i] = string(s.r.text[part.start:part.end])
		}
		counts, err := s.count(texts)
		if err != nil {
			return 0, err
		}
		for i := range counts {
			counts[i] = max(0, counts[i]-s.special)
		}
		s.units = append(s.units[:c.from:c.from], append(parts, s.units[c.from+1:]...)...)
		s.tokens = append(s.tokens[:c.from:c.from], append(counts, s.tokens[c.from+1:]...)...)
		return c.from, nil
	}
	s.ended = !s.yield(Chunk{}, &Error{
		Problem: TooLong, Place: c.chunk.Place, Partial: true, Tokens: counted, LimitTokens: s.overhead + s.max,
	})
	return c.next, nil
}
