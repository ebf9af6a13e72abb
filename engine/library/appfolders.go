package library

import (
	"encoding/json"
	"strings"
)

// huggingFace is the hub's cache. Source: huggingface_hub, constants.py: the
// variables replace the default, ~ and variables in them are filled in, and the
// place is the same on every system.
func (e Environment) huggingFace() []string {
	for _, name := range []string{"HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"} {
		if folder := e.expand(e.Get(name)); folder != "" {
			return []string{folder}
		}
	}
	home := e.expand(e.Get("HF_HOME"))
	if home == "" {
		cache := e.expand(e.Get("XDG_CACHE_HOME"))
		if cache == "" {
			cache = e.join(e.Home, ".cache")
		}
		home = e.join(cache, "huggingface")
	}
	return []string{e.join(home, "hub")}
}

// lmStudio is where LM Studio's settings say, in each folder it may have its own
// files in: the one its pointer file names, today's and the older one. Sources:
// lmstudio.js, findLMStudioHome; lms, modelsFolder.ts and lmstudioPaths.ts. The
// embedding model that comes with it is in a folder of its own.
func (e Environment) lmStudio() []string {
	pointer := strings.TrimSpace(string(e.read(e.join(e.Home, ".lmstudio-home-pointer"))))
	var folders []string
	for _, home := range distinct([]string{
		e.absolute(pointer), e.join(e.Home, ".lmstudio"), e.join(e.Home, ".cache", "lm-studio"),
	}) {
		var settings struct {
			DownloadsFolder string `json:"downloadsFolder"`
		}
		models := e.join(home, "models")
		if json.Unmarshal(e.read(e.join(home, "settings.json")), &settings) == nil && e.absolute(settings.DownloadsFolder) != "" {
			models = e.absolute(settings.DownloadsFolder)
		}
		folders = append(folders, models, e.join(home, ".internal", "bundled-models"))
	}
	return folders
}

// ollama is Ollama's store. Sources: ollama, envconfig/config.go (the variable,
// without quotes); its install script, whose service on Linux runs as a user
// whose home is /usr/share/ollama; its snap keeps models in /var/snap.
func (e Environment) ollama() []string {
	folders := []string{e.join(e.Home, ".ollama", "models")}
	if set := e.absolute(strings.Trim(e.Get("OLLAMA_MODELS"), `"' `)); set != "" {
		folders = []string{set}
	}
	if e.OS == "linux" {
		folders = append(folders, "/usr/share/ollama/.ollama/models", "/var/snap/ollama/common/models")
	}
	return folders
}

// jan is Jan's data folder: the variable, or what its settings say, or the
// default. Source: jan, src-tauri/src/core/app/commands.rs and paths.rs, whose
// data folder of the system is that of the Rust crate dirs. Models are under
// llamacpp/models, those of versions before 0.6 under models. Its Flatpak has the
// data folder Flatpak gives it.
func (e Environment) jan() []string {
	root := e.absolute(e.Get("JAN_DATA_ROOT"))
	if root == "" {
		root = e.data()
	}
	data := e.absolute(e.Get("JAN_DATA_FOLDER"))
	settings := []string{e.join(root, "Jan"), e.join(root, "jan.ai.app")}
	if e.OS == "linux" {
		settings = append(settings, e.join(e.config(), "Jan"))
	}
	for _, folder := range settings {
		if data != "" {
			break
		}
		var saved struct {
			DataFolder string `json:"data_folder"`
		}
		if json.Unmarshal(e.read(e.join(folder, "settings.json")), &saved) == nil {
			data = e.absolute(saved.DataFolder)
		}
	}
	if data == "" {
		data = e.join(root, "Jan", "data")
	}
	places := []string{data}
	if e.OS == "linux" {
		places = append(places, e.join(e.Home, ".var", "app", "ai.jan.Jan", "data", "Jan", "data"))
	}
	var folders []string
	for _, place := range places {
		folders = append(folders, e.join(place, "llamacpp", "models"), e.join(place, "models"))
	}
	return folders
}

// llamaCpp is llama.cpp's own cache. Source: llama.cpp, common/common.cpp,
// fs_get_cache_directory. Builds of 2026 share the hub's cache
// (common/hf-cache.cpp) unless LLAMA_CACHE is set.
func (e Environment) llamaCpp() []string {
	if set := e.absolute(e.Get("LLAMA_CACHE")); set != "" {
		return []string{set}
	}
	var cache string
	switch e.OS {
	case "windows":
		cache = e.local()
	case "darwin":
		cache = e.join(e.Home, "Library", "Caches")
	default:
		if cache = e.absolute(e.Get("XDG_CACHE_HOME")); cache == "" {
			cache = e.join(e.Home, ".cache")
		}
	}
	return []string{e.join(cache, "llama.cpp")}
}

// gpt4All is where GPT4All's settings say, or its data folder. Sources: gpt4all,
// gpt4all-chat/src/mysettings.cpp (modelPath) and main.cpp (organisation, domain,
// INI format); Qt's QSettings, which names the folder after the domain on macOS,
// and QStandardPaths::AppLocalDataLocation. Its Flatpak has the data folder
// Flatpak gives it.
func (e Environment) gpt4All() []string {
	var settings, data string
	switch e.OS {
	case "windows":
		settings, data = e.join(e.roaming(), "nomic.ai"), e.local()
	case "darwin":
		settings, data = e.join(e.Home, ".config", "gpt4all.io"), e.data()
	default:
		settings, data = e.join(e.config(), "nomic.ai"), e.data()
	}
	models := e.absolute(iniValue(e.read(e.join(settings, "GPT4All.ini")), "General", "modelPath"))
	if models == "" {
		models = e.join(data, "nomic.ai", "GPT4All")
	}
	folders := []string{models}
	if e.OS == "linux" {
		folders = append(folders, e.join(e.Home, ".var", "app", "io.gpt4all.gpt4all", "data", "nomic.ai", "GPT4All"))
	}
	return folders
}

// textGen is text-generation-webui's folder. It has no place of its own: it runs
// where it was cloned or unpacked. Its README (Manual install) clones it under
// this name; in the user's home folder is where we look. Source for what is in
// it: modules/paths.py (user_data), and models in versions before 3.
func (e Environment) textGen() []string {
	folder := e.join(e.Home, "text-generation-webui")
	return []string{e.join(folder, "user_data", "models"), e.join(folder, "models")}
}
