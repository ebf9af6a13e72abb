package library

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
)

// made is an environment of made-up variables and files of settings.
func made(system, home string, variables, settings map[string]string) Environment {
	return Environment{
		OS: system, Home: home,
		Get: func(name string) string { return variables[name] },
		Read: func(path string) ([]byte, error) {
			if content, there := settings[path]; there {
				return []byte(content), nil
			}
			return nil, fs.ErrNotExist
		},
	}
}

func foldersOf(t *testing.T, env Environment, id string) []string {
	t.Helper()
	for _, app := range Apps(env) {
		if app.ID == id {
			return app.Folders
		}
	}
	t.Fatalf("no app %s", id)
	return nil
}

func TestTheAppsAreKnownByNameInTheirOrder(t *testing.T) {
	var ids, names []string
	for _, app := range Apps(Environment{OS: "linux", Home: "/home/ana"}) {
		ids, names = append(ids, app.ID), append(names, app.Name)
	}
	if want := []string{"huggingface", "lmstudio", "ollama", "jan", "llamacpp", "gpt4all", "textgen"}; !slices.Equal(ids, want) {
		t.Errorf("ids %q", ids)
	}
	if want := []string{"Hugging Face", "LM Studio", "Ollama", "Jan", "llama.cpp", "GPT4All", "text-generation-webui"}; !slices.Equal(names, want) {
		t.Errorf("names %q", names)
	}
}

func TestEachAppHasItsPlacesOnEachSystem(t *testing.T) {
	homes := map[string]string{"linux": "/home/ana", "darwin": "/Users/ana", "windows": `C:\Users\ana`}
	tests := map[string]map[string][]string{
		HuggingFace: {
			"linux":   {"/home/ana/.cache/huggingface/hub"},
			"darwin":  {"/Users/ana/.cache/huggingface/hub"},
			"windows": {`C:\Users\ana\.cache\huggingface\hub`},
		},
		LMStudio: {
			"linux": {"/home/ana/.lmstudio/models", "/home/ana/.lmstudio/.internal/bundled-models",
				"/home/ana/.cache/lm-studio/models", "/home/ana/.cache/lm-studio/.internal/bundled-models"},
			"darwin": {"/Users/ana/.lmstudio/models", "/Users/ana/.lmstudio/.internal/bundled-models",
				"/Users/ana/.cache/lm-studio/models", "/Users/ana/.cache/lm-studio/.internal/bundled-models"},
			"windows": {`C:\Users\ana\.lmstudio\models`, `C:\Users\ana\.lmstudio\.internal\bundled-models`,
				`C:\Users\ana\.cache\lm-studio\models`, `C:\Users\ana\.cache\lm-studio\.internal\bundled-models`},
		},
		Ollama: {
			"linux":   {"/home/ana/.ollama/models", "/usr/share/ollama/.ollama/models", "/var/snap/ollama/common/models"},
			"darwin":  {"/Users/ana/.ollama/models"},
			"windows": {`C:\Users\ana\.ollama\models`},
		},
		Jan: {
			"linux": {"/home/ana/.local/share/Jan/data/llamacpp/models", "/home/ana/.local/share/Jan/data/models",
				"/home/ana/.var/app/ai.jan.Jan/data/Jan/data/llamacpp/models", "/home/ana/.var/app/ai.jan.Jan/data/Jan/data/models"},
			"darwin":  {"/Users/ana/Library/Application Support/Jan/data/llamacpp/models", "/Users/ana/Library/Application Support/Jan/data/models"},
			"windows": {`C:\Users\ana\AppData\Roaming\Jan\data\llamacpp\models`, `C:\Users\ana\AppData\Roaming\Jan\data\models`},
		},
		LlamaCpp: {
			"linux":   {"/home/ana/.cache/llama.cpp"},
			"darwin":  {"/Users/ana/Library/Caches/llama.cpp"},
			"windows": {`C:\Users\ana\AppData\Local\llama.cpp`},
		},
		GPT4All: {
			"linux":   {"/home/ana/.local/share/nomic.ai/GPT4All", "/home/ana/.var/app/io.gpt4all.gpt4all/data/nomic.ai/GPT4All"},
			"darwin":  {"/Users/ana/Library/Application Support/nomic.ai/GPT4All"},
			"windows": {`C:\Users\ana\AppData\Local\nomic.ai\GPT4All`},
		},
		TextGen: {
			"linux":   {"/home/ana/text-generation-webui/user_data/models", "/home/ana/text-generation-webui/models"},
			"darwin":  {"/Users/ana/text-generation-webui/user_data/models", "/Users/ana/text-generation-webui/models"},
			"windows": {`C:\Users\ana\text-generation-webui\user_data\models`, `C:\Users\ana\text-generation-webui\models`},
		},
	}
	for id, systems := range tests {
		for system, want := range systems {
			t.Run(id+" on "+system, func(t *testing.T) {
				if got := foldersOf(t, made(system, homes[system], nil, nil), id); !slices.Equal(got, want) {
					t.Errorf("got  %q\nwant %q", got, want)
				}
			})
		}
	}
}

