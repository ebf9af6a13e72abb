package cli

type openCommand struct {
	Files []string `arg:"" optional:"" help:"${openFiles}"`
}

func (c *openCommand) Run(s *session) error {
	return s.hooks.Window(s.ctx, s.request(c.Files))
}

type tourCommand struct {
	Dir   string `arg:"" help:"${tourDir}"`
	Model string `placeholder:"FILE" help:"${tourModel}"`
	Shots bool   `help:"${tourShots}"`
}

func (c *tourCommand) Run(s *session) error {
	return s.hooks.Tour(s.ctx, TourRequest{Request: s.request(nil), Dir: c.Dir, Model: c.Model, Shots: c.Shots})
}

func (s *session) request(files []string) Request {
	return Request{Files: files, ConfigDir: s.Config, Engine: s.Engine, LogPath: s.Log, Verbose: s.Verbose}
}
