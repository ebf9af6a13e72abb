package words

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Shell is arguments as a shell takes them, and as a terminal shows them without acting
// on them.
func Shell(args []string) string {
	quoted := make([]string, len(args))
	for i, arg := range args {
		quoted[i] = shellWord(arg)
	}
	return strings.Join(quoted, " ")
}

func shellWord(arg string) string {
	plain, printable := arg != "", utf8.ValidString(arg)
	for _, r := range arg {
		plain = plain && (unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("%+,-./:=@_", r))
		printable = printable && unicode.IsPrint(r)
	}
	switch {
	case plain && printable:
		return arg
	case printable:
		return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
	}
	var text strings.Builder
	text.WriteString("$'")
	for len(arg) > 0 {
		r, size := utf8.DecodeRuneInString(arg)
		switch {
		case r == '\\' || r == '\'':
			text.WriteString(`\` + arg[:size])
		case r == utf8.RuneError && size == 1 || !unicode.IsPrint(r):
			for _, b := range []byte(arg[:size]) {
				fmt.Fprintf(&text, `\%03o`, b) // octal has a fixed length
			}
		default:
			text.WriteString(arg[:size])
		}
		arg = arg[size:]
	}
	return text.String() + "'"
}
