package server

import "regexp"

// Lines that speak of an error. The engine's own level decides where it has one;
// what is printed past the log (while dying, by a library, by its command line)
// is known by its words or by the place in the source it begins with.
var (
	errorWords  = regexp.MustCompile(`(?i:\b(error|failed|failure|assert|abort(ed)?|fatal|exception|terminate called|what\(\)|invalid|cannot|can't|couldn't|unable|not found)\b)|GGML_ASSERT|\bError[A-Z]`)
	sourcePlace = regexp.MustCompile(`^\S+\.(c|cc|cpp|cu|cuh|h|hpp|m|mm):\d+: `)
	// Warnings that come before a failure, and not before a success.
	telling = regexp.MustCompile(`(?i)\b(out of memory|device ?lost)\b|failed to allocate`)
	// What is printed beside a failure and never is its reason: the search for
	// a fit, a debugger's output, and pinned memory, which is only faster.
	noise = regexp.MustCompile(`(?i)(\bfit_params|common_fit|llama_params_fit|failed to fit|\[New LWP|\[Thread debugging|libthread_db|^#\d+ |pinned|mlock|^ptrace|warning: process)`)
)

func speaksOfError(l line) bool {
	if noise.MatchString(l.text) {
		return false
	}
	switch l.level {
	case errorous:
		return true
	case raw:
		return errorWords.MatchString(l.text) || sourcePlace.MatchString(l.text)
	case warning:
		return telling.MatchString(l.text)
	}
	return false
}

// causes are the lines that tell the kind of a failure. Order matters within a
// line only.
var causes = []struct {
	kind FailureKind
	line *regexp.Regexp
}{
	{MissingPart, regexp.MustCompile(`failed to open GGUF file '(.*-\d{5}-of-\d{5}\.gguf)' \(No such file|failed to load GGUF split from (.+)|model must be loaded with the first split`)},
	{ModelMissing, regexp.MustCompile(`failed to open GGUF file .*No such file|error loading model: .*No such file`)},
	{ModelUnreadable, regexp.MustCompile(`failed to open GGUF file|(?i)Permission denied`)},
	{EngineIncomplete, regexp.MustCompile(`no CPU backend found|no backends are loaded`)},
	{TemplateBroken, regexp.MustCompile(`common_chat_templates_init: error: |failed to initialize chat template|chat template parsing error`)},
	{WrongKind, regexp.MustCompile(`CLIP cannot be used as main model|unknown model architecture: ''|key not found in model: .*\.context_length|'token_embd\.weight' not found`)},
	{UnknownArchitecture, regexp.MustCompile(`unknown model architecture|unknown pre-tokenizer|unknown tokenizer`)},
	{ModelCorrupt, regexp.MustCompile(`gguf_init_from|invalid magic|file bounds|corrupted or incomplete|bad_alloc.*gguf|tensor '.*' (not found|has wrong shape)|wrong number of tensors|duplicated tensor|invalid ggml type|key not found in model|failed to read tensor|error loading model (hyperparameters|vocabulary): |key .* has wrong type|GGML_ASSERT\(hparams\.|unexpectedly reached end of file`)},
	{OutOfDeviceMemory, regexp.MustCompile(`(?i)(ErrorOutOfDeviceMemory|cudaMalloc failed|hipMalloc failed|CUDA error: out of memory|failed to allocate (Vulkan|CUDA|ROCm|SYCL|Metal|RPC)\d*|Device memory allocation of size|unable to allocate (Vulkan|CUDA|ROCm|SYCL|Metal|RPC)\d*|in a buffer \((Vulkan|CUDA|ROCm|SYCL|Metal|RPC)\d*\) that cannot run)`)},
	{OutOfMemory, regexp.MustCompile(`(?i)(insufficient memory|out of memory|std::bad_alloc|cannot allocate memory|failed to allocate|unable to allocate)`)},
	{DeviceLost, regexp.MustCompile(`(?i)(ErrorDeviceLost|device ?lost)`)},
	{UnsupportedSetting, regexp.MustCompile(`(?i)(error while handling argument|invalid argument|unsupported cache type|requires flash_attn|does not support|not supported|quantized V cache|invalid device|argument has been removed)`)},
	{Crashed, regexp.MustCompile(`GGML_ASSERT|terminate called`)},
}

// explain finds the reason in lines that speak of errors. It is the first, for
// what follows is its consequence: an unknown architecture ends in lines about
// memory. The kind is empty when the lines do not tell; path is a file they name.
func explain(evidence []line) (kind FailureKind, reason, path string) {
	if len(evidence) == 0 {
		return "", "", ""
	}
	for _, l := range evidence {
		for _, cause := range causes {
			match := cause.line.FindStringSubmatch(l.text)
			if match == nil {
				continue
			}
			for _, group := range match[1:] {
				if cause.kind == MissingPart && group != "" {
					path = group
				}
			}
			return cause.kind, l.text, path
		}
	}
	return "", evidence[0].text, ""
}

// starved is the reason of a start that went on although memory could not be
// had: such an engine says it is healthy, and fails later. The kind is empty
// when there is none.
func starved(evidence []line) (kind FailureKind, reason string) {
	for _, l := range evidence {
		switch kind, reason, _ := explain([]line{l}); kind {
		case OutOfMemory, OutOfDeviceMemory:
			return kind, reason
		}
	}
	return "", ""
}