func TestVariablesMoveTheFolders(t *testing.T) {
	type vars = map[string]string
	tests := []struct {
		name, system, id string
		variables        vars
		want             string // the first folder
	}{
		{"the hub's cache itself", "linux", HuggingFace, vars{"HF_HUB_CACHE": "/big/hub", "HF_HOME": "/other"}, "/big/hub"},
		{"its older name", "linux", HuggingFace, vars{"HUGGINGFACE_HUB_CACHE": "/old/hub/"}, "/old/hub"},
		{"the newer name goes first", "linux", HuggingFace, vars{"HUGGINGFACE_HUB_CACHE": "/old", "HF_HUB_CACHE": "/new"}, "/new"},
		{"the folder of all of Hugging Face", "linux", HuggingFace, vars{"HF_HOME": "/big/hf"}, "/big/hf/hub"},
		{"~ and variables are filled in", "linux", HuggingFace, vars{"HF_HOME": "~/${WHERE}/$THERE", "WHERE": "a", "THERE": "b"}, "/home/ana/a/b/hub"},
		{"the user's cache", "linux", HuggingFace, vars{"XDG_CACHE_HOME": "/c"}, "/c/huggingface/hub"},
		{"an empty variable is none", "linux", HuggingFace, vars{"HF_HUB_CACHE": "", "HF_HOME": ""}, "/home/ana/.cache/huggingface/hub"},
		{"a folder that depends on where the app was started is not known", "linux", HuggingFace, vars{"HF_HOME": "hf"}, "/home/ana/.cache/huggingface/hub"},
		{"on Windows, with its variables", "windows", HuggingFace, vars{"HF_HOME": `%BIG%\hf`, "BIG": `D:\big`}, `D:\big\hf\hub`},
		{"on Windows, with slashes", "windows", HuggingFace, vars{"HF_HUB_CACHE": `D:/hub/`}, `D:\hub`},
		{"Ollama's", "linux", Ollama, vars{"OLLAMA_MODELS": "/big/ollama"}, "/big/ollama"},
		{"in quotes", "darwin", Ollama, vars{"OLLAMA_MODELS": `"/Volumes/big/ollama"`}, "/Volumes/big/ollama"},
		{"on another drive", "windows", Ollama, vars{"OLLAMA_MODELS": `E:\ollama\models`}, `E:\ollama\models`},
		{"on a share", "windows", Ollama, vars{"OLLAMA_MODELS": `\\nas\ollama`}, `\\nas\ollama`},
		{"llama.cpp's", "darwin", LlamaCpp, vars{"LLAMA_CACHE": "/big/llama"}, "/big/llama"},
		{"its folder in the user's cache", "linux", LlamaCpp, vars{"XDG_CACHE_HOME": "/c"}, "/c/llama.cpp"},
		{"macOS has no XDG", "darwin", LlamaCpp, vars{"XDG_CACHE_HOME": "/c"}, "/home/ana/Library/Caches/llama.cpp"},
		{"its folder on Windows", "windows", LlamaCpp, vars{"LOCALAPPDATA": `D:\local`}, `D:\local\llama.cpp`},
		{"Jan's data folder", "linux", Jan, vars{"JAN_DATA_FOLDER": "/big/jan"}, "/big/jan/llamacpp/models"},
		{"where Jan's data folder is in", "darwin", Jan, vars{"JAN_DATA_ROOT": "/big"}, "/big/Jan/data/llamacpp/models"},
		{"the user's data", "linux", Jan, vars{"XDG_DATA_HOME": "/d"}, "/d/Jan/data/llamacpp/models"},
		{"the user's data on Windows", "windows", Jan, vars{"APPDATA": `D:\roaming`}, `D:\roaming\Jan\data\llamacpp\models`},
		{"GPT4All's data", "linux", GPT4All, vars{"XDG_DATA_HOME": "/d"}, "/d/nomic.ai/GPT4All"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			home := "/home/ana"
			if test.system == "windows" {
				home = `C:\Users\ana`
			}
			if got := foldersOf(t, made(test.system, home, test.variables, nil), test.id); got[0] != test.want {
				t.Errorf("got %q, want %q first", got, test.want)
			}
		})
	}
}

