package words

import (
	"paddock/engine/picture"
)

// pictureError is the sentence for a picture that can't be used.
func pictureError(e *picture.Error) Sentence {
	const million = 1e6
	data := map[string]any{
		"File": base(e.Path), "Kind": string(e.Kind), "Looks": "", "Reason": Reason(e.Err), "Feature": e.Err != nil,
		"Width": Count(e.Width), "Height": Count(e.Height), "Least": picture.MinSide,
		"Pixels": "", "Memory": e.Memory, "Bytes": GiB(e.Bytes), "Limit": GiB(e.LimitBytes),
	}
	if e.Path == "" {
		data["File"] = T("picture.unnamed")
	}
	if e.Looks != "" {
		data["Looks"] = T("picture.looks." + string(e.Looks))
	}
	if e.Pixels > 0 {
		// Rounded apart, so that a little too much is not said to be allowed.
		data["Pixels"] = Count(int((e.Pixels + million - 1) / million))
		data["Limit"] = Count(int(e.LimitPixels / million))
	}
	s := Of("picture."+string(e.Problem), data)
	if e.Problem == picture.NotAPicture && e.Looks != "" { // the chat takes other files too
		s.Remedy = T("picture.looks." + string(e.Looks) + ".remedy")
	}
	return s
}

// PictureNote says what was done to a picture, in a few words for a line beside it.
func PictureNote(note picture.Note) string { return T("picture.note." + string(note)) }
