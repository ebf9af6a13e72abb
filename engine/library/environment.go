package library

import (
	"regexp"
	"strconv"
	"strings"
)

// join is a path on the environment's system, which need not be this one. Below
// no folder there is nothing.
func (e Environment) join(folder string, names ...string) string {
	if folder == "" {
		return ""
	}
	separator := "/"
	if e.OS == "windows" {
		separator = `\`
		folder = strings.ReplaceAll(folder, "/", separator)
	}
	trimmed := strings.TrimRight(folder, separator)
	if trimmed == "" || len(names) == 0 && strings.HasSuffix(trimmed, ":") {
		trimmed += separator // the root
	}
	if len(names) == 0 {
		return trimmed
	}
	return strings.TrimSuffix(trimmed, separator) + separator + strings.Join(names, separator)
}

var drive = regexp.MustCompile(`^([A-Za-z]:[\\/]|\\\\)`)

// absolute is a path tidied, or nothing when it depends on where a program was
// started: that of another program is not known.
func (e Environment) absolute(path string) string {
	if e.OS == "windows" && !drive.MatchString(path) || e.OS != "windows" && !strings.HasPrefix(path, "/") {
		return ""
	}
	return e.join(path)
}

var variable = regexp.MustCompile(`\$\{(\w+)\}|\$(\w+)|%(\w+)%`)

// expand fills in a leading ~ and variables as Python does; %NAME% only on
// Windows. What is unknown stays.
func (e Environment) expand(path string) string {
	if rest, ok := strings.CutPrefix(path, "~"); ok && e.Home != "" && (rest == "" || strings.ContainsAny(rest[:1], `/\`)) {
		path = e.Home + rest
	}
	return e.absolute(variable.ReplaceAllStringFunc(path, func(whole string) string {
		if strings.HasPrefix(whole, "%") && e.OS != "windows" {
			return whole
		}
		if value := e.Get(strings.Trim(whole, "${}%")); value != "" {
			return value
		}
		return whole
	}))
}

// data is the folder programs keep a user's data in.
func (e Environment) data() string {
	switch e.OS {
	case "windows":
		return e.roaming()
	case "darwin":
		return e.join(e.Home, "Library", "Application Support")
	}
	if set := e.absolute(e.Get("XDG_DATA_HOME")); set != "" {
		return set
	}
	return e.join(e.Home, ".local", "share")
}

// config is the folder programs on Linux keep settings in.
func (e Environment) config() string {
	if set := e.absolute(e.Get("XDG_CONFIG_HOME")); set != "" {
		return set
	}
	return e.join(e.Home, ".config")
}

// roaming and local are Windows's folders for a user's data.
func (e Environment) roaming() string {
	if set := e.absolute(e.Get("APPDATA")); set != "" {
		return set
	}
	return e.join(e.Home, "AppData", "Roaming")
}

func (e Environment) local() string {
	if set := e.absolute(e.Get("LOCALAPPDATA")); set != "" {
		return set
	}
	return e.join(e.Home, "AppData", "Local")
}

// read is what is in a file of settings, nothing where it can't be read: an app
// that isn't there has none.
func (e Environment) read(path string) []byte {
	if e.Read == nil || path == "" {
		return nil
	}
	content, err := e.Read(path)
	if err != nil {
		return nil
	}
	return content
}

// iniValue is one value of an INI file as Qt writes it.
func iniValue(content []byte, section, key string) string {
	inside := false
	for line := range strings.Lines(string(content)) {
		line = strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(line, "["); ok {
			inside = strings.TrimSuffix(name, "]") == section
			continue
		}
		if name, value, ok := strings.Cut(line, "="); ok && inside && strings.TrimSpace(name) == key {
			return iniText(strings.TrimSpace(value))
		}
	}
	return ""
}

var iniEscape = regexp.MustCompile(`\\(x[0-9a-fA-F]{1,4}|.)`)

// iniText takes the quotes and backslashes away that Qt puts where a value has
// letters an INI file can't hold.
func iniText(value string) string {
	if len(value) > 1 && strings.HasPrefix(value, `"`) && strings.HasSuffix(value, `"`) {
		value = value[1 : len(value)-1]
	}
	return iniEscape.ReplaceAllStringFunc(value, func(escape string) string {
		if code, err := strconv.ParseUint(strings.TrimPrefix(escape, `\x`), 16, 16); err == nil && strings.HasPrefix(escape, `\x`) {
			return string(rune(code))
		}
		return escape[1:]
	})
}
