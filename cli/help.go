package cli

import (
	"github.com/alecthomas/kong"

	"paddock/words"
)

// helpTexts are the names that the grammar's help tags refer to.
var helpTexts = []string{
	"openCommand", "modelsCommand", "enginesCommand", "checkCommand", "chatCommand", "devicesCommand",
	"tourCommand", "json", "config", "engine", "log", "verbose", "showVersion", "openFiles",
	"tourDir", "tourModel", "tourShots", "modelsPaths", "devicesRoot", "context", "devices",
	"gpuLayers", "cacheK", "cacheV", "flashAttn", "slots", "model", "checkBuild", "checkRoot",
	"checkMeasure", "chatPrompt", "chatSystem", "chatTokens", "chatTemperature", "chatSeed",
}

// helpVariables gives kong the help in the user's language.
func helpVariables() kong.Vars {
	vars := kong.Vars{}
	for _, name := range helpTexts {
		vars[name] = words.T("cli.help." + name)
	}
	return vars
}
