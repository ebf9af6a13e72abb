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
	"purpose", "split", "tensorSplit", "spec", "draft", "draftMax", "draftCacheK", "draftCacheV", "projector",
	"projectorDevice", "pooling", "contextShift", "cacheReuse", "promptCache", "lora", "rpc", "tryAgain",
	"gpuLayers", "cacheK", "cacheV", "flashAttn", "slots", "model", "checkBuild", "checkRoot",
	"checkMeasure", "chatPrompt", "chatImage", "chatSystem", "chatTokens", "chatTemperature", "chatSeed",
	"captionCommand", "captionPaths", "captionPreset", "captionPrompt", "captionOut", "captionOverwrite", "captionRecursive", "captionTokens", "captionMaxSide",
	"embedCommand", "embedFiles", "embedOut", "embedFormat", "embedChunk", "embedTextColumn", "embedIDColumn", "embedInclude",
	"embedExclude", "embedPrefix", "embedQueryPrefix", "embedNormalise", "embedDimensions", "embedResume", "embedOverwrite",
	"searchCommand", "searchIndex", "searchQuery", "searchTop", "searchFile", "searchModel",
}

// helpVariables gives kong the help in the user's language.
func helpVariables() kong.Vars {
	vars := kong.Vars{}
	for _, name := range helpTexts {
		vars[name] = words.T("cli.help." + name)
	}
	return vars
}
