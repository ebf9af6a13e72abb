package words

import (
	"fmt"
	"strconv"
	"strings"

	"paddock/engine/embed"
	"paddock/engine/gguf"
)

// vectorError is the sentence for vectors that are no good.
func vectorError(e *embed.VectorError) Sentence {
	key := "vectors." + string(e.Problem)
	if e.Path != "" {
		key += ".chunk" // during a run, and of a file
	}
	return Of(key, map[string]any{
		"File": base(e.Path), "Chunk": Count(e.Chunk + 1), "Other": base(e.Other), "OtherChunk": Count(e.OtherChunk + 1),
		"Size": Count(e.Size), "Want": Count(e.Want),
	})
}

// embedFileError is the sentence for a file of a job that is no use.
func embedFileError(e *embed.FileError) Sentence {
	return Of("embed."+string(e.Problem), map[string]any{
		"File": gguf.Printable(e.Path), "Reason": Reason(e.Err), "Setting": settingName(e.Differs), "Was": settingValue(e.Differs, e.Was), "Finished": e.Finished, "Model": gguf.Printable(e.Model), "Pooling": gguf.Printable(e.Pooling),
		"Aside": base(e.Aside),
	})
}

// settingName is what a setting of a run is called in a sentence.
func settingName(setting string) string {
	if setting == "" {
		return ""
	}
	return T("embed.setting." + setting)
}

// settingValue is what a setting of a run was, "" where that would tell nothing.
func settingValue(setting, was string) string {
	switch setting {
	case "", "modelSha256", "layerNorm":
		return ""
	case "chunker":
		return gguf.Printable(was)
	case "normalise", "dimensions":
		return was
	}
	return strconv.Quote(gguf.Printable(was))
}

func dimensionsError(e *embed.DimensionsError) Sentence {
	var shorter []string
	for _, n := range e.Shorter {
		shorter = append(shorter, strconv.Itoa(n))
	}
	return Of("dimensions."+string(e.Problem), map[string]any{
		"File": base(e.Path), "Dimensions": Count(e.Dimensions), "Width": Count(e.Width), "Shorter": strings.Join(shorter, ", "),
	})
}

// chunkError is the sentence for a chunk without a vector.
func chunkError(e *embed.ChunkError) Sentence {
	why := Error(e.Err)
	s := Of("embed.chunk", map[string]any{"File": base(e.Path), "Chunk": Count(e.Chunk + 1), "Why": why.Message})
	s.Remedy, s.TerminalRemedy = why.Remedy, why.TerminalRemedy
	return s
}

// Passage says where in its file a passage is, to stand behind the file's name; ""
// where nothing tells. Numbers are from 1, and 0 means none.
func Passage(page, row, line int) string {
	for _, at := range []struct {
		key string
		n   int
	}{{"passage.page", page}, {"passage.row", row}, {"passage.line", line}} {
		if at.n > 0 {
			return fmt.Sprintf(", %s", T(at.key, map[string]any{"Number": Count(at.n)}))
		}
	}
	return ""
}