func TestSettingsMoveTheFolders(t *testing.T) {
	type files = map[string]string
	tests := []struct {
		name, system, id string
		settings         files
		want             string // the first folder
	}{
		{"LM Studio's pointer", "linux", LMStudio, files{"/home/ana/.lmstudio-home-pointer": "/big/lms\n"}, "/big/lms/models"},
		{"LM Studio's download folder", "linux", LMStudio, files{"/home/ana/.lmstudio/settings.json": `{"downloadsFolder": "/big/models"}`}, "/big/models"},
		{"LM Studio's on Windows", "windows", LMStudio, files{`C:\Users\ana\.lmstudio\settings.json`: `{"downloadsFolder": "D:\\models"}`}, `D:\models`},
		{"one in the folder the pointer names", "linux", LMStudio, files{
			"/home/ana/.lmstudio-home-pointer": "/big/lms", "/big/lms/settings.json": `{"downloadsFolder": "/big/models"}`,
		}, "/big/models"},
		{"LM Studio's settings are broken", "linux", LMStudio, files{"/home/ana/.lmstudio/settings.json": `{"downloadsFolder": 7}`}, "/home/ana/.lmstudio/models"},
		{"Jan's", "linux", Jan, files{"/home/ana/.local/share/Jan/settings.json": `{"data_folder": "/big/jan"}`}, "/big/jan/llamacpp/models"},
		{"Jan's older", "darwin", Jan, files{"/home/ana/Library/Application Support/jan.ai.app/settings.json": `{"data_folder": "/big/jan"}`}, "/big/jan/llamacpp/models"},
		{"Jan's oldest on Linux", "linux", Jan, files{"/home/ana/.config/Jan/settings.json": `{"data_folder": "/big/jan"}`}, "/big/jan/llamacpp/models"},
		{"Jan's when it never wrote a real one", "linux", Jan, files{"/home/ana/.local/share/Jan/settings.json": `{"data_folder": "./data"}`}, "/home/ana/.local/share/Jan/data/llamacpp/models"},
		{"GPT4All's", "linux", GPT4All, files{"/home/ana/.config/nomic.ai/GPT4All.ini": "[other]\nmodelPath=/no\n[General]\nmodelPath=/big/gpt4all/\n"}, "/big/gpt4all"},
		{"GPT4All's on macOS", "darwin", GPT4All, files{"/home/ana/.config/gpt4all.io/GPT4All.ini": "[General]\r\nmodelPath=/big/gpt4all\r\n"}, "/big/gpt4all"},
		{"GPT4All's on Windows", "windows", GPT4All, files{`C:\Users\ana\AppData\Roaming\nomic.ai\GPT4All.ini`: "[General]\nmodelPath=D:/gpt4all/\n"}, `D:\gpt4all`},
		{"GPT4All's with letters it writes in its own way", "linux", GPT4All, files{"/home/ana/.config/nomic.ai/GPT4All.ini": "[General]\nmodelPath=\"/b\\xfcro; \\\"x\\\"\"\n"}, `/büro; "x"`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			home := "/home/ana"
			if test.system == "windows" {
				home = `C:\Users\ana`
			}
			if got := foldersOf(t, made(test.system, home, nil, test.settings), test.id); got[0] != test.want {
				t.Errorf("got %q, want %q first", got, test.want)
			}
		})
	}
}

func TestWithoutAHomeThereAreOnlyTheFoldersOfTheSystem(t *testing.T) {
	for _, system := range []string{"linux", "darwin", "windows"} {
		for _, app := range Apps(Environment{OS: system}) {
			for _, folder := range app.Folders {
				if system != "linux" || app.ID != Ollama {
					t.Errorf("%s on %s: %s", app.ID, system, folder)
				}
			}
		}
	}
}

func TestHereReadsSettingsButNoPipesAndNothingEndless(t *testing.T) {
	env := Here()
	if env.OS != runtime.GOOS {
		t.Errorf("the system is %s", env.OS)
	}
	path := filepath.Join(t.TempDir(), "settings.json")
	if err := os.WriteFile(path, make([]byte, settingsLimit+1), 0o644); err != nil {
		t.Fatal(err)
	}
	if content, err := env.Read(path); err != nil || len(content) != settingsLimit {
		t.Errorf("%d bytes, %v", len(content), err)
	}
	if _, err := env.Read(filepath.Dir(path)); err == nil {
		t.Error("a folder was read")
	}
}
