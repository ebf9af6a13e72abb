package library

import (
	"io"
	"os"
	"runtime"
	"slices"
)

// The apps whose models are found, by id.
const (
	HuggingFace = "huggingface"
	LMStudio    = "lmstudio"
	Ollama      = "ollama"
	Jan         = "jan"
	LlamaCpp    = "llamacpp"
	GPT4All     = "gpt4all"
	TextGen     = "textgen"
)

// An App is another program that keeps models on this machine.
type App struct {
	ID      string
	Name    string   // as people know it
	Folders []string // where it keeps models, whether or not they are there
}

// An Environment is what decides where an app keeps its models.
type Environment struct {
	OS   string                            // as runtime.GOOS has it
	Home string                            // the user's folder; empty when there is none
	Get  func(name string) string          // an environment variable
	Read func(path string) ([]byte, error) // a small file of settings; nil reads none
}

// settingsLimit is how much of an app's settings is read, in bytes.
const settingsLimit = 1 << 20

// Here is the environment of this process. Its Read goes to the disk.
func Here() Environment {
	home, err := os.UserHomeDir()
	if err != nil {
		home = ""
	}
	return Environment{OS: runtime.GOOS, Home: home, Get: os.Getenv, Read: readSettings}
}

func readSettings(path string) ([]byte, error) {
	info, err := os.Stat(path) // opening a pipe would wait for ever
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, os.ErrInvalid
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, settingsLimit))
}

// Apps are all apps with the folders each uses in an environment, in the order
// they are shown.
func Apps(env Environment) []App {
	if env.Get == nil {
		env.Get = func(string) string { return "" }
	}
	apps := []App{
		{HuggingFace, "Hugging Face", env.huggingFace()},
		{LMStudio, "LM Studio", env.lmStudio()},
		{Ollama, "Ollama", env.ollama()},
		{Jan, "Jan", env.jan()},
		{LlamaCpp, "llama.cpp", env.llamaCpp()},
		{GPT4All, "GPT4All", env.gpt4All()},
		{TextGen, "text-generation-webui", env.textGen()},
	}
	for i := range apps {
		apps[i].Folders = distinct(apps[i].Folders)
	}
	return apps
}

// distinct drops what is empty and what was there before.
func distinct(folders []string) []string {
	var kept []string
	for _, folder := range folders {
		if folder != "" && !slices.Contains(kept, folder) {
			kept = append(kept, folder)
		}
	}
	return kept
}
